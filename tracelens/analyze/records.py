"""Which recorded fields can be believed, record by record.

Nothing is clamped, repaired or dropped: a bad field keeps its record out of just those figures that
the field enters, and a finding counts it. Exact duplicates alone are removed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from tracelens.analyze.grouping import group
from tracelens.model.duration import spell_ns
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, MISSING, UNKNOWN_NS, DeviceWork, Records, Trace

_OTHER_CLOCK_NS = 1_000_000
"""A device time this far on the wrong side of its launch is not skew but another clock: profilers
align the two clocks to a few microseconds (a first record of a session was seen hours away)."""

_RELATIVE_CLOCK_NS = 86_400 * 10**9
"""A trace that begins within a day of 0 counts from its own start: there, host time 0 is a time."""

RecordsT = TypeVar("RecordsT", bound=Records)


@dataclass(frozen=True, slots=True, eq=False)
class Soundness:
    """Masks over a trace's rows: whose duration may be summed, whose place in time may be used.

    `summed` and `placed` have the shape of the device work; a row that is not placed takes part in
    no union, span or split. `calls`, `ops` and `annotations` mark the rows of their own columns
    that have a usable start and end. `latency_ns` has the shape of the device work: start of the
    launch call to the start of the work, as recorded even where negative, `UNKNOWN_NS` without a
    launch call or a time.
    """

    summed: Bools
    placed: Bools
    calls: Bools
    ops: Bools
    annotations: Bools
    latency_ns: Int64s


def remove_duplicates(trace: Trace) -> tuple[Trace, tuple[Finding, ...]]:
    """Return the trace with every record that equals another in all fields counted once."""
    work = _distinct(trace.device_work)
    calls = _distinct(trace.calls)
    ops = _distinct(trace.ops)
    annotations = _distinct(trace.annotations)
    removed = {
        "kernel": int(
            (trace.device_work.kind == KERNEL).sum() - (work.kind == KERNEL).sum(),
        ),
        "copy or set": int((trace.device_work.kind != KERNEL).sum() - (work.kind != KERNEL).sum()),
        "API": len(trace.calls) - len(calls),
        "framework op": len(trace.ops) - len(ops),
        "annotation": len(trace.annotations) - len(annotations),
    }
    if not any(removed.values()):
        return trace, ()
    listed = " and ".join(
        f"{count} duplicated {what} record{'s' if count > 1 else ''}"
        for what, count in removed.items()
        if count
    )
    finding = Finding(
        tag="records/duplicates",
        severity="warning",
        fact=f"{listed} removed: equal in every field to another record",
        advice="check whether one session was exported or merged twice",
    )
    once = replace(trace, device_work=work, calls=calls, ops=ops, annotations=annotations)
    return once, (finding,)


def _distinct(records: RecordsT) -> RecordsT:
    order = np.argsort(records.start_ns, kind="stable")
    tied = records.start_ns[order][1:] == records.start_ns[order][:-1]
    suspects = np.unique(np.concatenate((order[1:][tied], order[:-1][tied])))
    if len(suspects) == 0:
        return records
    columns = [
        getattr(records, f.name)[suspects].reshape(len(suspects), -1) for f in fields(records)
    ]
    groups, count = group(*np.concatenate(columns, axis=1).astype(np.int64).T)
    if count == len(suspects):
        return records
    _, firsts = np.unique(groups, return_index=True)
    keep = np.ones(len(records), np.bool_)
    keep[suspects] = False
    keep[suspects[firsts]] = True
    return records.take(keep)


def judge(trace: Trace, launches: Launches) -> tuple[Soundness, tuple[Finding, ...]]:
    """Say which fields of which records can be used, and count those that cannot."""
    work = trace.device_work
    timed = (work.start_ns != UNKNOWN_NS) & (work.start_ns != 0)
    lasting = work.duration_ns >= 0
    enclosing = _enclosing(work, launches, timed & lasting)
    latency_ns = _latency(trace, launches, timed)
    other_clock = timed & _other_clock(trace, launches, latency_ns)
    clock_findings: tuple[Finding, ...] = ()
    if 2 * int(other_clock.sum()) > int((latency_ns != UNKNOWN_NS).sum()):
        clock_findings = (_offset_clock(latency_ns[other_clock]),)
        other_clock = np.zeros_like(other_clock)
    counts = {
        "negative_duration": ~lasting & (work.duration_ns != UNKNOWN_NS),
        "no_duration": work.duration_ns == UNKNOWN_NS,
        "untimed": ~timed,
        "enclosing": enclosing,
        "other_clock": other_clock,
        "before_launch": (latency_ns < 0) & (latency_ns != UNKNOWN_NS) & ~other_clock,
    }
    host = {
        "API call": trace.calls,
        "cpu_op": trace.ops,
        "annotation": trace.annotations,
    }
    usable = {what: _usable(records, trace) for what, records in host.items()}
    soundness = Soundness(
        summed=lasting & ~enclosing,
        placed=timed & lasting & ~enclosing & ~other_clock,
        calls=usable["API call"],
        ops=usable["cpu_op"],
        annotations=usable["annotation"],
        latency_ns=latency_ns,
    )
    findings = [
        *_device_findings(trace, counts, latency_ns),
        *(_host_finding(what, host[what], usable[what]) for what in host if not usable[what].all()),
        *clock_findings,
    ]
    return soundness, tuple(findings)


def _usable(records: Records, trace: Trace) -> Bools:
    usable: Bools = (records.start_ns != UNKNOWN_NS) & (records.duration_ns >= 0)
    starts = trace.calls.start_ns[trace.calls.start_ns > 0]
    if len(starts) and int(starts.min()) > _RELATIVE_CLOCK_NS:
        usable &= records.start_ns != 0
    return usable


def _latency(trace: Trace, launches: Launches, timed: Bools) -> Int64s:
    work, calls = trace.device_work, trace.calls
    latency_ns = np.full(len(work), UNKNOWN_NS, np.int64)
    linked = np.flatnonzero((launches.call != MISSING) & timed)
    call_start = calls.start_ns[launches.call[linked]]
    known = _usable(calls, trace)[launches.call[linked]] & (call_start != UNKNOWN_NS)
    latency_ns[linked[known]] = (work.start_ns[linked] - call_start)[known]
    return latency_ns


def _enclosing(work: DeviceWork, launches: Launches, sound: Bools) -> Bools:
    """Mark records that begin before and end after a later record of their own stream.

    A stream runs its work in order, so one of the two is wrong, and it is the long one. Nodes of
    one graph launch may run beside each other on the stream that they are reported on.
    """
    encloses = np.zeros(len(work), np.bool_)
    rows = np.flatnonzero(sound)
    if len(rows) == 0:
        return encloses
    streams, _ = group(work.process[rows], work.device[rows], work.stream[rows])
    order = np.lexsort((work.end_ns[rows], work.start_ns[rows], streams))
    rows, streams = rows[order], streams[order]
    call = launches.call[rows]
    graphs, count = group(streams, np.where(call == MISSING, -2 - np.arange(len(rows)), call))
    last_of_graph = np.zeros(count, np.int64)
    last_of_graph[graphs] = np.arange(len(rows))
    # Ranks in place of times, shifted by stream: the smallest end among all later rows is then
    # that of a later row of the same stream, wherever there is one.
    _, rank = np.unique(work.end_ns[rows], return_inverse=True)
    shifted = rank + streams * len(rows)
    later = np.minimum.accumulate(shifted[::-1])[::-1]
    after = np.concatenate((later, [np.iinfo(np.int64).max]))[last_of_graph[graphs] + 1]
    encloses[rows[after < shifted]] = True
    return encloses


def _other_clock(trace: Trace, launches: Launches, latency_ns: Int64s) -> Bools:
    """Mark work that starts far before its launch, or after later work of its stream is over."""
    work = trace.device_work
    known = latency_ns != UNKNOWN_NS
    early: Bools = known & (latency_ns < -_OTHER_CLOCK_NS)
    rows = np.flatnonzero(known & ~early & launches.first_of_call & (work.duration_ns >= 0))
    late = np.zeros(len(work), np.bool_)
    if len(rows) == 0:
        return early
    streams, _ = group(work.process[rows], work.device[rows], work.stream[rows])
    launched = work.start_ns[rows] - latency_ns[rows]
    order = np.lexsort((launched, streams))
    rows, streams = rows[order], streams[order]
    _, rank = np.unique(
        np.concatenate((work.end_ns[rows] + _OTHER_CLOCK_NS, work.start_ns[rows])),
        return_inverse=True,
    )
    ends, starts = np.split(rank + np.tile(streams, 2) * len(rank), 2)
    later = np.minimum.accumulate(ends[::-1])[::-1]
    after = np.concatenate((later[1:], [np.iinfo(np.int64).max]))
    late[rows[after < starts]] = True
    return early | late


def _device_findings(
    trace: Trace, counts: dict[str, Bools], latency_ns: Int64s
) -> tuple[Finding, ...]:
    kernels = trace.device_work.kind == KERNEL
    findings = []
    for what, rows in counts.items():
        for sort, mask in (("kernel", rows & kernels), ("copy or set", rows & ~kernels)):
            if mask.any():
                findings.append(_device_finding(what, sort, trace, mask, latency_ns))
    return tuple(findings)


def _device_finding(what: str, sort: str, trace: Trace, mask: Bools, latency_ns: Int64s) -> Finding:
    count = int(mask.sum())
    worst = trace.device_work.duration_ns[mask]
    many = count > 1
    subject = f"{count} {sort}{'s' if many and sort == 'kernel' else ''}"
    facts = {
        "negative_duration": f"with negative duration (down to {spell_ns(int(worst.min()))}): "
        "counted, kept out of every sum",
        "no_duration": "without a duration: counted, kept out of every sum",
        "untimed": "without a start time: counted, placed nowhere in time, latency unknown",
        "enclosing": f"enclosing later work of the same stream (up to {spell_ns(int(worst.max()))} "
        "long): counted, kept out of every sum",
        "other_clock": f"stamped in another clock (off by {_off(latency_ns[mask])}): counted and "
        "summed, placed nowhere in time",
        "before_launch": f"start{'' if many else 's'} before {'their' if many else 'its'} launch "
        f"(down to {spell_ns(int(latency_ns[mask].min()))}): clock skew; shown as recorded, "
        "excluded from latency statistics",
    }
    advice = {
        "negative_duration": "record again; the profiler closed these records wrongly",
        "no_duration": "record again; the profiler closed these records wrongly",
        "untimed": "record again with a few warm-up calls inside the profiler session",
        "enclosing": "record again; a stream runs its work in order, so the record is wrong",
        "other_clock": "record again: one profiler session per process, first calls discarded",
        "before_launch": "trust durations and sums, not the latency of these records",
    }
    error = what in ("enclosing", "other_clock")
    return Finding(
        tag=f"records/{what}",
        severity="error" if error else "warning",
        fact=f"{subject} {facts[what]}",
        advice=advice[what],
    )


def _off(latencies: Int64s) -> str:
    known = latencies[latencies != UNKNOWN_NS]
    return spell_ns(int(np.abs(known).max())) if len(known) else "an unknown time"


def _offset_clock(latencies: Int64s) -> Finding:
    return Finding(
        tag="records/clock_offset",
        severity="error",
        fact=f"{len(latencies)} pieces of device work lie far from their launches (up to "
        f"{_off(latencies)}): the device's clock is not aligned to the host's, so every "
        "launch latency and split of this trace is off by that",
        advice="trust kernel sums and busy times only; record again for a split",
    )


def _host_finding(what: str, records: Records, usable: Bools) -> Finding:
    bad = ~usable
    count = int(bad.sum())
    negative = int((records.duration_ns[bad] < 0).sum() - _unknown(records.duration_ns[bad]))
    how = f"with negative duration ({'unfinished' if what == 'cpu_op' else 'corrupt'})"
    return Finding(
        tag=f"records/{what.replace(' ', '_').lower()}",
        severity="warning",
        fact=f"{count} {what}{'s' if count > 1 else ''} "
        f"{how if negative == count else 'without a usable start and end'}: left out",
        advice="record for longer than the calls of interest, so that they end inside the session",
    )


def _unknown(times: Int64s) -> int:
    return int((times == UNKNOWN_NS).sum())
