"""The host clock against itself: it needs no device."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

from tracelens.measure.clock import CLOCK, now_ns
from tracelens.measure.truth import spin_host
from tracelens.model.calibration import Calibration

_READS = 10_000
_SPINS = 200
_SPIN_NS = 50_000
_STRETCHES = 20
_STRETCH_NS = 5_000_000


def examine_host_clock() -> Iterator[Calibration]:
    """Calibrate its cost and its step, a spin of 50 us, and its rate against an unslewed clock."""
    reads = [now_ns() for _ in range(_READS)]
    steps = [after - before for before, after in pairwise(reads)]
    yield Calibration(
        check="clock_read",
        way="host",
        kind="nothing",
        truth_ns=0,
        truth_from=f"{CLOCK} is read twice in a row",
        samples_ns=tuple(steps),
    )
    yield Calibration(
        check="spin_host_50us",
        way="host",
        kind="host",
        truth_ns=_SPIN_NS,
        truth_from="a loop that reads the clock until 50 us are over",
        samples_ns=tuple(_spun() for _ in range(_SPINS)),
    )
    if hasattr(time, "CLOCK_MONOTONIC_RAW"):  # Linux
        yield Calibration(
            check="clock_rate",
            way="host",
            kind="host",
            truth_ns=_STRETCH_NS,
            truth_from="5 ms by CLOCK_MONOTONIC_RAW, which nothing slews",
            samples_ns=tuple(_stretch() for _ in range(_STRETCHES)),
        )


def _spun() -> int:
    begun_ns = now_ns()
    spin_host(_SPIN_NS)
    return now_ns() - begun_ns


def _stretch() -> int:
    """Return what the host clock says of a stretch, scaled to one of exactly 5 ms."""
    raw = time.CLOCK_MONOTONIC_RAW
    begun_ns, raw_begun_ns = now_ns(), time.clock_gettime_ns(raw)
    spin_host(_STRETCH_NS)
    done_ns, raw_done_ns = now_ns(), time.clock_gettime_ns(raw)
    return round((done_ns - begun_ns) * _STRETCH_NS / (raw_done_ns - raw_begun_ns))
