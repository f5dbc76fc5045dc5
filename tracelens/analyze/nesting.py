"""Which record is open inside which: framework ops nest on their thread."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.model.intervals import Int64s
from tracelens.model.trace import MISSING


def innermost(timeline: Timeline, threads: Int64s, instants: Int64s) -> Int64s:
    """Return the row of the innermost framework op open on a thread at an instant, or MISSING.

    Ops nest on a thread, so the innermost of `d` open ops is the last one to have begun at depth
    `d`. Ops that begin at the same instant open the longer one first.
    """
    trace, sound = timeline.trace, timeline.sound
    rows = np.flatnonzero(sound.ops & (trace.ops.duration_ns > 0))
    found = np.full(len(instants), MISSING, np.int64)
    lanes = timeline.threads.lanes
    asked = np.flatnonzero((instants >= lanes.starts[threads]) & (instants <= lanes.ends[threads]))
    if len(rows) == 0 or len(asked) == 0:
        return found
    thread = timeline.threads.of_op[rows]
    begins = lanes.positions(thread, trace.ops.start_ns[rows])
    order = np.lexsort((-trace.ops.duration_ns[rows], begins))
    begins = begins[order]
    closes = np.sort(lanes.positions(thread, trace.ops.end_ns[rows]), kind="stable")
    question = lanes.positions(threads[asked], instants[asked])
    depth = _open(begins, closes, begins, np.arange(1, len(rows) + 1))
    begun = np.searchsorted(begins, question, side="right")
    wanted = _open(begins, closes, question, begun)
    by_depth = np.argsort(depth, kind="stable")
    # (depth, position) as one key: the last op at that depth among those that have begun.
    size = len(rows) + 1
    at = np.searchsorted(depth[by_depth] * size + by_depth, wanted * size + begun) - 1
    has = (wanted > 0) & (at >= 0)
    found[asked[has]] = rows[order[by_depth[at[has]]]]
    return found


def _open(begins: Int64s, closes: Int64s, at: Int64s, begun: Int64s) -> Int64s:
    """Return how many ops are open at each position, itself included."""
    depth: Int64s = begun - np.searchsorted(closes, at, side="right")
    return depth
