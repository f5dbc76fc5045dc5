"""The three measurements of a run as metrics: host times with the profiler off, device times,
eager beside graph, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tracelens.analyze.statistics import HIGH, LOW, median, noise, quantile
from tracelens.model.intervals import Int64s
from tracelens.model.measurement import Measurement, Run
from tracelens.model.report import Finding, Metric, Section

_NAMES = {
    "full/eager": "full call, eager",
    "submit/eager": "submit, eager",
    "amortised/eager": "amortised call, eager",
    "full/graph": "full call, graph",
    "submit/graph": "submit, graph",
    "amortised/graph": "amortised call, graph",
    "kernel/eager/busy": "kernels busy, eager",
    "kernel/eager/sum": "kernel sum, eager",
    "kernel/graph/busy": "kernels busy, graph",
    "kernel/graph/sum": "kernel sum, graph",
    "undisturbed/before_first": "before the first kernel",
    "undisturbed/busy": "device busy",
    "undisturbed/between": "idle between kernels",
    "undisturbed/after_last": "after the last kernel",
}
"""Stems that every report has, measured or not; an unknown stem is named by itself."""


def measured(run: Run, device: dict[str, Measurement]) -> Section:
    """Return every quantity of a run: `device` holds those read from the profiled timeline.

    A quantity that was not measured is null; the finding that says why is among the section's.
    """
    taken = {m.tag: m for m in run.measurements} | device
    once = [taken.pop("cold/first_call", None)]
    profiled = taken.pop("full_profiled/eager", None)
    stems = [*_NAMES, *(tag for tag in taken if tag not in _NAMES)]
    metrics: list[Metric] = []
    for stem in stems:
        metrics.extend(_sampled(stem, taken.get(stem)))
    metrics.append(_perturbation(taken.get("full/eager"), profiled))
    metrics.append(_first_call(once[0]))
    metrics.append(_check(run))
    metrics.extend(_derived(taken))
    return Section(
        title="Measurements",
        metrics=tuple(metrics),
        findings=(*(withheld.finding for withheld in run.withheld), *_ended_early(run, metrics)),
    )


def _sampled(stem: str, taken: Measurement | None) -> Iterator[Metric]:
    name = _NAMES.get(stem, stem)
    samples: Int64s = np.array(taken.samples_ns if taken else (), np.int64)
    includes = taken.includes if taken else "not measured"
    if taken and taken.clock:
        includes += f" ({taken.cache_state} cache)" if taken.cache_state else ""
    for figure, value in (
        ("median", median(samples)),
        ("q20", quantile(samples, LOW)),
        ("q80", quantile(samples, HIGH)),
    ):
        yield Metric(
            tag=f"{stem}/{figure}",
            name=name,
            value=value,
            unit="ns",
            description=includes,
            noise=noise(samples) if figure == "median" else None,
        )
    yield Metric(
        tag=f"{stem}/samples",
        name=f"{name}: samples",
        value=len(samples),
        unit="count",
        description=f"each over {taken.batch} calls" if taken else "not measured",
    )


def _perturbation(off: Measurement | None, on: Measurement | None) -> Metric:
    base = median(off.samples_ns) if off else None
    disturbed = median(on.samples_ns) if on else None
    return Metric(
        tag="perturbation/cpu_cuda",
        name="perturbation",
        value=disturbed / base if base and disturbed is not None else None,
        unit="ratio",
        description="full call with the profiler on / off: never compare host times across it",
    )


def _first_call(cold: Measurement | None) -> Metric:
    return Metric(
        tag="cold/first_call",
        name="first call",
        value=cold.samples_ns[0] if cold else None,
        unit="ns",
        description=cold.includes if cold else "not measured",
    )


def _check(run: Run) -> Metric:
    check = run.check
    meaning = "no reference in the op file: the result was not checked"
    if check is None:
        meaning = "not measured"
    elif check.status == "passed":
        meaning = f"largest |result - reference|, within atol {check.atol} and rtol {check.rtol}"
    return Metric(
        tag="check/max_abs_error",
        name="largest error",
        value=check.max_abs_error if check else None,
        unit="1",
        description=meaning,
    )


def _derived(taken: dict[str, Measurement]) -> Iterator[Metric]:
    """Differences of medians from different experiments: each carries its formula."""
    middle = {tag: median(m.samples_ns) for tag, m in taken.items()}
    for tag, name, minuend, subtrahend in (
        ("derived/graph_removes", "host cost removed by the graph", "full/eager", "full/graph"),
        ("derived/graph_fixed", "fixed cost of launch and sync", "full/graph", "device/graph/busy"),
    ):
        a, b = middle.get(minuend), middle.get(subtrahend)
        yield Metric(
            tag=tag,
            name=name,
            value=a - b if a is not None and b is not None else None,
            unit="ns",
            description=f"{minuend} - {subtrahend}, medians",
        )


def _ended_early(run: Run, metrics: list[Metric]) -> tuple[Finding, ...]:
    """Say why figures are null where the run failed before it reached them."""
    if run.failure is None:
        return ()
    missing = sum(
        1 for metric in metrics if metric.tag.endswith("/median") and metric.value is None
    )
    return (
        Finding(
            tag="run/ended_early",
            severity="error",
            fact=f"the run ended during {run.failure.stage!r}: {run.failure.fact} "
            f"({missing} quantities were not measured; what stands here was measured before)",
            advice=run.failure.hint,
        ),
    )
