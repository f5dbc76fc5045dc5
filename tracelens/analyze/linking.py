"""Ties each piece of device work to the API call that launched it.

Correlation ids first; then the file's flow arrows, at the very start of a call; then the call on
the arrow's thread that contains the arrow. `External id` is another namespace: it only decides
between processes that use the same correlation id.
"""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_of_group, fold, group, opening_order, reduce_groups
from tracelens.model.intervals import Bools, Int64s, Ints
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, MISSING, UNKNOWN_NS, Calls, Flows, Trace


def link(trace: Trace) -> tuple[Launches, tuple[Finding, ...]]:
    """Return the launches of a trace, and what could not be decided."""
    work, calls = trace.device_work, trace.calls
    outermost = _outermost(calls)
    call, disputed = _by_correlation(trace, outermost)
    alone = np.flatnonzero((call == MISSING) & ~disputed)
    if len(alone):
        call[alone] = _by_flow(trace, outermost)[alone]
    found: Bools = call != MISSING
    owns_work = np.zeros(len(calls), np.bool_)
    owns_work[call[found]] = True
    owns_kernel = np.zeros(len(calls), np.bool_)
    owns_kernel[call[found & (work.kind == KERNEL)]] = True
    claimed = owns_work | np.isin(calls.correlation, work.correlation[disputed])
    launches = Launches(
        call=call,
        outermost=outermost,
        owns_kernel=owns_kernel,
        owns_work=owns_work,
        lost=_lost(trace, outermost, claimed),
        first_of_call=_first_of_call(call, work.start_ns),
    )
    return launches, _ambiguity(int(disputed.sum()))


def kernel_launch_names(trace: Trace) -> Bools:
    """Mark the names that a kernel launch call has: with `Launch`, without `HostFunc`."""
    return np.array(["Launch" in name and "HostFunc" not in name for name in trace.names], np.bool_)


def _lost(trace: Trace, outermost: Int64s, claimed: Bools) -> Bools:
    """Mark launch calls whose record is not in the file; nested ones speak through the outermost.

    `claimed` are the calls that a record of device work names, were it as one of several.
    """
    named = kernel_launch_names(trace)[trace.calls.name] if len(trace.names) else claimed
    launching = named & ~_captured(trace)
    speaks = np.zeros(len(outermost), np.bool_)
    speaks[outermost[launching]] = True
    spoken_for = np.zeros(len(outermost), np.bool_)
    spoken_for[outermost[claimed]] = True
    lost: Bools = speaks & ~spoken_for
    return lost


def _captured(trace: Trace) -> Bools:
    """Mark the calls that begin while their process captures a graph: they launch nothing.

    Of any thread, for the backward thread launches into the capture of the thread that waits for
    it. A launch beside the capture has its device record, and is never asked about.
    """
    calls = trace.calls
    begins = np.array(["StreamBeginCapture" in name for name in trace.names], np.bool_)
    ends = np.array(["StreamEndCapture" in name for name in trace.names], np.bool_)
    captured = np.zeros(len(calls), np.bool_)
    if not begins.any() or len(calls) == 0:
        return captured
    order = np.lexsort((calls.start_ns, calls.process))
    marks = (begins | ends)[calls.name[order]]
    last = np.maximum.accumulate(np.where(marks, np.arange(len(order)), 0))
    same = calls.process[order[last]] == calls.process[order]
    captured[order] = same & begins[calls.name[order[last]]]
    return captured


def _outermost(calls: Calls) -> Int64s:
    """Return for each call the row of the call that encloses it on its thread, or its own.

    A call of no duration at the very start of another came before it.
    """
    rows = np.arange(len(calls), dtype=np.int64)
    sound = np.flatnonzero(_sound(calls))
    if len(sound) == 0:
        return rows
    threads, _ = group(calls.process[sound], calls.thread[sound])
    order = opening_order(threads, calls.start_ns[sound], calls.duration_ns[sound])
    sound, threads = sound[order], threads[order]
    begins, ends = fold((threads, calls.start_ns[sound]), (threads, calls.end_ns[sound]))
    reached = np.maximum.accumulate(ends)
    opens = np.concatenate(([True], (ends[1:] > reached[:-1]) | (begins[1:] >= reached[:-1])))
    rows[sound] = sound[np.maximum.accumulate(np.where(opens, np.arange(len(sound)), 0))]
    return rows


