"""Which stretches of a trace are looked at, and which device work each of them owns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tracelens.analyze.grouping import fold, opening_order, spread
from tracelens.analyze.timeline import Timeline
from tracelens.errors import UsageError
from tracelens.model.cut import cut
from tracelens.model.intervals import Bools, Int64s, Ints
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING

CALL_NAME = "tracelens::call"
"""The annotation that this project's own recordings put around each call of the op."""

WHOLE_TRACE = "whole trace"

_STEP = re.compile(r"ProfilerStep#\d+\Z")

_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Stretches `[starts[i], ends[i])` of one kind, in order of their start.

    A *call* window is one call of the op: device work belongs to it by its launch call. A *time*
    window is a stretch of time to which all device work is clipped. `threads` and `processes` say
    whose window it is, or hold -1 for the whole trace.

    The owner arrays are pairs: the window `piece_window[k]` owns the device work `piece[k]`, and
    the window `call_window[k]` owns the launch call `call[k]`.
    """

    kind: Literal["call", "time"]
    names: tuple[str, ...]
    starts: Int64s
    ends: Int64s
    processes: Int64s
    threads: Int64s
    piece: Int64s
    piece_window: Int64s
    call: Int64s
    call_window: Int64s
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.starts)

    def only(self, chosen: Sequence[int]) -> Windows:
        """Return these windows alone, numbered in this order, with what they own."""
        rows = np.array(chosen, np.int64)
        number = np.full(len(self), MISSING, np.int64)
        number[rows] = np.arange(len(rows))
        pieces, calls = (number[of] != MISSING for of in (self.piece_window, self.call_window))
        return Windows(
            kind=self.kind,
            names=tuple(self.names[row] for row in rows.tolist()),
            starts=self.starts[rows],
            ends=self.ends[rows],
            processes=self.processes[rows],
            threads=self.threads[rows],
            piece=self.piece[pieces],
            piece_window=number[self.piece_window[pieces]],
            call=self.call[calls],
            call_window=number[self.call_window[calls]],
            findings=self.findings,
        )


def choose(
    timeline: Timeline, *, window: str | None = None, time_window: str | None = None
) -> Windows:
    """Return the windows asked for, or the ones that this trace offers.

    Without a name: call windows `tracelens::call` if there are any, else `ProfilerStep#N` as time
    windows, else the whole trace. A name also stands for its numbered forms: `ProfilerStep` for
    `ProfilerStep#0`, `ProfilerStep#1` and so on.

    Raises UsageError where both are given, or where no annotation has the name.
    """
    if window is not None and time_window is not None:
        raise UsageError(
            "both a call window and a time window were asked for; one trace is split one way",
            "give either --window or --time-window",
        )
    if window is not None:
        return _call_windows(timeline, _named(timeline, window))
    if time_window is not None:
        return _time_windows(timeline, _named(timeline, time_window))
    names = timeline.trace.names
    calls = _annotations(timeline, [name == CALL_NAME for name in names])
    if len(calls):
        return _call_windows(timeline, calls)
    steps = _annotations(timeline, [_STEP.match(name) is not None for name in names])
    if len(steps):
        return _time_windows(timeline, steps)
    return _whole(timeline)


def _annotations(timeline: Timeline, wanted: list[bool]) -> Int64s:
    annotations = timeline.trace.annotations
    if not any(wanted):
        return np.empty(0, np.int64)
    rows = np.flatnonzero(np.array(wanted)[annotations.name] & timeline.sound.annotations)
    return rows[np.argsort(annotations.start_ns[rows], kind="stable")]


def _named(timeline: Timeline, wanted: str) -> Int64s:
    numbered = re.compile(re.escape(wanted) + r"(#\d+)?\Z")
    names = timeline.trace.names
    rows = _annotations(timeline, [numbered.match(name) is not None for name in names])
    if len(rows) == 0:
        present = sorted({names[i] for i in np.unique(timeline.trace.annotations.name)})
        shown = ", ".join(repr(cut(name, 60)) for name in present[:_NAMES_SHOWN])
        more = len(present) - _NAMES_SHOWN
        raise UsageError(
            f"no annotation on a host thread is named {wanted!r}",
            f"name one of: {shown}{f' and {more} more' if more > 0 else ''}"
            if present
            else "this trace has no annotations; leave the option out for the whole trace",
        )
    return rows


def _whole(timeline: Timeline) -> Windows:
    start_ns, end_ns = timeline.extent
    pieces = np.arange(len(timeline.trace.device_work))
    calls = np.flatnonzero(_launching(timeline))
    return Windows(
        kind="time",
        names=(WHOLE_TRACE,),
        starts=np.array([start_ns]),
        ends=np.array([end_ns]),
        processes=np.array([-1]),
        threads=np.array([-1]),
        piece=pieces,
        piece_window=np.zeros_like(pieces),
        call=calls,
        call_window=np.zeros_like(calls),
    )


def _launching(timeline: Timeline) -> Bools:
    """Mark the calls that have something in flight: owners of device work, and lost launches."""
    launches = timeline.launches
    return (launches.owns_work | launches.lost) & timeline.sound.begun


def _time_windows(timeline: Timeline, rows: Int64s) -> Windows:
    annotations = timeline.trace.annotations
    return _owning(timeline, "time", rows, annotations.end_ns[rows], ())


def _call_windows(timeline: Timeline, rows: Int64s) -> Windows:
    rows, nested = _outer(timeline, rows)
    ends, findings = _extended(timeline, rows)
    if nested:
        findings = (*findings, _nesting(nested))
    return _owning(timeline, "call", rows, ends, findings)


def _outer(timeline: Timeline, rows: Int64s) -> tuple[Int64s, int]:
    """Drop windows that lie inside another of the same thread: the outer one is the call."""
    annotations, thread = timeline.trace.annotations, timeline.threads.of_annotation[rows]
    ends = annotations.end_ns[rows]
    order = opening_order(thread, annotations.start_ns[rows], annotations.duration_ns[rows])
    (closes,) = fold((thread[order], ends[order]))
    reached = np.maximum.accumulate(closes)
    opens = np.concatenate(([True], closes[1:] > reached[:-1]))
    outer = np.sort(order[opens])
    return rows[outer], len(rows) - len(outer)


def _extended(timeline: Timeline, rows: Int64s) -> tuple[Int64s, tuple[Finding, ...]]:
    """End each window with the first sync call after it, if every window has one of its own."""
    annotations, calls = timeline.trace.annotations, timeline.trace.calls
    ends, thread = annotations.end_ns[rows], timeline.threads.of_annotation[rows]
    order = np.lexsort((annotations.start_ns[rows], thread))
    following = np.full(len(rows), np.iinfo(np.int64).max)
    same = thread[order][1:] == thread[order][:-1]
    following[order[:-1][same]] = annotations.start_ns[rows][order[1:][same]]
    syncs = np.flatnonzero(timeline.sync_calls & timeline.sound.calls)
    sync_thread = timeline.threads.of_call[syncs]
    by_time = np.lexsort((calls.start_ns[syncs], sync_thread))
    syncs, sync_thread = syncs[by_time], sync_thread[by_time]
    begun, over = fold((sync_thread, calls.start_ns[syncs]), (thread, ends))
    at = np.searchsorted(begun, over, side="left")
    own = np.zeros(len(rows), np.bool_)
    inside = at < len(syncs)
    own[inside] = (sync_thread[at[inside]] == thread[inside]) & (
        calls.start_ns[syncs[at[inside]]] < following[inside]
    )
    if own.all():
        return calls.end_ns[syncs[at]], ()
    if not len(timeline.trace.device_work) and not timeline.launches.lost.any():
        return ends, ()  # nothing was launched: there is nothing to wait for
    return ends, (_unsynchronised(int((~own).sum()), len(rows)),)


def _owning(
    timeline: Timeline,
    kind: Literal["call", "time"],
    rows: Int64s,
    ends: Int64s,
    findings: tuple[Finding, ...],
) -> Windows:
    annotations = timeline.trace.annotations
    starts, annotation_ends = annotations.start_ns[rows], annotations.end_ns[rows]
    processes = annotations.process[rows].astype(np.int64)
    threads = timeline.threads.of_annotation[rows]
    call, call_window = _owned_calls(timeline, starts, annotation_ends, processes, threads)
    piece, piece_window = _owned_pieces(timeline, call, call_window)
    return Windows(
        kind=kind,
        names=tuple(timeline.trace.names[i] for i in annotations.name[rows]),
        starts=starts,
        ends=ends,
        processes=processes,
        threads=threads,
        piece=piece,
        piece_window=piece_window,
        call=call,
        call_window=call_window,
        findings=findings,
    )


def _owned_calls(
    timeline: Timeline, starts: Int64s, ends: Int64s, processes: Int64s, threads: Int64s
) -> tuple[Int64s, Int64s]:
    """Pair the launch calls that begin inside an annotation with its window.

    Those of any thread of its process, but a thread with windows of its own keeps its own.
    """
    calls, of_call = timeline.trace.calls, timeline.threads.of_call
    rows = np.flatnonzero(_launching(timeline))
    has_own = np.zeros(timeline.threads.count, np.bool_)
    has_own[threads] = True
    own, helping = rows[has_own[of_call[rows]]], rows[~has_own[of_call[rows]]]
    own_at, own_window = _begun_inside(
        of_call[own], calls.start_ns[own], threads, starts=starts, ends=ends
    )
    helping_at, helped = _begun_inside(
        calls.process[helping], calls.start_ns[helping], processes, starts=starts, ends=ends
    )
    call = np.concatenate((own[own_at], helping[helping_at]))
    return call, np.concatenate((own_window, helped))


def _begun_inside(
    places: Ints, begun_ns: Int64s, window_places: Int64s, *, starts: Int64s, ends: Int64s
) -> tuple[Int64s, Int64s]:
    """Pair calls with the windows of the same place, a thread or a process, that they begin in."""
    begun, opens, closes = fold((places, begun_ns), (window_places, starts), (window_places, ends))
    order = np.argsort(begun, kind="stable")
    low = np.searchsorted(begun[order], opens, side="left")
    high = np.searchsorted(begun[order], closes, side="left")
    window, nth = spread(low, high - low)
    return order[nth], window


def _owned_pieces(timeline: Timeline, call: Int64s, call_window: Int64s) -> tuple[Int64s, Int64s]:
    linked = np.flatnonzero(timeline.linked)
    by_call = linked[np.argsort(timeline.launches.call[linked], kind="stable")]
    owners = timeline.launches.call[by_call]
    low = np.searchsorted(owners, call, side="left")
    high = np.searchsorted(owners, call, side="right")
    pair, nth = spread(low, high - low)
    return by_call[nth], call_window[pair]


def _unsynchronised(count: int, total: int) -> Finding:
    return Finding(
        tag="windows/unsynchronised",
        severity="warning",
        fact=f"{count} of {total} call windows have no sync call of their own after them, so none "
        "is extended: each ends with its annotation, and device work may run past it",
        advice="record with a synchronize after each annotated call",
    )


def _nesting(count: int) -> Finding:
    return Finding(
        tag="windows/nested",
        severity="info",
        fact=f"{count} windows of this name lie inside another one on the same thread: the outer "
        "one is the call",
        advice="name the inner stretch differently to look at it alone",
    )
