"""Which recorded fields can be believed, record by record.

Nothing is clamped, repaired or dropped: a bad field keeps its record out of just those figures that
the field enters, and a finding counts it. Exact duplicates alone are removed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.damage import describe_clocks, describe_device, describe_host
from tracelens.analyze.stream_order import enclosing, overtaken
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING, UNKNOWN_NS, Records, Trace

_OTHER_CLOCK_NS = 1_000_000
"""A device time this far on the wrong side of its launch is not skew but another clock: profilers
align the two clocks to a few microseconds (a first record of a session was seen hours away)."""

_FAR_NS = 3_600 * 10**9
"""Device work an hour before the first or after the last host record is not of this session."""

_RELATIVE_CLOCK_NS = 86_400 * 10**9
"""A trace that begins within a day of 0 counts from its own start: there, host time 0 is a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Soundness:
    """Masks over a trace's rows: whose duration may be summed, whose place in time may be used.

    `summed`, `timed` and `placed` have the shape of the device work. A row that is `timed` has a
    start to believe; one that is not `placed` takes part in no union, span or split. `calls`, `ops`
    and `annotations` mark the rows of their own columns that have a usable start and end, `begun`
    the calls that have a usable start. `latency_ns` has the shape of the device work: start of the
    launch call to the start of the work, as recorded even where negative, `UNKNOWN_NS` without a
    launch call or a time.
    """

    summed: Bools
    timed: Bools
    placed: Bools
    begun: Bools
    calls: Bools
    ops: Bools
    annotations: Bools
    latency_ns: Int64s


def judge(trace: Trace, launches: Launches) -> tuple[Soundness, tuple[Finding, ...]]:
    """Say which fields of which records can be used, and count those that cannot."""
    work = trace.device_work
    host = {"API call": trace.calls, "cpu_op": trace.ops, "annotation": trace.annotations}
    begun = {what: _begun(records, trace) for what, records in host.items()}
    usable = {what: begun[what] & (host[what].duration_ns >= 0) for what in host}
    timed = (work.start_ns != UNKNOWN_NS) & (work.start_ns != 0)
    lasting = work.duration_ns >= 0
    latency_ns = _latency(trace, launches, timed, begun["API call"])
    encloses = enclosing(work, launches, latency_ns, timed & lasting)
    session = _session([records.take(usable[what]) for what, records in host.items()])
    other_clock, clock_findings = _other_clock(trace, launches, latency_ns, timed, session)
    counts = {
        "negative_duration": ~lasting & (work.duration_ns != UNKNOWN_NS),
        "no_duration": work.duration_ns == UNKNOWN_NS,
        "untimed": ~timed,
        "enclosing": encloses,
        "other_clock": other_clock,
        "before_launch": (latency_ns < 0) & (latency_ns != UNKNOWN_NS) & ~other_clock,
    }
    soundness = Soundness(
        summed=lasting & ~encloses,
        timed=timed & ~other_clock,
        placed=timed & ~other_clock & lasting & ~encloses,
        begun=begun["API call"],
        calls=usable["API call"],
        ops=usable["cpu_op"],
        annotations=usable["annotation"],
        latency_ns=latency_ns,
    )
    findings = [
        *describe_device(trace, counts, latency_ns),
        *(describe_host(what, host[what], usable[what]) for what in host if not usable[what].all()),
        *clock_findings,
    ]
    return soundness, tuple(findings)


def _begun(records: Records, trace: Trace) -> Bools:
    """Mark the host records with a start to believe; 0 is one where the trace counts from 0."""
    begun: Bools = records.start_ns != UNKNOWN_NS
    starts = trace.calls.start_ns[trace.calls.start_ns > 0]
    if len(starts) and int(starts.min()) > _RELATIVE_CLOCK_NS:
        begun &= records.start_ns != 0
    return begun


def _session(records: list[Records]) -> tuple[int, int] | None:
    """Return the first start and the last end of all these records, None where there are none."""
    some = [r for r in records if len(r)]
    if not some:
        return None
    return min(int(r.start_ns.min()) for r in some), max(int(r.end_ns.max()) for r in some)


def _latency(trace: Trace, launches: Launches, timed: Bools, begun: Bools) -> Int64s:
    work, calls = trace.device_work, trace.calls
    latency_ns = np.full(len(work), UNKNOWN_NS, np.int64)
    linked = np.flatnonzero((launches.call != MISSING) & timed)
    linked = linked[begun[launches.call[linked]]]
    latency_ns[linked] = work.start_ns[linked] - calls.start_ns[launches.call[linked]]
    return latency_ns


def _other_clock(
    trace: Trace,
    launches: Launches,
    latency_ns: Int64s,
    timed: Bools,
    session: tuple[int, int] | None,
) -> tuple[Bools, tuple[Finding, ...]]:
    """Mark work whose place in time contradicts its launch, its stream or the whole session.

    Where most of the trace does, no record is to blame: the two clocks are, and a finding says so.
    """
    work = trace.device_work
    known = latency_ns != UNKNOWN_NS
    early = known & (latency_ns < -_OTHER_CLOCK_NS)
    late = overtaken(trace, launches, known & ~early, slack_ns=_OTHER_CLOCK_NS)
    astray, far = early | late, np.zeros(len(work), np.bool_)
    if session is not None:
        far = (work.end_ns < session[0] - _FAR_NS) | (work.start_ns > session[1] + _FAR_NS)
        far &= timed & (work.duration_ns >= 0)
    marked: Bools = astray | far
    if 2 * int(astray.sum()) > int(known.sum()) or 2 * int(far.sum()) > int(timed.sum()):
        return np.zeros_like(marked), (describe_clocks(latency_ns[marked]),)
    return marked, ()
