"""Which recorded fields can be believed, record by record.

Nothing is clamped, repaired or dropped: a bad field keeps its record out of just those figures that
the field enters, and a finding counts it. Exact duplicates alone are removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tracelens.analyze.damage import describe_clocks, describe_device, describe_host
from tracelens.analyze.statistics import Samples, median
from tracelens.analyze.stream_order import enclosing, overtaken
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING, UNKNOWN_NS, DeviceWork, Records, Trace

_OTHER_CLOCK_NS = 1_000_000
"""A device time this far on the wrong side of its launch is not skew but another clock: profilers
align the two clocks to a few microseconds (a first record of a session was seen hours away)."""

_FAR_NS = 3_600 * 10**9
"""Device work an hour before the first or after the last host record is not of this session."""

_ABSURD_NS = 2**62
"""The year 2116; also where differences begin to leave int64."""

_DAY_NS = 86_400 * 10**9
"""A host record a day from the middle one of its process has no time of this session. So a time of
0 is none where the file holds absolute times, and is one where it counts from its own start."""


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
    middles_ns = _middles(list(host.values()), len(trace.processes))
    begun = {what: _begun(records, middles_ns) for what, records in host.items()}
    usable = {what: begun[what] & _lasts(records) for what, records in host.items()}
    timed = (work.start_ns != UNKNOWN_NS) & (work.start_ns != 0)
    latency_ns = _latency(trace, launches, timed, begun["API call"])
    session = _session(zip(host.values(), usable.values(), strict=True), work, timed)
    damage, clock_findings = _damage(trace, launches, latency_ns, timed, session)
    lasting = _lasts(work) & ~damage["enclosing"] & ~damage["endless"]
    soundness = Soundness(
        summed=lasting,
        timed=timed & ~damage["other_clock"],
        placed=timed & ~damage["other_clock"] & lasting,
        begun=begun["API call"],
        calls=usable["API call"],
        ops=usable["cpu_op"],
        annotations=usable["annotation"],
        latency_ns=latency_ns,
    )
    findings = [
        *describe_device(trace, damage, latency_ns),
        *(describe_host(what, host[what], usable[what]) for what in host if not usable[what].all()),
        *clock_findings,
    ]
    return soundness, tuple(findings)


def _damage(
    trace: Trace,
    launches: Launches,
    latency_ns: Int64s,
    timed: Bools,
    session: tuple[int, int],
) -> tuple[dict[str, Bools], tuple[Finding, ...]]:
    """Mark the device work of each sort of damage."""
    work = trace.device_work
    lasts = _lasts(work)
    other_clock, findings = _other_clock(trace, launches, latency_ns, timed, session)
    past = lasts & timed & ~other_clock & (work.end_ns > session[1] + _FAR_NS)
    damage = {
        "negative_duration": (work.duration_ns < 0) & (work.duration_ns != UNKNOWN_NS),
        "no_duration": work.duration_ns == UNKNOWN_NS,
        "untimed": ~timed,
        "enclosing": enclosing(work, launches, latency_ns, timed & lasts),
        "endless": (work.duration_ns >= _DAY_NS) | past,
        "other_clock": other_clock,
        "before_launch": (latency_ns < 0) & (latency_ns != UNKNOWN_NS) & ~other_clock,
    }
    return damage, findings


def _middles(records: list[Records], processes: int) -> Int64s:
    """Return the median start of the host records of each process; 0 for one without any."""
    process = np.concatenate([r.process for r in records])
    starts = np.concatenate([r.start_ns for r in records])
    plausible = (np.abs(starts.astype(np.float64)) < _ABSURD_NS) & (starts != 0)
    medians = Samples.of(starts[plausible], process[plausible], processes).median()
    return np.array([middle or 0 for middle in medians], np.int64)


def _begun(records: Records, middles_ns: Int64s) -> Bools:
    """Mark the host records with a start to believe."""
    away = np.abs(records.start_ns.astype(np.float64) - middles_ns[records.process])
    begun: Bools = (records.start_ns != UNKNOWN_NS) & (away < _DAY_NS)
    return begun


def _lasts(records: Records) -> Bools:
    lasts: Bools = (records.duration_ns >= 0) & (records.duration_ns < _DAY_NS)
    return lasts


def _session(
    host: Iterable[tuple[Records, Bools]], work: DeviceWork, timed: Bools
) -> tuple[int, int]:
    """Return the first start and the last end of the host, or a day around the device's middle."""
    some = [(records, usable) for records, usable in host if usable.any()]
    if some:
        return (
            min(int(records.start_ns[usable].min()) for records, usable in some),
            max(int(records.end_ns[usable].max()) for records, usable in some),
        )
    middle = median(work.start_ns[timed]) or 0
    return middle - _DAY_NS, middle + _DAY_NS


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
    session: tuple[int, int],
) -> tuple[Bools, tuple[Finding, ...]]:
    """Mark work whose place in time contradicts its launch, its stream or the whole session.

    Where most of the trace does, no record is to blame: the two clocks are, and a finding says so.
    """
    work = trace.device_work
    known = latency_ns != UNKNOWN_NS
    early = known & (latency_ns < -_OTHER_CLOCK_NS)
    late = overtaken(trace, launches, known & ~early, slack_ns=_OTHER_CLOCK_NS)
    astray = early | late
    far = (work.end_ns < session[0] - _FAR_NS) | (work.start_ns > session[1] + _FAR_NS)
    far &= timed & _lasts(work)
    marked: Bools = astray | far
    if 2 * int(astray.sum()) > int(known.sum()) or 2 * int(far.sum()) > int(timed.sum()):
        return np.zeros_like(marked), (describe_clocks(latency_ns[marked]),)
    return marked, ()
