"""Launch time that a window spends queued behind the work of another window."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import group, spread
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.sight import Sight
from tracelens.model.intervals import Int64s, Intervals
from tracelens.model.trace import UNKNOWN_NS


def queued_behind_others(sight: Sight) -> Intervals:
    """When a launch of the window is in flight on a stream that works for somebody else.

    The set is on the line of windows. Each window is looked at stream by stream: a slot for every
    pair of a window and a stream that it has launches in flight on.
    """
    timeline, windows = sight.timeline, sight.windows
    work, sound = timeline.trace.device_work, timeline.sound
    streams, lanes, busy = timeline.streams
    window, stream, starts, ends = _flights(sight, streams, lanes)
    own = sound.placed[windows.piece]
    piece, owner = windows.piece[own], windows.piece_window[own]
    pairs, count = group(np.concatenate((window, owner)), np.concatenate((stream, streams[piece])))
    if count == 0:
        return Intervals.none()
    flying, owned = pairs[: len(window)], pairs[len(window) :]
    window_of, stream_of = np.zeros(count, np.int64), np.zeros(count, np.int64)
    window_of[flying], stream_of[flying] = window, stream
    window_of[owned], stream_of[owned] = owner, streams[piece]
    line = Line.of(windows.starts[window_of], windows.ends[window_of])
    in_flight = line.place(Slices(flying, starts, ends))
    for_anybody = line.place(lanes.look(busy, slots=stream_of, starts=line.starts, ends=line.ends))
    for_itself = line.place(Slices(owned, work.start_ns[piece], work.end_ns[piece]))
    queued = line.lift(in_flight.intersect(for_anybody.subtract(for_itself)))
    return sight.line.place(Slices(window_of[queued.slots], queued.starts, queued.ends))


def _flights(sight: Sight, streams: Int64s, lanes: Line) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return (window, stream, start, end) of launches in flight that each window sees."""
    timeline, windows = sight.timeline, sight.windows
    work, latency_ns = timeline.trace.device_work, timeline.sound.latency_ns
    flying = timeline.sound.placed & (latency_ns != UNKNOWN_NS) & (latency_ns > 0)
    begun = work.start_ns - latency_ns
    if windows.kind == "call":
        mine = flying[windows.piece]
        piece = windows.piece[mine]
        return windows.piece_window[mine], streams[piece], begun[piece], work.start_ns[piece]
    merged = lanes.lift(lanes.place(Slices(streams[flying], begun[flying], work.start_ns[flying])))
    # Windows are in order of their start; behind the running maximum of their ends, those that a
    # flight can meet stand side by side.
    low = np.searchsorted(np.maximum.accumulate(windows.ends), merged.starts, side="right")
    high = np.searchsorted(windows.starts, merged.ends, side="left")
    flight, window = spread(low, high - low)
    return window, merged.slots[flight], merged.starts[flight], merged.ends[flight]
