"""Graph replays: what each launched, and whether they all did the same."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s, Intervals
from tracelens.model.report import Cell, Column, Finding, Section, Table
from tracelens.model.trace import MISSING, UNKNOWN_NS

_COLUMNS = (
    Column(name="correlation"),
    Column(name="name"),
    Column(name="start_ns", unit="ns"),
    Column(name="kernels", unit="count"),
    Column(name="copies_and_sets", unit="count"),
    Column(name="kernel_sum_ns", unit="ns"),
    Column(name="kernel_busy_ns", unit="ns"),
    Column(name="device_busy_ns", unit="ns"),
    Column(name="span_ns", unit="ns"),
    Column(name="first_latency_ns", unit="ns"),
)


def graphs(timeline: Timeline, _windows: Windows) -> Section:
    """Table every call that launched a graph: one whose name says so, or that owns many pieces."""
    replays = _replays(timeline)
    rows = tuple(_row(timeline, call, pieces) for call, pieces in replays)
    return Section(
        title="Graph launches",
        tables=(Table(tag="graphs", columns=_COLUMNS, rows=rows),) if rows else (),
        findings=_comparison(timeline, replays),
    )


def _replays(timeline: Timeline) -> list[tuple[int, Int64s]]:
    """Return graph launch calls in order of time, each with its pieces in order of time."""
    trace, call = timeline.trace, timeline.launches.call
    linked = np.flatnonzero(call != MISSING)
    owned = linked[np.lexsort((trace.device_work.start_ns[linked], call[linked]))]
    owners, heads, counts = np.unique(call[owned], return_index=True, return_counts=True)
    named = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
    graph = (counts > 1) | named[trace.calls.name[owners]] if len(owners) else counts > 1
    chosen = np.flatnonzero(graph)
    chosen = chosen[np.argsort(trace.calls.start_ns[owners[chosen]], kind="stable")]
    return [(int(owners[i]), owned[heads[i] : heads[i] + counts[i]]) for i in chosen]


def _row(timeline: Timeline, call: int, pieces: Int64s) -> tuple[Cell, ...]:
    work, sound, calls = timeline.trace.device_work, timeline.sound, timeline.trace.calls
    kernels = pieces[timeline.kernels[pieces]]
    placed = pieces[sound.placed[pieces]]
    span = None
    if len(placed):
        span = int(work.end_ns[placed].max() - work.start_ns[placed].min())
    latency = int(sound.latency_ns[pieces[0]])
    return (
        int(calls.correlation[call]),
        timeline.trace.names[calls.name[call]],
        int(calls.start_ns[call]),
        len(kernels),
        len(pieces) - len(kernels),
        int(work.duration_ns[kernels[sound.summed[kernels]]].sum()),
        _busy(timeline, kernels),
        _busy(timeline, pieces),
        span,
        None if latency == UNKNOWN_NS else latency,
    )


def _busy(timeline: Timeline, pieces: Int64s) -> int:
    placed = pieces[timeline.sound.placed[pieces]]
    work = timeline.trace.device_work
    return Intervals.of(work.start_ns[placed], work.end_ns[placed]).length_ns


def _comparison(timeline: Timeline, replays: list[tuple[int, Int64s]]) -> tuple[Finding, ...]:
    """Compare each replay's work with the most frequent replay's.

    Replays of different graphs differ for good reason; one whose work is a strict part of another's
    has lost nodes, or was instantiated anew.
    """
    names, calls = timeline.trace.device_work.name, timeline.trace.calls
    contents = [tuple(sorted(names[pieces].tolist())) for _, pieces in replays]
    if not contents:
        return ()
    usual = Counter(contents)
    findings = []
    for content, count in usual.items():
        whole = next((o for o in usual if usual[o] > count and _is_part(content, o)), None)
        if whole is None:
            continue
        at = contents.index(content)
        findings.append(
            Finding(
                tag="graphs/replays_differ",
                severity="error",
                fact=f"{count} of {count + usual[whole]} replays run {len(content)} nodes where "
                f"the others run the same and more, {len(whole)} in all (correlation "
                f"{int(calls.correlation[replays[at][0]])})",
                advice="records were lost or the graph was instantiated anew: compare only whole "
                "replays",
            )
        )
    return tuple(findings)


def _is_part(content: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Say whether more than half of a replay's nodes, and nothing else, are there."""
    if not len(whole) / 2 <= len(content) < len(whole):
        return False
    return not Counter(content) - Counter(whole)
