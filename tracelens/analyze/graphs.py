"""Graph replays: what each launched, and whether they all did the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import first_rows, reduce_groups
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.report import Cell, Column, Finding, Section, Severity, Table
from tracelens.model.trace import MISSING, UNKNOWN_NS, DeviceWork

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

_MOST_COMPARED = 100
"""Sorts of replay, the most frequent first, that every replay is compared with."""

_MOST_FINDINGS = 5


@dataclass(frozen=True, slots=True, eq=False)
class _Replays:
    """Graph launches in order of time: `call[i]` launched the `pieces` whose `replay` is `i`."""

    call: Int64s
    pieces: Int64s
    replay: Int64s


def graphs(timeline: Timeline, _windows: Windows) -> Section:
    """Table every call that launched a graph: one whose name says so, or that owns many pieces."""
    replays = _replays(timeline)
    rows = _rows(timeline, replays)
    return Section(
        title="Graph launches",
        tables=(Table(tag="graphs", columns=_COLUMNS, rows=rows),) if rows else (),
        findings=_comparison(timeline, replays),
    )


def _replays(timeline: Timeline) -> _Replays:
    trace, call = timeline.trace, timeline.launches.call
    owned = np.bincount(call[timeline.linked], minlength=len(trace.calls))
    named = np.array(["GraphLaunch" in name for name in trace.names], np.bool_)
    graph = (owned > 1) | ((owned == 1) & named[trace.calls.name]) if len(named) else owned > 1
    calls = np.flatnonzero(graph)
    calls = calls[np.argsort(trace.calls.start_ns[calls], kind="stable")]
    number = np.full(len(graph), MISSING, np.int64)
    number[calls] = np.arange(len(calls))
    pieces = np.flatnonzero(timeline.linked)
    pieces = pieces[number[call[pieces]] != MISSING]
    replay = number[call[pieces]]
    order = np.lexsort((trace.device_work.start_ns[pieces], replay))
    return _Replays(calls, pieces[order], replay[order])


def _rows(timeline: Timeline, replays: _Replays) -> tuple[tuple[Cell, ...], ...]:
    work, calls = timeline.trace.device_work, timeline.trace.calls.take(replays.call)
    pieces, replay, count = replays.pieces, replays.replay, len(replays.call)
    kernels, placed = timeline.kernels[pieces], timeline.sound.placed[pieces]
    summed = kernels & timeline.sound.summed[pieces]
    running, computing = _slices(work, replays, placed), _slices(work, replays, placed & kernels)
    lanes = Line.fitted(count, running)
    begun = np.bincount(replay[placed], minlength=count) > 0
    kernel_counts = np.bincount(replay[kernels], minlength=count)
    sums = reduce_groups(np.add, work.duration_ns[pieces[summed]], replay[summed], count, empty=0)
    latency_ns = timeline.sound.latency_ns[pieces[first_rows(replay, count)]]
    columns: tuple[list[Cell], ...] = (
        _known(calls.correlation, MISSING),
        [timeline.trace.names[name] for name in calls.name],
        _known(calls.start_ns, UNKNOWN_NS),
        kernel_counts.tolist(),
        (np.bincount(replay, minlength=count) - kernel_counts).tolist(),
        sums.tolist(),
        lanes.lengths_ns(lanes.place(computing)).tolist(),
        lanes.lengths_ns(lanes.place(running)).tolist(),
        _known(np.where(begun, lanes.ends - lanes.starts, UNKNOWN_NS), UNKNOWN_NS),
        _known(latency_ns, UNKNOWN_NS),
    )
    return tuple(zip(*columns, strict=True))


def _slices(work: DeviceWork, replays: _Replays, rows: Bools) -> Slices:
    pieces = replays.pieces[rows]
    return Slices(replays.replay[rows], work.start_ns[pieces], work.end_ns[pieces])


def _known(column: Int64s, missing: int) -> list[Cell]:
    return [None if value == missing else value for value in column.tolist()]


def _comparison(timeline: Timeline, replays: _Replays) -> tuple[Finding, ...]:
    """Compare each replay's work with the most frequent replays'.

    Replays of different graphs differ for good reason; one whose work is a strict part of another's
    has lost nodes, or was instantiated anew.
    """
    calls = timeline.trace.calls
    contents = _contents(timeline, replays)
    usual = Counter(contents)
    frequent = [content for content, _ in usual.most_common(_MOST_COMPARED)]
    first = {content: at for at, content in reversed(list(enumerate(contents)))}
    findings: list[Finding] = []
    for content, count in usual.items():
        whole = next((o for o in frequent if _explains(usual, o, content)), None)
        if whole is None:
            continue
        # as many of the one as of the other may be two graphs as well
        severity: Severity = "error" if usual[whole] > count else "warning"
        correlation = int(calls.correlation[replays.call[first[content]]])
        findings.append(
            Finding(
                tag="graphs/replays_differ",
                severity=severity,
                fact=f"{count} of {count + usual[whole]} replays run {len(content)} nodes where "
                f"the others run the same and more, {len(whole)} in all"
                f"{'' if correlation == MISSING else f' (correlation {correlation})'}",
                advice="records were lost or the graph was instantiated anew: compare only whole "
                "replays",
            )
        )
    return tuple(findings[:_MOST_FINDINGS])


def _contents(timeline: Timeline, replays: _Replays) -> list[tuple[int, ...]]:
    """Return for each replay the names of what it ran, sorted."""
    names = timeline.trace.device_work.name[replays.pieces]
    order = np.lexsort((names, replays.replay))
    ends = np.cumsum(np.bincount(replays.replay, minlength=len(replays.call))).tolist()
    listed = names[order].tolist()
    return [tuple(listed[low:high]) for low, high in zip([0, *ends], ends, strict=False)]


def _explains(
    usual: Counter[tuple[int, ...]], whole: tuple[int, ...], part: tuple[int, ...]
) -> bool:
    """Say whether a sort of replay may be another one that lost nodes.

    One that is as frequent as what it is a part of must be more than half of it.
    """
    if usual[whole] == usual[part] and 2 * len(part) <= len(whole):
        return False
    return usual[whole] >= usual[part] and _is_part(part, whole)


def _is_part(content: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Say whether at least half of a replay's nodes, and nothing else, are there."""
    if not len(whole) / 2 <= len(content) < len(whole):
        return False
    return not Counter(content) - Counter(whole)
