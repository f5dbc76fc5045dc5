"""Launch time that a window spends queued behind the work of another window."""

from __future__ import annotations

from tracelens.analyze.grouping import first_rows, group
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.sight import Sight
from tracelens.model.intervals import Intervals


def queued_behind_others(sight: Sight) -> Intervals:
    """When a launch of a call window is in flight on a stream that works for somebody else.

    The set is on the line of windows. Each window is looked at stream by stream: a slot for every
    pair of a window and a stream that it owns work on. A time window takes all work for its own.
    """
    timeline, windows = sight.timeline, sight.windows
    if windows.kind == "time":
        return Intervals.none()
    work, latency_ns = timeline.trace.device_work, timeline.sound.latency_ns
    streams, lanes, busy = timeline.streams
    pairs, count = group(windows.piece_window, streams[windows.piece])
    first = first_rows(pairs, count)
    window, stream = windows.piece_window[first], streams[windows.piece[first]]
    line = Line.of(windows.starts[window], windows.ends[window])

    flies = timeline.sound.timed[windows.piece] & (latency_ns[windows.piece] > 0)
    piece = windows.piece[flies]
    begun = work.start_ns[piece] - latency_ns[piece]
    flights = line.lift(line.place(Slices(pairs[flies], begun, work.start_ns[piece])))
    met = lanes.look(busy, slots=stream[flights.slots], starts=flights.starts, ends=flights.ends)
    behind_any = line.place(Slices(flights.slots[met.slots], met.starts, met.ends))

    runs = timeline.sound.placed[windows.piece]
    piece = windows.piece[runs]
    behind_own = line.place(Slices(pairs[runs], work.start_ns[piece], work.end_ns[piece]))
    queued = line.lift(behind_any.subtract(behind_own))
    return sight.line.place(Slices(window[queued.slots], queued.starts, queued.ends))