def _sound(calls: Calls) -> Bools:
    sound: Bools = (calls.duration_ns >= 0) & (calls.start_ns != UNKNOWN_NS)
    return sound


def _by_correlation(trace: Trace, outermost: Int64s) -> tuple[Int64s, Bools]:
    """Match work and calls by correlation id: rows of calls, and which matches are undecided.

    Nested calls with one id are one call, the outermost.
    """
    work, calls = trace.device_work, trace.calls
    rows = np.flatnonzero(calls.correlation != MISSING)
    ids, tops = calls.correlation[rows], outermost[rows]
    call, several = _match((work.correlation,), (ids,), tops)
    pieces = np.flatnonzero(several)
    if len(pieces):
        external = work.external_id[pieces]
        by_both, _ = _match(
            (work.correlation[pieces], external), (ids, calls.external_id[rows]), tops
        )
        call[pieces] = np.where(external == MISSING, MISSING, by_both)
    return call, several & (call == MISSING)


def _match(
    asking: tuple[Ints, ...], offered: tuple[Ints, ...], answers: Int64s
) -> tuple[Int64s, Bools]:
    """Answer each asking row with the one answer that the offered rows of an equal key give.

    Returns the answers, MISSING where there is none or not just one, and where there are several.
    """
    size = len(asking[0])
    keys, count = group(*(np.concatenate(pair) for pair in zip(asking, offered, strict=True)))
    lowest = reduce_groups(np.minimum, answers, keys[size:], count, empty=MISSING)[keys[:size]]
    highest = reduce_groups(np.maximum, answers, keys[size:], count, empty=MISSING)[keys[:size]]
    several: Bools = lowest != highest
    return np.where(lowest == highest, highest, MISSING), several


def _by_flow(trace: Trace, outermost: Int64s) -> Int64s:
    """Follow the arrow that ends at a piece's start back to the call that it begins in.

    A graph launch sends one arrow to each of its nodes, all with the id that it begins with.
    """
    work, calls, flows = trace.device_work, trace.calls, trace.flows
    call = np.full(len(work), MISSING, np.int64)
    tails = np.flatnonzero(~flows.finish)
    heads = np.flatnonzero(flows.finish & (flows.start_ns != UNKNOWN_NS))
    if len(tails) == 0 or len(heads) == 0 or len(calls) == 0 or len(work) == 0:
        return call
    places = (work.process, work.start_ns)
    head, _ = _match(places, (flows.process[heads], flows.start_ns[heads]), heads)
    _, several = _match(places, places, np.arange(len(work)))
    pieces = np.flatnonzero((head != MISSING) & ~several)
    tail, _ = _match((flows.id[head[pieces]],), (flows.id[tails],), tails)
    pieces, tail = pieces[tail != MISSING], tail[tail != MISSING]
    call[pieces] = _containing(calls, outermost, flows, tail)
    return call


def _containing(calls: Calls, outermost: Int64s, flows: Flows, tails: Int64s) -> Int64s:
    """Return the outermost call that runs on each arrow's thread when the arrow begins."""
    found = np.full(len(tails), MISSING, np.int64)
    tops = np.flatnonzero(_sound(calls) & (outermost == np.arange(len(calls))))
    if len(tops) == 0 or len(tails) == 0:
        return found
    threads, _ = group(
        np.concatenate((calls.process[tops], flows.process[tails])),
        np.concatenate((calls.thread[tops], flows.thread[tails])),
    )
    of_top, of_arrow = threads[: len(tops)], threads[len(tops) :]
    instants = flows.start_ns[tails]
    begun, asked = fold((of_top, calls.start_ns[tops]), (of_arrow, instants))
    order = np.argsort(begun, kind="stable")
    last = order[np.maximum(np.searchsorted(begun[order], asked, side="right") - 1, 0)]
    top = tops[last]
    begins, ends = calls.start_ns[top], calls.end_ns[top]
    runs = (of_top[last] == of_arrow) & (begins <= instants)
    runs &= (instants < ends) | (instants == begins)
    found[runs] = top[runs]
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
