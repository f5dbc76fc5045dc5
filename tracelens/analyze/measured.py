"""The three measurements of a run as metrics: host times with the profiler off, device times,
eager beside graph, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tracelens.analyze.checked import largest_error
from tracelens.analyze.cold import cold_path, is_cold
from tracelens.analyze.instruments import CLOCK_TAG
from tracelens.analyze.rates import above_ceiling, rates, unrated
from tracelens.analyze.statistics import HIGH, LOW, median, noise, quantile
from tracelens.model.intervals import Int64s
from tracelens.model.measurement import Measurement, SubjectRun
from tracelens.model.report import Finding, Metric, Section

_NAMES = {
    "full/eager": "full call, eager",
    "submit/eager": "submit, eager",
    "amortised/eager": "amortised call, eager",
    "full/graph": "full call, graph",
    "submit/graph": "submit, graph",
    "amortised/graph": "amortised call, graph",
    "device/eager/busy": "device busy, eager",
    "device/graph/busy": "device busy, graph",
    "kernel/eager/busy": "kernel busy, eager",
    "kernel/eager/sum": "kernel sum, eager",
    "kernel/graph/busy": "kernel busy, graph",
    "kernel/graph/sum": "kernel sum, graph",
    "undisturbed/before_first": "before the first kernel",
    "undisturbed/busy": "device busy",
    "undisturbed/between": "idle between kernels",
    "undisturbed/after_last": "after the last kernel",
    "undisturbed/full": "full call",
    "undisturbed/full_off": "full call, without records",
    "full_profiled/eager": "full call, profiler on",
}
"""Stems that every report has, measured or not; an unknown stem is named by itself."""


def measured(run: SubjectRun, device: dict[str, Measurement]) -> Section:
    """Return every quantity of a subject: `device` holds those read from the profiled timeline.

    A quantity that was not measured is null; the finding that says why is among the section's.
    """
    taken = {m.tag: m for m in run.measurements} | device
    profiled = taken.get("full_profiled/eager")
    single = [tag for tag in taken if is_cold(tag) or tag == CLOCK_TAG]
    stems = [*_NAMES, *(tag for tag in taken if tag not in (*_NAMES, *single))]
    metrics: list[Metric] = []
    for stem in stems:
        metrics.extend(_sampled(stem, taken.get(stem)))
    metrics.append(_perturbation(taken.get("full/eager"), profiled))
    metrics.extend(cold_path(taken, run.withheld))
    metrics.append(largest_error(run.check))
    on_cpu = run.protocol is not None and run.protocol.device == "cpu"
    metrics.extend(rates(run.work, taken, run.ceilings, on_cpu=on_cpu))
    metrics.extend(_derived(taken))
    return Section(
        title="Measurements",
        metrics=(*metrics, *_protocol(run)),
        findings=(
            *(withheld.finding for withheld in run.withheld),
            *_unread(run, metrics),
            *unrated(run.work, taken, on_cpu=on_cpu),
            *above_ceiling(metrics),
            *_ended_early(run, metrics),
        ),
    )


def _sampled(stem: str, taken: Measurement | None) -> Iterator[Metric]:
    name = _NAMES.get(stem, stem)
    samples: Int64s = np.array(taken.samples_ns if taken else (), np.int64)
    includes = taken.includes if taken else "not measured"
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
        description="full call, profiler on / off",
    )


def _derived(taken: dict[str, Measurement]) -> Iterator[Metric]:
    """Yield differences of medians from different experiments, each with its formula.

    There is none where one of the two was not measured: that says so itself.
    """
    middle = {tag: median(m.samples_ns) for tag, m in taken.items()}
    for tag, name, minuend, subtrahend in (
        ("derived/graph_removes", "host cost removed by the graph", "full/eager", "full/graph"),
        ("derived/graph_fixed", "fixed cost of launch and sync", "full/graph", "device/graph/busy"),
    ):
        a, b = middle.get(minuend), middle.get(subtrahend)
        if a is not None and b is not None:
            yield Metric(
                tag=tag,
                name=name,
                value=a - b,
                unit="ns",
                description=f"{minuend} - {subtrahend}, medians",
            )


def _protocol(run: SubjectRun) -> Iterator[Metric]:
    """State how the run was taken: what a number means depends on every one of these."""
    if run.protocol is None:
        return
    for tag, name, unit in (
        ("device", "on", ""),
        ("threads", "CPU threads", "count"),
        ("cores", "spread over cores", "count"),
        ("cache_state", "cache", ""),
        ("grad_mode", "grad mode", ""),
        ("mode", "one call is", ""),
        ("samples", "full calls wanted", "count"),
        ("batch", "calls per batch at most", "count"),
        ("warmup_calls", "warm-up calls", "count"),
        ("warmup_ns", "warm-up", "ns"),
        ("head_calls", "profiled calls discarded", "count"),
        ("profiled_calls", "profiled calls wanted", "count"),
        ("seed", "seed", ""),
        ("garbage_collection", "garbage collection", ""),
        ("clock", "clock", ""),
    ):
        value = getattr(run.protocol, tag)
        if value is not None:
            yield Metric(
                tag=f"protocol/{tag}",
                name=name,
                value=value,
                unit=unit,
                description="protocol of the run",
            )


def _unread(run: SubjectRun, metrics: list[Metric]) -> tuple[Finding, ...]:
    """Say why kernel times are null where the op did run on a device, and to its end."""
    explained = {f"{tag}/median" for withheld in run.withheld for tag in withheld.tags}
    missing = [
        metric.tag
        for metric in metrics
        if metric.tag.startswith("kernel/") and metric.tag.endswith("/median")
        if metric.value is None and metric.tag not in explained
    ]
    if run.failure is not None or not missing:
        return ()
    return (
        Finding(
            tag="kernel/not_read",
            severity="warning",
            fact=f"no kernel times could be read from a profiled pass: {', '.join(missing)} are "
            "unknown, not zero",
            advice="see the findings on the profiled pass",
        ),
    )


def _ended_early(run: SubjectRun, metrics: list[Metric]) -> tuple[Finding, ...]:
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
