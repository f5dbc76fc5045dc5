"""A run as sections: its verdict, its split, its three measurements, its kernels, its host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tracelens.analyze.checked import checked
from tracelens.analyze.device_time import device_time
from tracelens.analyze.disturbed import disturbed
from tracelens.analyze.functions import functions_section
from tracelens.analyze.graph_equality import other_kernels
from tracelens.analyze.host import host
from tracelens.analyze.host_sampled import host_sampled
from tracelens.analyze.integrity import host_alone, integrity, kernels_known
from tracelens.analyze.invocation import repetition_section, variations_section
from tracelens.analyze.kernels import kernels_of
from tracelens.analyze.known import how_known
from tracelens.analyze.layers import layers_section
from tracelens.analyze.measured import measured
from tracelens.analyze.pace import Waits, pace_of, pace_section, waits_of
from tracelens.analyze.readings import Known
from tracelens.analyze.remedies import remedies
from tracelens.analyze.sweep import sweep_sections
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.verdict import verdict
from tracelens.analyze.window_table import SPLIT_TITLE, unsplit, window_table
from tracelens.analyze.windows import Windows, choose
from tracelens.model.measurement import Capture, Measurement, SubjectRun, Withheld
from tracelens.model.report import Environment, Finding, Section


def run_sections(
    found: SubjectRun, timeline: Timeline | None, environment: Environment | None = None
) -> tuple[Section, ...]:
    """Report a subject; `timeline` is its profiled pass, or None where there was none.

    `environment` says what the card is allowed and who else uses it.
    Raises UsageError where the timeline lacks the windows that the run says it has.
    """
    if found.sweep:
        sections = sweep_sections(found)
    elif timeline is None or found.capture is None:
        sections = _untraced(found, environment)
    else:
        calls = choose(timeline, window=found.capture.window)
        sections = _traced(found, timeline, calls, environment)
    subject = found.subject
    return tuple(replace(s, case=subject.case, variant=subject.variant) for s in sections)


def _untraced(found: SubjectRun, environment: Environment | None) -> tuple[Section, ...]:
    taken = {m.tag: m for m in found.measurements}
    return (
        _headline(found, taken, None),
        unsplit(),
        *((host_sampled(found.functions),) if found.functions else ()),
        measured(found, {}),
        *host_costs(found),
        checked(found),
        how_known(found, taken, environment),
    )


def _traced(
    found: SubjectRun, timeline: Timeline, calls: Windows, environment: Environment | None
) -> tuple[Section, ...]:
    device: dict[str, Measurement] = device_time(timeline, calls, "eager")
    if found.capture is not None:
        device |= _cold(found.capture, timeline)
    if found.capture is not None and found.capture.replay_window is not None:
        replays = choose(timeline, window=found.capture.replay_window)
        device |= device_time(timeline, replays, "graph")
        found, device = _compared(found, device, timeline, calls, replays)
    taken = {m.tag: m for m in found.measurements} | device
    split = window_table(timeline, calls)
    waits = waits_of(split)
    return (
        _headline(found, taken, _launches_per_call(timeline, calls), waits),
        split if host_alone(timeline) else replace(split, title=SPLIT_TITLE),
        *_host_trees(found, timeline, calls),
        remedies(
            taken,
            found.functions,
            timeline,
            calls,
            lines=tuple(line.frame for line in found.sync_lines),
        ),
        measured(found, device),
        pace_section(taken, pace_of(taken, waits), varied=bool(found.variations)),
        *host_costs(found),
        checked(found),
        how_known(found, taken, environment),
        kernels_of(timeline, calls, known=Known.of(found)),
        Section(title="Profiled pass", findings=_of_trace(found, timeline)),
    )


def host_costs(found: SubjectRun) -> tuple[Section, ...]:
    """Return what was measured of the host's part of a call, with the profiler off."""
    return tuple(
        section
        for section in (
            functions_section(found),
            layers_section(found),
            repetition_section(found),
            variations_section(found),
        )
        if section is not None
    )


def _host_trees(found: SubjectRun, timeline: Timeline, calls: Windows) -> tuple[Section, ...]:
    """Return the host's time twice: as the trace has it, and as samples without a profiler do."""
    traced = host(timeline, calls)
    if found.functions is None:
        return (traced,)
    return replace(traced, findings=()), host_sampled(found.functions)  # the samples answer them


def _headline(
    found: SubjectRun,
    taken: Mapping[str, Measurement],
    launches_per_call: int | None,
    waits: Waits | None = None,
) -> Section:
    """Return the verdict, behind a warning where something disturbed the run."""
    said = verdict(
        taken,
        launches_per_call,
        on_device=not _on_cpu(found),
        threads=found.protocol.threads if found.protocol else None,
        waits=waits,
    )
    return replace(said, findings=(*disturbed(taken), *said.findings))


def _of_trace(found: SubjectRun, timeline: Timeline) -> tuple[Finding, ...]:
    """Return what the trace says of itself; what is withheld says that a CPU has no device."""
    if _on_cpu(found):
        return timeline.findings
    return (*integrity(timeline), *timeline.findings)


def _cold(capture: Capture, timeline: Timeline) -> dict[str, Measurement]:
    """Return device times behind a flush, where both states of the cache were asked for."""
    device: dict[str, Measurement] = {}
    for window, way in ((capture.cold_window, "eager"), (capture.cold_replay_window, "graph")):
        if window is not None:
            device |= device_time(timeline, choose(timeline, window=window), way, state="cold")
    return device


def _compared(
    found: SubjectRun,
    device: dict[str, Measurement],
    timeline: Timeline,
    calls: Windows,
    replays: Windows,
) -> tuple[SubjectRun, dict[str, Measurement]]:
    """Withhold every figure of the graph where its replay runs other kernels than the call."""
    difference = other_kernels(timeline, calls, replays) if kernels_known(timeline) else None
    if difference is None:
        return found, device
    withheld = Withheld(
        tags=tuple(m.tag for m in (*found.measurements, *device.values()) if _of_graph(m)),
        finding=difference,
    )
    kept = tuple(m for m in found.measurements if not _of_graph(m))
    return (
        replace(found, measurements=kept, withheld=(*found.withheld, withheld)),
        {tag: m for tag, m in device.items() if not _of_graph(m)},
    )


def _of_graph(measurement: Measurement) -> bool:
    return measurement.tag.split("/")[1].startswith("graph")


def _on_cpu(found: SubjectRun) -> bool:
    return found.protocol is not None and found.protocol.device == "cpu"


def _launches_per_call(timeline: Timeline, windows: Windows) -> int | None:
    launching = timeline.launches.owns_kernel[windows.call]
    return round(int(launching.sum()) / len(windows)) if len(windows) else None
