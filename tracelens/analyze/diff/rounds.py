"""Two builds that took turns: the ratio of their times, and how sure it is.

Two processes of one build differ too, by where its memory and code came to lie: for a small op by
half a percent and more, however long each is sampled. So the unit that is counted is the process.
What the processes of one side differ by says how far two sides may differ by luck: Student's
interval of the difference of two means, with the variance of both sides pooled.

A sample is first held against its round: what all processes have in common there, such as the
core's clock or a busy neighbour, is in no difference. The rounds are the blocks of a randomised
block design (Fisher, The Design of Experiments, 1935), with medians in place of means.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from tracelens.analyze.change import Change, show_both
from tracelens.analyze.resampling import DRAWS, Float64s, interval
from tracelens.model.pairs import Rounds

_SEED = 11
_OF_EACH = 100
"""Draws that one stands for."""


def compare_rounds(rounds: Rounds, *, tick_ns: int = 0) -> Change:
    """Compare two sides that took turns.

    The ratio is that of the mean logarithms of the processes of each side, a process counted by
    the median of its samples, each beside its round. The floor is the largest ratio of two
    processes of one side, as far as it lies from 1, and more than a tick of the clock that the
    samples were read from. There is no interval where a side has but one process, and no ratio
    where a time was nothing.
    """
    samples = np.array((rounds.baseline_ns, rounds.candidate_ns), np.int64)
    shown = show_both(samples[0].ravel(), samples[1].ravel())
    if shown.baseline is None or shown.candidate is None:
        return shown
    change = _with_delta(shown, _by_process(samples.astype(np.float64)))
    if samples.min() <= 0:
        return change
    tick = (tick_ns + 1) / min(shown.baseline, shown.candidate)
    return _with_ratio(change, _by_process(np.log(samples)), tick=tick)


def _with_delta(shown: Change, levels: Float64s) -> Change:
    delta, draws = _differ(levels)
    change = replace(shown, delta=round(delta))
    if draws is None or shown.baseline is None:
        return change
    low, high = (round(end) for end in interval(draws))
    return replace(
        change,
        candidate_low=shown.baseline + low,
        candidate_high=shown.baseline + high,
        delta_low=low,
        delta_high=high,
    )


def _with_ratio(change: Change, levels: Float64s, *, tick: float) -> Change:
    difference, draws = _differ(levels)
    apart = float(np.exp(np.ptp(levels, axis=1).max())) - 1
    change = replace(change, ratio=float(np.exp(difference)), floor=max(apart, tick))
    if draws is None:
        return change
    ratios = np.exp(draws)
    low, high = interval(ratios)
    return replace(change, ratio_low=low, ratio_high=high, ratios=ratios)


def _by_process(samples: Float64s) -> Float64s:
    """Return a figure for each process, of shape (2, processes), from samples by side, process and
    round: the median of how far they lie from what all have in common in their round."""
    beside: Float64s = np.median(samples - np.median(samples, axis=(0, 1)), axis=2)
    return beside


def _differ(levels: Float64s) -> tuple[float, Float64s | None]:
    """Return by how much the second side lies above the first, and what it might have been.

    None for one process a side: it cannot say what another would have been.
    """
    means = levels.mean(axis=1)
    difference = float(means[1] - means[0])
    count = levels.shape[1]
    if count < 2:
        return difference, None
    degrees = 2 * (count - 1)
    variance = float(np.sum((levels - means[:, None]) ** 2)) / degrees
    own = np.random.default_rng((_SEED, *levels.ravel().view(np.uint64).tolist()))
    drawn = own.permutation(_students(degrees))
    return difference, difference + drawn * (variance * 2 / count) ** 0.5


@cache
def _students(degrees: int) -> Float64s:
    """Return draws of Student's t that lie as they should: of few draws the tails are left to luck.

    They are in order; two quantities that each put them in an order of its own are independent.
    """
    many = np.random.default_rng(_SEED).standard_t(degrees, DRAWS * _OF_EACH)
    drawn: Float64s = np.sort(many)[_OF_EACH // 2 :: _OF_EACH]
    return drawn
