"""What a careful reader of the timeline would point at: artefacts, outliers, queues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tracelens.analyze.grouping import first_of_group
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.duration import spell_ns
from tracelens.model.intervals import Bools, Intervals
from tracelens.model.report import Finding, Section
from tracelens.model.trace import UNKNOWN_NS

_OUTLIER_FACTOR = 100
"""A call this many times the median of its kernel is no spread: something else was waited for."""

_LOADING = ("Module Loading", "Function Loading")
"""What kineto calls the overheads of code that is loaded when it is first launched."""

_WORTH_SAYING = 0.01
"""Overhead inside launch calls below this share of them is not worth a line."""


def notable(timeline: Timeline, _windows: Windows) -> Section:
    """Point at what distorts the figures of this trace."""
    found = (finding for check in _CHECKS for finding in check(timeline))
    return Section(title="Notable", findings=tuple(found))


def _overhead(timeline: Timeline) -> tuple[Finding, ...]:
    names = np.array([any(word in n for word in _LOADING) for n in timeline.trace.names], np.bool_)
    overheads = timeline.trace.overheads
    loading = names[overheads.name] if len(names) else np.zeros(len(overheads), np.bool_)
    return (*_inside_launches(timeline, ~loading), *_loading(timeline, loading))


def _inside_launches(timeline: Timeline, rows: Bools) -> tuple[Finding, ...]:
    inside, total = _overlap(timeline, rows)
    calls = timeline.trace.calls
    launch_ns = timeline.calls_union(timeline.kernel_launches).length_ns
    if total <= _WORTH_SAYING * launch_ns:
        return ()
    worst = int(np.argmax(inside))
    kinds = sorted({timeline.trace.names[i] for i in timeline.trace.overheads.name[rows]})
    return (
        Finding(
            tag="profiler/overhead",
            severity="warning",
            fact=f"launch {int(calls.correlation[worst])} overlaps {spell_ns(int(inside[worst]))} "
            f"of profiler overhead ({', '.join(kinds)}); launch calls without all of it: "
            f"{spell_ns(launch_ns - total)} of {spell_ns(launch_ns)}",
            advice="this time is the profiler's, not the op's: look at the median call, and warm "
            "the profiler up with a few calls",
        ),
    )


def _loading(timeline: Timeline, rows: Bools) -> tuple[Finding, ...]:
    inside, total = _overlap(timeline, rows)
    if total == 0:
        return ()
    launches = int((inside > 0).sum())
    first = int(np.flatnonzero(inside)[np.argmin(timeline.trace.calls.start_ns[inside > 0])])
    is_first = timeline.trace.calls.start_ns[first] == np.min(
        timeline.trace.calls.start_ns[timeline.kernel_launches & timeline.sound.calls]
    )
    subject = (
        "first launch includes" if launches == 1 and is_first else f"{launches} launches include"
    )
    return (
        Finding(
            tag="launch/module_loading",
            severity="warning",
            fact=f"{subject} {spell_ns(total)} of module/function loading",
            advice="warm the op up before the session: this is its cold path",
        ),
    )


def _overlap(
    timeline: Timeline, rows: Bools
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    """Return how much of some overheads lies in each kernel launch call, and in all of them."""
    overheads, calls = timeline.trace.overheads, timeline.trace.calls
    rows = rows & (overheads.duration_ns > 0) & (overheads.start_ns != UNKNOWN_NS)
    held = Intervals.of(overheads.start_ns[rows], overheads.end_ns[rows])
    launching = timeline.kernel_launches & timeline.sound.calls
    inside = np.where(launching, held.lengths_within(calls.start_ns, calls.end_ns), 0)
    return inside, held.intersect(timeline.calls_union(launching)).length_ns


def _outliers(timeline: Timeline) -> tuple[Finding, ...]:
    """Name the kernel whose longest call is furthest from its median."""
    work = timeline.trace.device_work
    rows = np.flatnonzero(timeline.kernels & timeline.sound.summed)
    rows = rows[np.lexsort((work.duration_ns[rows], work.name[rows]))]
    if len(rows) == 0:
        return ()
    heads = np.flatnonzero(first_of_group(work.name[rows]))
    tails = np.concatenate((heads[1:], [len(rows)]))
    middles = work.duration_ns[rows[(heads + tails - 1) // 2]]
    factors = work.duration_ns[rows[tails - 1]] / np.maximum(middles, 1)
    factors[tails - heads < 3] = 0
    worst = int(np.argmax(factors))
    if factors[worst] < _OUTLIER_FACTOR:
        return ()
    durations = work.duration_ns[rows[heads[worst] : tails[worst]]]
    middle = median(durations) or 1
    far = int((durations >= _OUTLIER_FACTOR * middle).sum())
    return (
        Finding(
            tag="kernels/outlier",
            severity="warning",
            fact=f"outlier: {far} of {len(durations)} calls of "
            f"{timeline.trace.names[work.name[rows[heads[worst]]]]!r} "
            f"{'is' if far == 1 else 'are up to'} {round(int(durations[-1]) / middle)}x the "
            f"median ({spell_ns(int(durations[-1]))} against {spell_ns(middle)})",
            advice="use the median: a collective that waits for a late rank, or a cold call, says "
            "nothing of the kernel",
        ),
    )


def _queueing(timeline: Timeline) -> tuple[Finding, ...]:
    """Say so where launches are late because the device is busy, not because launching is slow."""
    latency_ns, queue_ns = timeline.sound.latency_ns, timeline.queue_ns
    rows = timeline.kernels & (queue_ns != UNKNOWN_NS) & timeline.launches.first_of_call
    if rows.sum() < 3:
        return ()
    shortest, longest = int(latency_ns[rows].min()), int(latency_ns[rows].max())
    share = float(queue_ns[rows].sum()) / max(float(latency_ns[rows].sum()), 1.0)
    if share < 0.5 or longest < 2 * shortest:
        return ()
    return (
        Finding(
            tag="launch/queueing",
            severity="info",
            fact=f"launch latency grows from {spell_ns(shortest)} to {spell_ns(longest)}: "
            f"{share:.0%} of it is queueing behind earlier kernels (GPU-bound), not launch "
            "overhead",
            advice="the host runs ahead of the device: make the kernels faster",
        ),
    )


_CHECKS: tuple[Callable[[Timeline], tuple[Finding, ...]], ...] = (_overhead, _outliers, _queueing)
