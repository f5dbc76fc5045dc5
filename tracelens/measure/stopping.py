"""When to stop sampling: once the median is known well enough, or the time is spent."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tracelens.measure.cores import Tour
from tracelens.measure.timing import FEWEST_SAMPLES, Instants, Timed, sample_spread
from tracelens.model.card import CardReading
from tracelens.model.median_interval import median_interval

End = Literal["precision", "samples", "budget"]

_BLOCKS_A_BUDGET = 5
"""A slow op, too, is looked at this often, at the clocks and at what is known so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Sample block by block until both ends of the median's 95 % interval are near the median.

    `precision` is how near, as a share of it; `most` samples or `budget_ns` end it sooner.
    """

    block: int
    most: int
    precision: float
    budget_ns: int


@dataclass(slots=True)
class Sampled:
    """What sampling gave, why it ended, and what the card said after each block."""

    instants: Instants = field(default_factory=Instants)
    ended_by: End = "budget"
    discarded: int = 0
    """Calls left out, for the card was throttled."""
    readings: list[CardReading] = field(default_factory=list)


def sample_until(subject: Timed, rule: Rule, *, look: Callable[[], CardReading | None]) -> Sampled:
    """Time single calls by the rule, each block spread over the cores.

    Look at the card between blocks, never inside one.

    A block after which the card is throttled is left out, unless that leaves fewer than five.
    """
    found, slowed, tour = Sampled(), Instants(), Tour()
    end_ns = subject.device.now_ns() + rule.budget_ns
    end: End | None = None
    while end is None:
        block = sample_spread(
            subject,
            tour,
            samples=min(rule.block, rule.most),
            budget_ns=rule.budget_ns // _BLOCKS_A_BUDGET,
        )
        reading = look()
        if reading is not None:
            found.readings.append(reading)
        (slowed if reading is not None and reading.slowed else found.instants).extend(block)
        end = _end(found.instants, slowed, rule, over=subject.device.now_ns() >= end_ns)
    found.ended_by, found.discarded = end, len(slowed)
    if len(found.instants) < FEWEST_SAMPLES:
        found.instants.extend(slowed)
        found.discarded = 0
    return found


def known_within(samples: Sequence[int], precision: float) -> bool:
    """Say whether both ends of the median's interval are that near to it, as a share of it."""
    interval = median_interval(samples)
    if interval is None:
        return False
    middle = statistics.median(samples)
    low, high = interval
    return max(high - middle, middle - low) <= precision * middle


def _end(kept: Instants, slowed: Instants, rule: Rule, *, over: bool) -> End | None:
    if known_within(kept.full_ns, rule.precision):
        return "precision"
    if len(kept) + len(slowed) >= rule.most:
        return "samples"
    return "budget" if over else None
