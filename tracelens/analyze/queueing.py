"""Launch time that a window spends queued behind the work of another window."""

from __future__ import annotations

from tracelens.analyze.grouping import first_rows, group
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.sight import Sight
from tracelens.model.intervals import Intervals


def queued_behind_others(sight: Sight) -> Intervals:
    """When a launch of a call window is in flight on a stream that is at work.

    The set is on the line of windows. Of launch time it is what the window is queued behind others:
    were the stream at work for the window itself, that time would not be launch. Time windows take
    all work for their own. Each call window is looked at stream by stream: a slot for every pair.
    """
    timeline, windows = sight.timeline, sight.windows
    if windows.kind == "time":
        return Intervals.none()
    latency_ns = timeline.sound.latency_ns[windows.piece]
    flies = timeline.sound.timed[windows.piece] & (latency_ns > 0)
    piece, owner = windows.piece[flies], windows.piece_window[flies]
    streams, lanes, busy = timeline.streams
    pairs, count = group(owner, streams[piece])
    first = first_rows(pairs, count)
    window, stream = owner[first], streams[piece[first]]
    line = Line.of(windows.starts[window], windows.ends[window])
    begin = timeline.trace.device_work.start_ns[piece]
    flights = line.lift(line.place(Slices(pairs, begin - latency_ns[flies], begin)))
    met = lanes.look(busy, slots=stream[flights.slots], starts=flights.starts, ends=flights.ends)
    return sight.line.place(Slices(window[flights.slots[met.slots]], met.starts, met.ends))
