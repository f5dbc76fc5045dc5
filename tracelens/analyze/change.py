"""One quantity on both sides: the medians, their difference and ratio, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tracelens.analyze.resampling import Float64s, draw_medians, interval
from tracelens.analyze.statistics import median, noise
from tracelens.model.intervals import Int64s

Verdict = Literal["faster", "slower", "no difference detected", "not comparable"]

TICK_NS = 32
"""Nanoseconds between two values of the device's clock: kernel times are multiples of it."""

_FARTHEST = math.log(1e3)
"""Of a logarithm: processes of one build do not lie a thousand times apart."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Change:
    """The candidate beside the baseline. What cannot be said is None.

    `baseline` and `candidate` are medians, or what stands for them (see `of_ratio`); `delta` and
    `ratio` are their difference and quotient. `ratio`, `delta` and `candidate` lie between their
    `low` and `high` with 99 % confidence. `floor` is how far a ratio may lie from 1 without any
    change of the build: by the `noise` of the samples, or by the `luck` of one process against
    another, of which the interval knows nothing. `ratios` are the draws behind the interval.
    `clocks` is the candidate's clock / the baseline's, for a time of the device.
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
    noise: float | None = None
    luck: float = 0.0
    ratios: Float64s | None = None
    clocks: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Judge it: a change is one only outside its interval and outside the floor.

        A change of the device's time is one only if its cycles changed too. Where the ratio has no
        interval, since the baseline is or might be nothing, the difference is judged.
        """
        return "no difference detected" if self.is_of_clock else self._judged(self.floor)

    @property
    def is_of_clock(self) -> bool:
        """Whether there is a change in time and none in cycles: the card's clock made it."""
        word = self._judged(self.floor)
        if self.clocks is None or word not in ("faster", "slower"):
            return False
        return self._judged(self.floor, times=self.clocks) != word

    @property
    def is_within_luck(self) -> bool:
        """Whether only what two processes of one build differ by keeps it from being a change."""
        return self._judged(self.floor) != self._judged(self.measured_floor)

    @property
    def moved(self) -> bool:
        """Whether the difference is more than noise; without an interval, than a clock's tick."""
        if self.delta is None or abs(self.delta) <= TICK_NS or self.is_of_clock:
            return False
        return self._judged(self.measured_floor) != "no difference detected"

    @property
    def measured_floor(self) -> float | None:
        """The floor as far as it was measured: without the luck that is assumed of a process."""
        return self.floor if self.noise is None else self.noise

    def _judged(self, floor: float | None, *, times: float = 1.0) -> Verdict:
        """Judge the ratio times a factor, or else the difference."""
        if self.ratio_low is not None and self.ratio_high is not None and self.ratio is not None:
            low, here, high = (end * times for end in (self.ratio_low, self.ratio, self.ratio_high))
            if low <= 1 <= high or _apart(here) <= (floor or 0):
                return "no difference detected"
            return "slower" if here > 1 else "faster"
        if self.delta_low is not None and self.delta_high is not None and self.delta is not None:
            least = max(0, min(self.baseline or 0, self.candidate or 0))
            if self.delta_low <= 0 <= self.delta_high or abs(self.delta) <= (floor or 0) * least:
                return "no difference detected"
            return "slower" if self.delta > 0 else "faster"
        return "not comparable"


def show_both(baseline: Int64s | None, candidate: Int64s | None) -> Change:
    """Return the two medians without a word on how they compare."""
    return Change(
        baseline=None if baseline is None else median(baseline),
        candidate=None if candidate is None else median(candidate),
    )


def compare(baseline: Int64s, candidate: Int64s, *, luck: float = 0.0) -> Change:
    """Compare samples that were not taken in pairs.

    The interval is that of the ratio of medians, each side drawn again on its own (see
    `resampling`); None where a side has too few samples. `luck` is how far from 1 the ratio of two
    processes of one build may lie: the floor is that, or the noise, IQR / median, of the noisier
    side where it is more.
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
    spread = max((n for n in (noise(baseline), noise(candidate)) if n is not None), default=None)
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
        floor=max(luck, spread or 0.0),
        noise=spread,
        luck=luck,
        ratios=ratios,
    )


def of_ratio(
    baseline_ns: float, ratio: float, *, floor: float, ratios: Float64s | None = None
) -> Change:
    """Return what a ratio says of a baseline: the candidate, the difference, and between what ends.

    All of it follows from the ratio and the draws behind it, so that no figure says another thing
    than the verdict does.
    """
    before, after = round(baseline_ns), round(baseline_ns * ratio)
    change = Change(
        baseline=before, candidate=after, delta=after - before, ratio=ratio, floor=floor
    )
    if ratios is None:
        return change
    low, high = interval(ratios)
    return replace(
        change,
        candidate_low=round(baseline_ns * low),
        candidate_high=round(baseline_ns * high),
        delta_low=round(baseline_ns * (low - 1)),
        delta_high=round(baseline_ns * (high - 1)),
        ratio_low=low,
        ratio_high=high,
        ratios=ratios,
    )


def of_difference(
    baseline_ns: float, candidate_ns: float, *, tick_ns: int, errors: Float64s | None
) -> Change:
    """Return how two levels differ where one of them may be nothing, so that no ratio is known.

    `errors` are draws of how far the difference may be off; nobody has read the clock closer than
    a tick.
    """
    before, after = round(baseline_ns), round(candidate_ns)
    change = Change(baseline=before, candidate=after, delta=after - before)
    if errors is None:
        return change
    low, high = interval(candidate_ns - baseline_ns + errors)
    low, high = round(low) - tick_ns, round(high) + tick_ns
    return replace(
        change,
        candidate_low=before + low,
        candidate_high=before + high,
        delta_low=low,
        delta_high=high,
    )


def to_ratios(ratio: float, logarithms: Float64s) -> Float64s:
    """Return draws of a ratio, by how far the logarithms of each may lie from it.

    They may lie anywhere: of two or three processes nobody knows where a fourth would be.
    """
    ratios: Float64s = ratio * np.exp(np.clip(logarithms, -_FARTHEST, _FARTHEST))
    return ratios


def _apart(ratio: float) -> float:
    """Return how far a ratio lies from 1, the same for its inverse: half is as far as double."""
    return ratio - 1 if ratio >= 1 else 1 / ratio - 1 if ratio > 0 else math.inf


def _ratios(before: Float64s | None, after: Float64s | None) -> Float64s | None:
    if before is None or after is None or not np.all(before > 0):
        return None
    return after / before


def _whole_interval(draws: Float64s | None) -> tuple[int, int] | tuple[None, None]:
    if draws is None:
        return None, None
    low, high = interval(draws)
    return round(low), round(high)
