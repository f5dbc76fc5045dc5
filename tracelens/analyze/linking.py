"""Ties each piece of device work to the API call that launched it.

Correlation ids first; then the file's flow arrows, at the very start of a call; then the call on
the arrow's thread that contains the arrow. `External id` is another namespace: it only decides
between processes that use the same correlation id.
"""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_of_group, group, spread
from tracelens.model.intervals import Bools, Int64s, Ints
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, MISSING, UNKNOWN_NS, Calls, Flows, Trace


def link(trace: Trace) -> tuple[Launches, tuple[Finding, ...]]:
    """Return the launches of a trace, and what could not be decided."""
    work, calls = trace.device_work, trace.calls
    outermost = _outermost(calls)
    call, ambiguous = _by_correlation(trace, outermost)
    call = np.where((call == MISSING) & ~ambiguous, _by_flow(trace, outermost), call)
    found = call != MISSING
    call[found] = outermost[call[found]]
    owns_work = np.zeros(len(calls), np.bool_)
    owns_work[call[found]] = True
    owns_kernel = np.zeros(len(calls), np.bool_)
    owns_kernel[call[found & (work.kind == KERNEL)]] = True
    launches = Launches(
        call=call,
        outermost=outermost,
        owns_kernel=owns_kernel,
        owns_work=owns_work,
        lost=_lost(trace, outermost, owns_work),
        first_of_call=_first_of_call(call, work.start_ns),
    )
    return launches, _ambiguity(int(ambiguous.sum()))


def kernel_launch_names(trace: Trace) -> Bools:
    """Mark the names that a kernel launch call has: with `Launch`, without `HostFunc`."""
    return np.array(["Launch" in name and "HostFunc" not in name for name in trace.names], np.bool_)


def _lost(trace: Trace, outermost: Int64s, owns_work: Bools) -> Bools:
    """Mark launch calls whose record is not in the file; nested ones speak through the outermost.

    A call captured into a graph launches nothing: it stands between the begin and the end of a
    capture on its thread.
    """
    launching = kernel_launch_names(trace)[trace.calls.name] if len(trace.names) else owns_work
    own = outermost == np.arange(len(outermost))
    speaks = np.zeros(len(outermost), np.bool_)
    speaks[outermost[launching]] = True
    lost: Bools = speaks & own & ~owns_work & ~_captured(trace)
    return lost


def _captured(trace: Trace) -> Bools:
    calls = trace.calls
    captured = np.zeros(len(calls), np.bool_)
    begins = np.array(["StreamBeginCapture" in name for name in trace.names], np.bool_)
    ends = np.array(["StreamEndCapture" in name for name in trace.names], np.bool_)
    if not begins.any() or len(calls) == 0:
        return captured
    threads, _ = group(calls.process, calls.thread)
    order = np.lexsort((calls.start_ns, threads))
    step = begins[calls.name[order]].astype(np.int64) - ends[calls.name[order]]
    depth = np.cumsum(step)
    heads = np.flatnonzero(first_of_group(threads[order]))
    before = np.concatenate(([0], depth[:-1]))[heads]
    lengths = np.diff(np.concatenate((heads, [len(order)])))
    captured[order] = depth - np.repeat(before, lengths) > 0
    return captured


def _outermost(calls: Calls) -> Int64s:
    """Return for each call the row of the call that encloses it on its thread, or its own."""
    rows = np.arange(len(calls), dtype=np.int64)
    sound = np.flatnonzero((calls.duration_ns >= 0) & (calls.start_ns != UNKNOWN_NS))
    if len(sound) == 0:
        return rows
    threads, _ = group(calls.process[sound], calls.thread[sound])
    order = np.lexsort((-calls.end_ns[sound], calls.start_ns[sound], threads))
    sound, threads = sound[order], threads[order]
    # Ranks in place of times, shifted by thread: the running maximum starts anew with each thread.
    times = np.concatenate((calls.start_ns[sound], calls.end_ns[sound]))
    _, rank = np.unique(times, return_inverse=True)
    begins, ends = np.split(rank + np.tile(threads, 2) * (len(times) + 1), 2)
    reached = np.maximum.accumulate(ends)
    opens = np.concatenate(([True], (ends[1:] > reached[:-1]) | (begins[1:] >= reached[:-1])))
    rows[sound] = sound[np.maximum.accumulate(np.where(opens, np.arange(len(sound)), 0))]
    return rows


