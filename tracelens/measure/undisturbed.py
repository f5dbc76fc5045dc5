"""Where a timed call's time went, by device records that hardly slow it down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.measure.cores import Tour
from tracelens.measure.device import DeviceTimes, Unavailable
from tracelens.measure.timing import (
    FEWEST_SAMPLES,
    Instants,
    Timed,
    move_on,
    sample_calls,
    warm_up,
)
from tracelens.model.intervals import Intervals

_PAIRS = 10
"""Blocks with records, and as many without: enough that a drift meets both alike."""
_CALLS_AFTER_SWITCHING = 3
"""The first calls after records are switched on or off are slower, and no samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undisturbed:
    """Four parts of each call, in ns. They sum to the call's full time exactly.

    `full_off` are full calls from alternating blocks, without records: what recording costs shows
    in the difference.
    """

    before_first: tuple[int, ...]
    busy: tuple[int, ...]
    between: tuple[int, ...]
    after_last: tuple[int, ...]
    full: tuple[int, ...]
    uncertainty_ns: int
    full_off: tuple[int, ...] = ()


def sample_undisturbed(
    subject: Timed, *, head_calls: int, samples: int, budget_ns: int
) -> Undisturbed:
    """Time full calls while the device's work is recorded, and split each of them.

    Blocks of calls with and without records alternate, and so does which of the two comes first;
    each pair of blocks is on another core. The head calls come before all, in case the first
    records of a session are lost.
    Raises Unavailable where nothing can be recorded or a call has no record.
    """
    on, off, tour = Instants(), Instants(), Tour()
    block = max(samples // _PAIRS, FEWEST_SAMPLES)
    with subject.device.work_records() as records:
        warm_up(subject, calls=head_calls, duration_ns=0)
        end_ns = subject.device.now_ns() + budget_ns
        for pair in range(_PAIRS):
            move_on(subject, tour)
            for recorded in (pair % 2 == 0, pair % 2 == 1):
                switch = records.resume if recorded else records.pause
                switch()
                warm_up(subject, calls=_CALLS_AFTER_SWITCHING, duration_ns=0)
                (on if recorded else off).extend(
                    sample_calls(subject, samples=block, budget_ns=budget_ns // (2 * _PAIRS))
                )
            if subject.device.now_ns() >= end_ns:
                break
        records.resume()
    return split_calls(on, records.times(), full_off=off.full_ns)


def sample_busy(subject: Timed, *, head_calls: int, calls: int, budget_ns: int) -> tuple[int, ...]:
    """Return how long the device was busy in each of some calls, their times left alone.

    Raises Unavailable where nothing can be recorded or a call has no record.
    """
    with subject.device.work_records() as records:
        warm_up(subject, calls=head_calls, duration_ns=0)
        instants = sample_calls(subject, samples=calls, budget_ns=budget_ns)
    return split_calls(instants, records.times()).busy


def split_calls(
    instants: Instants, work: DeviceTimes, *, full_off: tuple[int, ...] = ()
) -> Undisturbed:
    """Split each call by the device work that began in it.

    What was queued before a call, such as a flush, had ended when the call began, and is in none.
    Raises Unavailable where a call has none: its time on the device would be unknown, not 0.
    """
    first = np.searchsorted(work.starts, instants.begun_ns)
    last = np.searchsorted(work.starts, instants.done_ns)
    lost = int((first == last).sum())
    if lost:
        raise Unavailable(
            f"{lost} of {len(instants)} timed calls have no record of device work.",
            "Run again; where it stays so, the op runs nothing on the device in those calls.",
        )
    parts = []
    for begun_ns, done_ns, one, end in zip(
        instants.begun_ns, instants.done_ns, first, last, strict=True
    ):
        busy = Intervals.of(work.starts[one:end], work.ends[one:end])
        began_ns, ended_ns = int(busy.starts[0]), int(busy.ends[-1])
        between_ns = ended_ns - began_ns - busy.length_ns
        parts.append((began_ns - begun_ns, busy.length_ns, between_ns, done_ns - ended_ns))
    before_first, busy_ns, between, after_last = zip(*parts, strict=True)
    return Undisturbed(
        before_first=before_first,
        busy=busy_ns,
        between=between,
        after_last=after_last,
        full=instants.full_ns,
        uncertainty_ns=work.uncertainty_ns,
        full_off=full_off,
    )
