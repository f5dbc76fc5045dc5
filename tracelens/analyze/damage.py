"""What was wrong with the records of a trace, in words: one finding per sort of damage."""

from __future__ import annotations

import numpy as np

from tracelens.model.intervals import Bools, Int64s
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, UNKNOWN_NS, Records, Trace


def describe_device(
    trace: Trace, damage: dict[str, Bools], latency_ns: Int64s
) -> tuple[Finding, ...]:
    """Count the device work that each sort of damage marks, kernels apart from copies and sets."""
    kernels = trace.device_work.kind == KERNEL
    findings = []
    for what, rows in damage.items():
        for sorts, mask in (
            (("kernel", "kernels"), rows & kernels),
            (("copy or set", "copies or sets"), rows & ~kernels),
        ):
            if mask.any():
                findings.append(_device_finding(what, sorts, trace, mask, latency_ns))
    return tuple(findings)


def _device_finding(
    what: str, sorts: tuple[str, str], trace: Trace, mask: Bools, latency_ns: Int64s
) -> Finding:
    count = int(mask.sum())
    worst = trace.device_work.duration_ns[mask]
    many = count > 1
    subject = f"{count} {sorts[many]}"
    facts = {
        "negative_duration": f"with negative duration (down to {spell_ns(int(worst.min()))}): "
        "counted, kept out of every sum",
        "no_duration": "without a duration: counted, kept out of every sum",
        "untimed": "without a start time: counted, placed nowhere in time, latency unknown",
        "enclosing": f"enclosing later work of the same stream (up to {spell_ns(int(worst.max()))} "
        "long): counted, kept out of every sum",
        "endless": f"longer than a day, or running on for an hour after the last host record (up "
        f"to {spell_ns(int(worst.max()))}): counted, kept out of every sum",
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
        "endless": "record again; the profiler closed these records wrongly",
        "other_clock": "record again: one profiler session per process, first calls discarded",
        "before_launch": "trust durations and sums, not the latency of these records",
    }
    error = what in ("enclosing", "endless", "other_clock")
    return Finding(
        tag=f"records/{what}",
        severity="error" if error else "warning",
        fact=f"{subject} {facts[what]}",
        advice=advice[what],
    )


def _off(latencies: Int64s) -> str:
    known = latencies[latencies != UNKNOWN_NS]
    return spell_ns(int(np.abs(known).max())) if len(known) else "an unknown time"


def describe_clocks(latencies: Int64s) -> Finding:
    """Say that the device's clock is not the host's, from the latencies that show it."""
    return Finding(
        tag="records/clock_offset",
        severity="error",
        fact=f"{len(latencies)} pieces of device work lie far from their launches (up to "
        f"{_off(latencies)}): the device's clock is not aligned to the host's, so every "
        "launch latency and split of this trace is off by that",
        advice="trust kernel sums and busy times only; record again for a split",
    )


def describe_host(what: str, records: Records, usable: Bools) -> Finding:
    """Count the host records of one sort that are left out."""
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
