"""What a careful reader of the timeline would point at: artefacts, outliers, queues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tracelens.analyze.grouping import rank, reduce_groups
from tracelens.analyze.statistics import Samples
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.cut import cut
from tracelens.model.intervals import Bools, Int64s, Intervals
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding, Section
from tracelens.model.trace import MISSING, UNKNOWN_NS, Records, Spans

_OUTLIER_FACTOR = 100
"""A call this many times the median of its kernel is no spread: something else was waited for."""

_LOADING = ("Module Loading", "Function Loading")
"""What kineto calls the overheads of code that is loaded when it is first launched."""

_LOADING_CALLS = ("ModuleLoad", "LibraryLoad")
"""In the names of the API calls that load code, CUDA's and HIP's, also from inside a launch."""

_MOST = 0.5

_WORTH_SAYING = 0.01
"""Overhead inside launch calls below this share of them is not worth a line."""

_NAME_LENGTH = 80


def notable(timeline: Timeline, _windows: Windows) -> Section:
    """Point at what distorts the figures of this trace."""
    found = (finding for check in _CHECKS for finding in check(timeline))
    return Section(title="Notable", findings=tuple(found))


def _overhead(timeline: Timeline) -> tuple[Finding, ...]:
    overheads = timeline.trace.overheads
    usable = (overheads.duration_ns > 0) & (overheads.start_ns != UNKNOWN_NS)
    loading = _named(timeline, overheads, _LOADING)
    loads = timeline.calls_union(_named(timeline, timeline.trace.calls, _LOADING_CALLS))
    outermost = np.zeros(len(timeline.trace.calls), np.bool_)
    outermost[timeline.launches.outermost[timeline.kernel_launches]] = True
    launches = np.flatnonzero(outermost & timeline.sound.calls)
    return (
        *_profiling(timeline, overheads.take(usable & ~loading), launches),
        *_loading(timeline, _held(overheads.take(usable & loading)).union(loads), launches),
    )


def _named(timeline: Timeline, records: Records, words: tuple[str, ...]) -> Bools:
    """Mark the records with one of these words in their name."""
    names = np.array([any(word in n for word in words) for n in timeline.trace.names], np.bool_)
    return names[records.name] if len(names) else np.zeros(len(records), np.bool_)


def _held(spans: Spans) -> Intervals:
    return Intervals.of(spans.start_ns, spans.end_ns)


def _profiling(timeline: Timeline, overheads: Spans, launches: Int64s) -> tuple[Finding, ...]:
    inside_ns, total_ns = _overlap(timeline, _held(overheads), launches)
    calls = timeline.trace.calls.take(launches)
    launch_ns = Intervals.of(calls.start_ns, calls.end_ns).length_ns
    if total_ns <= _WORTH_SAYING * launch_ns:
        return ()
    worst = int(np.argmax(inside_ns))
    begun, over = int(calls.start_ns[worst]), int(calls.end_ns[worst])
    met = (overheads.start_ns < over) & (overheads.end_ns > begun)
    kinds = sorted({_short(timeline.trace.names[i]) for i in overheads.name[met]})
    correlation = int(calls.correlation[worst])
    return (
        Finding(
            tag="profiler/overhead",
            severity="warning",
            fact=f"launch{'' if correlation == MISSING else f' {correlation}'} overlaps "
            f"{spell_ns(int(inside_ns[worst]))} of profiler overhead ({', '.join(kinds)}); launch "
            f"calls without all of it: {spell_ns(launch_ns - total_ns)} of {spell_ns(launch_ns)}",
            advice="this time is the profiler's, not the op's: look at the median call, and warm "
            "the profiler up with a few calls",
        ),
    )


def _loading(timeline: Timeline, loads: Intervals, launches: Int64s) -> tuple[Finding, ...]:
    inside_ns, total_ns = _overlap(timeline, loads, launches)
    cold = np.flatnonzero(inside_ns)
    if len(cold) == 0:
        return ()
    first = int(np.argmin(timeline.trace.calls.start_ns[launches]))
    only_first = len(cold) == 1 and cold[0] == first
    subject = (
        "first launch includes"
        if only_first
        else f"{len(cold)} {'launch includes' if len(cold) == 1 else 'launches include'}"
    )
    return (
        Finding(
            tag="launch/module_loading",
            severity="warning",
            fact=f"{subject} {spell_ns(total_ns)} of module/function loading",
            advice="warm the op up before the session: this is its cold path",
        ),
    )


def _overlap(timeline: Timeline, held: Intervals, launches: Int64s) -> tuple[Int64s, int]:
    """Return how much of some time lies in each of some launch calls, and in all of them."""
    calls = timeline.trace.calls
    starts, ends = calls.start_ns[launches], calls.end_ns[launches]
    inside_ns = held.lengths_within(starts, ends)
    return inside_ns, held.intersect(Intervals.of(starts, ends)).length_ns


def _outliers(timeline: Timeline) -> tuple[Finding, ...]:
    """Name the kernel whose longest call is furthest from its median."""
    work = timeline.trace.device_work
    rows = np.flatnonzero(timeline.kernels & timeline.sound.summed)
    if len(rows) == 0:
        return ()
    names, count = rank(work.name[rows])
    durations = work.duration_ns[rows]
    samples = Samples.of(durations, names, count)
    middles = np.maximum(np.array(samples.median(), np.int64), 1)
    longest = reduce_groups(np.maximum, durations, names, count, empty=0)
    factors = longest / middles  # below 2 for a kernel that ran once or twice
    worst = int(np.argmax(factors))
    if factors[worst] < _OUTLIER_FACTOR:
        return ()
    middle, slowest = int(middles[worst]), int(longest[worst])
    far = int((durations[names == worst] >= _OUTLIER_FACTOR * middle).sum())
    name = timeline.trace.names[work.name[rows[names == worst][0]]]
    return (
        Finding(
            tag="kernels/outlier",
            severity="warning",
            fact=f"outlier: {far} of {samples.counts[worst]} calls of {_short(name)!r} "
            f"{'is' if far == 1 else 'are up to'} {round(slowest / middle)}x the median "
            f"({spell_ns(slowest)} against {spell_ns(middle)})",
            advice="use the median: a collective that waits for a late rank, or a cold call, says "
            "nothing of the kernel",
        ),
    )


def _queueing(timeline: Timeline) -> tuple[Finding, ...]:
    """Say so where launches are late because the device is busy, not because launching is slow.

    Queueing must be most of the latency, and the device busy for most of its span: a burst that
    queues behind itself in an idle device is the host's doing.
    """
    latency_ns, queue_ns = timeline.sound.latency_ns, timeline.queue_ns
    rows = timeline.kernels & timeline.steady_latency
    if rows.sum() < 3:
        return ()
    shortest, longest = int(latency_ns[rows].min()), int(latency_ns[rows].max())
    share = float(queue_ns[rows].sum()) / max(float(latency_ns[rows].sum()), 1.0)
    busy = timeline.union(timeline.kernels)
    span_ns = int(busy.ends[-1] - busy.starts[0]) if len(busy) else 0
    if share < _MOST or longest < 2 * shortest or busy.length_ns < _MOST * span_ns:
        return ()
    return (
        Finding(
            tag="launch/queueing",
            severity="info",
            fact=f"launch latency grows from {spell_ns(shortest)} to {spell_ns(longest)}: "
            f"{spell_share(share)} of it is queueing behind earlier kernels (GPU-bound), "
            "not launch overhead",
            advice="the host runs ahead of the device: make the kernels faster",
        ),
    )


def _short(name: str) -> str:
    """Return a name that fits in a sentence: some are a megabyte."""
    return cut(name, _NAME_LENGTH)


_CHECKS: tuple[Callable[[Timeline], tuple[Finding, ...]], ...] = (_overhead, _outliers, _queueing)
