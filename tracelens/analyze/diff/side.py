"""One side of a comparison: all that a run, or a trace, knows of one case and variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tracelens.analyze.device_time import device_time
from tracelens.analyze.diff.quantities import (
    Quantities,
    Quantity,
    of_calls,
    of_device,
    of_run,
    of_trace,
)
from tracelens.analyze.diff.recordings import digest
from tracelens.analyze.graph_equality import other_kernels
from tracelens.analyze.host import median_times
from tracelens.analyze.integrity import integrity, kernels_known
from tracelens.analyze.kernel_use import KernelUse, kernel_uses
from tracelens.analyze.readings import NOTHING, Known
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import WHOLE_TRACE, Windows, choose
from tracelens.model.card import CardReading
from tracelens.model.measurement import Capture, Measurement, Protocol, SubjectRun
from tracelens.model.op import MISSPELLED
from tracelens.model.report import Finding

_OTHER_GRAPH = "graph/other_kernels"
_KERNEL_BUSY = "kernel/eager/busy"
_NO_PASS = "there is no profiled pass"

HostTimes = Mapping[tuple[str, str], int]
"""Self time per call in ns, by layer and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is known of one subject on one side.

    `kernels` is None where no profiled pass tells of them. `failure` is how the subject ended
    early. `findings` are those of its op file and its trace that are more than a note.
    """

    quantities: Quantities
    kernels: tuple[KernelUse, ...] | None = None
    host: HostTimes | None = None
    card: tuple[CardReading, ...] = ()
    predictions: tuple[str, ...] = ()
    """What the op file predicts for the case, as it is written there."""
    protocol: Protocol | None = None
    failure: str | None = None
    profiled: bool = False
    """Whether everything on this side was taken under the profiler."""
    windows: str | None = None
    """Of a trace: what a sample is of. A run always has calls."""
    findings: tuple[Finding, ...] = ()
    runs: int = 1
    """Of how many processes it holds the quantities; all else is of the first."""
    recordings: tuple[str, ...] = ()
    """What tells each of them from any other, where a time was sampled: see `recordings`."""
    no_kernels: str = _NO_PASS
    """Why `kernels` is None."""
    unchecked: bool = False
    """Whether its result was held against nothing."""

    @property
    def on_cpu(self) -> bool:
        """Whether it was measured without a device: all of a call is then host time."""
        return self.protocol is not None and self.protocol.device == "cpu"

    @classmethod
    def of_subject(cls, found: SubjectRun, timeline: Timeline | None) -> Side:
        """Gather a subject of a run; `timeline` is its profiled pass, None where there is none.

        Raises UsageError where the timeline lacks the windows that the run says it has.
        """
        quantities: Quantities = of_run(found)
        kernels, layers = None, None
        findings: tuple[Finding, ...] = ()
        if timeline is not None and found.capture is not None:
            calls = choose(timeline, window=found.capture.window)
            device = of_device(_device_times(found.capture, timeline, calls))
            quantities = {**quantities, **device, **of_calls(timeline, calls)}
            kernels, layers = (
                _kernels(timeline, calls, Known.of(found)),
                median_times(timeline, calls),
            )
            findings = (*_grave(timeline), *_other_graph(found.capture, timeline, calls))
        if any(finding.tag == _OTHER_GRAPH for finding in findings):
            quantities = {s: q for s, q in quantities.items() if "graph" not in s.split("/")}
        return cls(
            quantities=quantities,
            kernels=kernels,
            host=layers,
            card=found.card,
            predictions=found.predicted.claims if found.predicted else (),
            protocol=found.protocol,
            failure=_failure(found),
            findings=(*_misspelled(found), *_failed_trials(found), *findings),
            recordings=digest((m.tag, m.samples_ns) for m in found.measurements),
            no_kernels=_no_kernels(found, timeline),
            unchecked=found.check is not None and found.check.status == "no reference",
        )


def joined_sides(sides: Sequence[Side]) -> Side:
    """Return several runs of one build as a side: the first, with the samples of all of them.

    A quantity that one of them lacks, or took another way, stays that of the first.
    """
    first, *others = sides
    failures = [side.failure for side in sides if side.failure is not None]
    quantities = {
        stem: replace(quantity, again=tuple(side.quantities[stem].samples for side in others))
        if all(_took(side, stem, quantity) for side in others)
        else quantity
        for stem, quantity in first.quantities.items()
    }
    return replace(
        first,
        quantities=quantities,
        card=tuple(reading for side in sides for reading in side.card),
        failure=failures[0] if failures else None,
        runs=len(sides),
        recordings=tuple(recording for side in sides for recording in side.recordings),
    )


def _took(side: Side, stem: str, quantity: Quantity) -> bool:
    return stem in side.quantities and side.quantities[stem].taken == quantity.taken


def traced_side(timeline: Timeline, windows: Windows) -> Side:
    """Gather a trace that was recorded elsewhere: everything in it was profiled."""
    quantities: Quantities = {
        **of_device(device_time(timeline, windows, "eager")),
        **of_calls(timeline, windows),
        **of_trace(timeline, windows),
    }
    return Side(
        quantities=quantities,
        kernels=_kernels(timeline, windows),
        host=median_times(timeline, windows) if windows.kind == "call" else None,
        profiled=True,
        windows=_sort_of(windows),
        findings=(*windows.findings, *_grave(timeline)),
        recordings=digest((s, q.samples) for s, q in quantities.items() if q.unit == "ns"),
        no_kernels=_unknown(timeline),
    )


def _sort_of(windows: Windows) -> str:
    if windows.kind == "call":
        return "a call"
    return WHOLE_TRACE if windows.names == (WHOLE_TRACE,) else "a stretch of time"


def _failure(found: SubjectRun) -> str | None:
    if found.failure is not None:
        return found.failure.fact
    if found.check is not None and found.check.status == "failed":
        return f"its result differs from the {found.check.against}"
    return None


def _misspelled(found: SubjectRun) -> Iterator[Finding]:
    """Yield what the op file most likely means to say: a prediction may be among it."""
    noticed = (one.finding for one in found.noticed)
    yield from (finding for finding in noticed if finding.tag == MISSPELLED)


def _failed_trials(found: SubjectRun) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            tag="diff/failed_check",
            severity="error",
            fact=f"the check '{trial.name}' failed ({trial.proves}): {trial.fact}",
            advice=trial.advice,
        )
        for trial in found.trials
        if trial.status == "failed"
    )


def _device_times(capture: Capture, timeline: Timeline, calls: Windows) -> dict[str, Measurement]:
    times = device_time(timeline, calls, "eager")
    for window, way, state in (
        (capture.replay_window, "graph", None),
        (capture.cold_window, "eager", "cold"),
        (capture.cold_replay_window, "graph", "cold"),
    ):
        if window is not None:
            times |= device_time(timeline, choose(timeline, window=window), way, state=state)
    return times


def _other_graph(capture: Capture, timeline: Timeline, calls: Windows) -> tuple[Finding, ...]:
    """Find out whether the graph's replay runs other kernels: then it is no figure of this op."""
    if capture.replay_window is None or not kernels_known(timeline):
        return ()
    difference = other_kernels(timeline, calls, choose(timeline, window=capture.replay_window))
    return () if difference is None else (difference,)


def _kernels(
    timeline: Timeline, windows: Windows, known: Known = NOTHING
) -> tuple[KernelUse, ...] | None:
    return kernel_uses(timeline, windows, known=known) if kernels_known(timeline) else None


def _no_kernels(found: SubjectRun, timeline: Timeline | None) -> str:
    """Say why a run does not know its kernels, or nothing where it does."""
    withheld = (w.finding.fact for w in found.withheld if _KERNEL_BUSY in w.tags)
    told = _NO_PASS if timeline is None else _unknown(timeline)
    return next(withheld, told)


def _unknown(timeline: Timeline) -> str:
    return "" if kernels_known(timeline) else integrity(timeline)[0].fact


def _grave(timeline: Timeline) -> tuple[Finding, ...]:
    found = (*integrity(timeline), *timeline.findings)
    return tuple(finding for finding in found if finding.severity == "error")
