"""One quantity on both sides: the medians, their difference and ratio, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tracelens.analyze.diff.resampling import Float64s, draw_medians, interval
from tracelens.analyze.statistics import median, noise
from tracelens.model.intervals import Int64s

Verdict = Literal["faster", "slower", "no difference detected", "not comparable"]

TICK_NS = 32
"""Nanoseconds between two values of the device's clock: kernel times are multiples of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Change:
    """The candidate beside the baseline. What cannot be said is None.

    `baseline` and `candidate` are medians. `ratio` is candidate / baseline; it, `delta` and
    `candidate` lie between their `low` and `high` with 99 % confidence. `floor` is how far a ratio
    may lie from 1 by noise alone. `ratios` are the draws behind the interval.
    """

    baseline: int | None = None
    candidate: int | None = None
    candidate_low: int | None = None
    candidate_high: int | None = None
    delta: int | None = None
    delta_low: int | None = None
    delta_high: int | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    floor: float | None = None
    ratios: Float64s | None = None

    @property
    def verdict(self) -> Verdict:
        """Judge it: a change is one only outside its interval and outside the noise floor.

        Where there is no ratio, since the baseline is nothing, the difference alone is judged.
        """
        if self.ratio_low is not None and self.ratio_high is not None and self.ratio is not None:
            low, here, high = self.ratio_low - 1, self.ratio - 1, self.ratio_high - 1
        elif self.delta_low is not None and self.delta_high is not None and self.delta is not None:
            low, here, high = self.delta_low, self.delta, self.delta_high
        else:
            return "not comparable"
        if low <= 0 <= high or abs(here) <= (self.floor or 0):
            return "no difference detected"
        return "slower" if here > 0 else "faster"

    @property
    def moved(self) -> bool:
        """Whether the difference is more than noise; without an interval, than a clock's tick."""
        if self.delta is None or abs(self.delta) <= TICK_NS:
            return False
        return self.verdict != "no difference detected"


def show_both(baseline: Int64s | None, candidate: Int64s | None) -> Change:
    """Return the two medians without a word on how they compare."""
    return Change(
        baseline=None if baseline is None else median(baseline),
        candidate=None if candidate is None else median(candidate),
    )


def compare(baseline: Int64s, candidate: Int64s) -> Change:
    """Compare samples that were not taken in pairs.

    The interval is that of the ratio of medians, each side drawn again on its own (see
    `resampling`); None where a side has too few samples. The floor is the noise, IQR / median, of
    the noisier side. Without pairs nothing better is known of what two runs of one build differ by.
    """
    shown = show_both(baseline, candidate)
    if shown.baseline is None or shown.candidate is None:
        return shown
    before = draw_medians(baseline, stream=0)
    after = draw_medians(candidate, stream=1)
    deltas = after - before if before is not None and after is not None else None
    ratios = _ratios(before, after)
    candidate_low, candidate_high = _whole_interval(after)
    delta_low, delta_high = _whole_interval(deltas)
    noises = (noise(baseline), noise(candidate))
    return Change(
        baseline=shown.baseline,
        candidate=shown.candidate,
        candidate_low=candidate_low,
        candidate_high=candidate_high,
        delta=shown.candidate - shown.baseline,
        delta_low=delta_low,
        delta_high=delta_high,
        ratio=shown.candidate / shown.baseline if shown.baseline > 0 else None,
        ratio_low=None if ratios is None else interval(ratios)[0],
        ratio_high=None if ratios is None else interval(ratios)[1],
        floor=max((n for n in noises if n is not None), default=None),
        ratios=ratios,
    )


def _ratios(before: Float64s | None, after: Float64s | None) -> Float64s | None:
    if before is None or after is None or not np.all(before > 0):
        return None
    return after / before


def _whole_interval(draws: Float64s | None) -> tuple[int, int] | tuple[None, None]:
    if draws is None:
        return None, None
    low, high = interval(draws)
    return round(low), round(high)