def _by_correlation(trace: Trace, outermost: Int64s) -> tuple[Int64s, Bools]:
    """Match work and calls by correlation id: rows of calls, and which matches are undecided."""
    work, calls = trace.device_work, trace.calls
    call = np.full(len(work), MISSING, np.int64)
    ambiguous = np.zeros(len(work), np.bool_)
    rows = np.flatnonzero(calls.correlation != MISSING)
    if len(rows) == 0 or len(work) == 0:
        return call, ambiguous
    # Nested calls with one id are one call: keep the outermost of each.
    tops = outermost[rows]
    ids, first = _distinct_pairs(calls.correlation[rows], tops)
    rows, tops = rows[first], tops[first]
    low = np.searchsorted(ids, work.correlation, side="left")
    high = np.searchsorted(ids, work.correlation, side="right")
    matches = np.where(work.correlation == MISSING, 0, high - low)
    call[matches == 1] = rows[low[matches == 1]]
    several = np.flatnonzero(matches > 1)
    if len(several):
        call[several] = _by_external_id(trace, rows, low[several], matches[several], several)
        ambiguous[several] = call[several] == MISSING
    return call, ambiguous


def _distinct_pairs(ids: Int64s, tops: Int64s) -> tuple[Int64s, Int64s]:
    order = np.lexsort((tops, ids))
    new = first_of_group(ids[order]) | first_of_group(tops[order])
    return ids[order][new], order[new]


def _by_external_id(
    trace: Trace, rows: Int64s, low: Int64s, counts: Int64s, pieces: Int64s
) -> Int64s:
    """Choose among calls of one correlation id the only one with the piece's External id."""
    piece, nth = spread(low, counts)
    candidate = rows[nth]
    external = trace.device_work.external_id[pieces[piece]]
    equal = (external != MISSING) & (trace.calls.external_id[candidate] == external)
    hits = np.bincount(piece[equal], minlength=len(pieces))
    call = np.full(len(pieces), MISSING, np.int64)
    only = equal & (hits[piece] == 1)
    call[piece[only]] = candidate[only]
    return call


def _by_flow(trace: Trace, outermost: Int64s) -> Int64s:
    """Follow the arrow that ends at a piece's start back to the call that it begins in."""
    work, calls, flows = trace.device_work, trace.calls, trace.flows
    call = np.full(len(work), MISSING, np.int64)
    tails = np.flatnonzero(~flows.finish)
    if len(calls) == 0 or len(work) == 0 or len(tails) == len(flows):
        return call
    pieces, heads = _join_unique(
        (work.process, work.start_ns),
        (flows.process[flows.finish], flows.start_ns[flows.finish]),
    )
    ids = flows.id[flows.finish][heads]
    at, tail = _join_unique((ids,), (flows.id[tails],))
    call[pieces[at]] = _containing(calls, outermost, flows, tails[tail])
    return call


def _join_unique(left: tuple[Ints, ...], right: tuple[Ints, ...]) -> tuple[Int64s, Int64s]:
    """Return the rows of both sides whose key stands exactly once on each side."""
    size = len(left[0])
    both = [np.concatenate((a, b)) for a, b in zip(left, right, strict=True)]
    keys, count = group(*both)
    mine, theirs = keys[:size], keys[size:]
    once = (np.bincount(mine, minlength=count) == 1) & (np.bincount(theirs, minlength=count) == 1)
    row_of = np.zeros(count, np.int64)
    row_of[theirs] = np.arange(len(theirs))
    rows = np.flatnonzero(once[mine])
    return rows, row_of[mine[rows]]


def _containing(calls: Calls, outermost: Int64s, flows: Flows, tails: Int64s) -> Int64s:
    """Return the outermost call that runs on each arrow's thread when the arrow begins."""
    found = np.full(len(tails), MISSING, np.int64)
    size = len(calls)
    threads, _ = group(
        np.concatenate((calls.process, flows.process[tails])),
        np.concatenate((calls.thread, flows.thread[tails])),
    )
    instants = np.concatenate((calls.start_ns, flows.start_ns[tails]))
    order = np.lexsort((np.arange(len(instants)), instants, threads))
    is_call = order < size
    last_call = np.maximum.accumulate(np.where(is_call, np.arange(len(order)), -1))
    asked = np.flatnonzero(~is_call & (last_call >= 0))
    before = order[last_call[asked]]
    same_thread = threads[order[asked]] == threads[before]
    asked, before = asked[same_thread], outermost[before[same_thread]]
    question = order[asked] - size
    runs = flows.start_ns[tails[question]] < calls.end_ns[before]
    found[question[runs]] = before[runs]
    return found


def _first_of_call(call: Int64s, starts: Int64s) -> Bools:
    order = np.lexsort((starts, call))
    first = np.zeros(len(call), np.bool_)
    first[order[first_of_group(call[order])]] = True
    return first & (call != MISSING) if len(call) else first


def _ambiguity(count: int) -> tuple[Finding, ...]:
    if count == 0:
        return ()
    return (
        Finding(
            tag="launch/ambiguous",
            severity="error",
            fact=f"{count} pieces of device work have a correlation id that several processes or "
            "sessions in this file use, and no External id that decides: their launch is unknown",
            advice="analyze each rank's own trace, or merge with distinct ids",
        ),
    )
