"""A stream runs its work in the order of its launches: which records contradict that."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import fold, group, rank
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.launch import Launches
from tracelens.model.trace import KERNEL, MISSING, UNKNOWN_NS, DeviceWork, Trace

_NEVER = int(np.iinfo(np.int64).max)


def enclosing(work: DeviceWork, launches: Launches, latency_ns: Int64s, sound: Bools) -> Bools:
    """Mark records that begin before and end after a later record of their own stream.

    A stream runs its work in order, so one of the two is wrong, and it is the long one, unless the
    short one begins before its own launch. Nodes of one graph launch may run beside each other on
    the stream that they are reported on.
    """
    encloses = np.zeros(len(work), np.bool_)
    rows = np.flatnonzero(sound)
    if len(rows) == 0:
        return encloses
    streams, _ = group(work.process[rows], work.device[rows], work.stream[rows])
    order = np.lexsort((work.duration_ns[rows], work.start_ns[rows], streams))
    rows, streams = rows[order], streams[order]
    (ends,) = fold((streams, work.end_ns[rows]))
    skewed = (latency_ns[rows] < 0) & (latency_ns[rows] != UNKNOWN_NS)
    later = _least_from(np.where(skewed, _NEVER, ends))
    if not (later[1:] < ends).any():
        return encloses
    graphs, count = group(streams, _graph(work, launches, rows))
    last_of_graph = np.zeros(count, np.int64)
    last_of_graph[graphs] = np.arange(len(rows))
    encloses[rows[later[last_of_graph[graphs] + 1] < ends]] = True
    return encloses


def _graph(work: DeviceWork, launches: Launches, rows: Int64s) -> Int64s:
    """Number what was launched together: by its call, or by its id where the call is not there."""
    call, correlation = launches.call[rows], work.correlation[rows]
    alone = -1 - np.arange(len(rows))
    by_id = np.where(correlation > 0, rank(correlation)[0] + len(launches.outermost), alone)
    return np.where(call != MISSING, call, by_id)


def _least_from(keys: Int64s) -> Int64s:
    """Return the least of each key and all that follow it, and a last entry for none at all."""
    return np.minimum.accumulate(np.concatenate((keys, [_NEVER]))[::-1])[::-1]


def overtaken(trace: Trace, launches: Launches, timed: Bools, *, slack_ns: int) -> Bools:
    """Mark kernels that start over `slack_ns` after one launched later on their stream was over.

    Later: its call began when theirs had returned. `timed` marks work with a launch and a start. A
    graph's nodes prove nothing here, for graphs of several streams can share the streams that their
    nodes are reported on.
    """
    work, calls = trace.device_work, trace.calls
    late = np.zeros(len(work), np.bool_)
    pieces_of = np.bincount(launches.call[launches.call != MISSING], minlength=len(calls))
    rows = np.flatnonzero((work.kind == KERNEL) & (work.duration_ns >= 0) & timed)
    rows = rows[pieces_of[launches.call[rows]] == 1]
    streams, _ = group(work.process[rows], work.device[rows], work.stream[rows])
    call = launches.call[rows]
    order = np.lexsort((calls.start_ns[call], streams))
    rows, streams, call = rows[order], streams[order], call[order]
    begun, returned, over, starts = fold(
        (streams, calls.start_ns[call]),
        (streams, calls.start_ns[call] + np.maximum(calls.duration_ns[call], 0)),
        (streams, work.end_ns[rows] + slack_ns),
        (streams, work.start_ns[rows]),
    )
    following = np.searchsorted(begun, returned, side="left")
    late[rows[_least_from(over)[following] < starts]] = True
    return late
