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

from functools import cache

import numpy as np

from tracelens.analyze.change import Change, of_difference, of_ratio, to_ratios
from tracelens.analyze.resampling import DRAWS, Float64s
from tracelens.model.pairs import Rounds

_SEED = 11
_OF_EACH = 100
"""Draws that one stands for."""


def compare_rounds(rounds: Rounds, *, tick_ns: int = 0) -> Change:
    """Compare two sides that took turns.

    The ratio is that of the mean logarithms of the processes of each side, a process counted by
    the median of its samples, each beside its round. All else is what that ratio says in a middling
    round: medians of each side's samples on its own, rounds and cores mixed, would say another
    thing, and on a noisy machine the opposite. The floor is the largest ratio of two processes of
    one side, as far as it lies from 1, and more than a tick of the clock that the samples were read
    from. There is no interval where a side has but one process. Where a time was nothing there is
    no ratio, and the difference is found in the same way, without logarithms.
    """
    samples = np.array((rounds.baseline_ns, rounds.candidate_ns), np.int64)
    if samples.min() <= 0:
        levels = _levels(samples.astype(np.float64))
        return of_difference(*levels.mean(axis=1).tolist(), tick_ns=tick_ns, errors=_errors(levels))
    levels = _levels(np.log(samples))
    baseline_ns, candidate_ns = np.exp(levels.mean(axis=1)).tolist()
    ratio, errors = candidate_ns / baseline_ns, _errors(levels)
    apart = float(np.exp(np.ptp(levels, axis=1).max())) - 1
    return of_ratio(
        baseline_ns,
        ratio,
        floor=max(apart, (tick_ns + 1) / min(baseline_ns, candidate_ns)),
        ratios=None if errors is None else to_ratios(ratio, errors),
    )


def _levels(samples: Float64s) -> Float64s:
    """Return a figure for each process, of shape (2, processes), from samples by side, process and
    round: the middle round, and the median of how far the process lies from all in each round."""
    common = np.median(samples, axis=(0, 1))
    levels: Float64s = np.median(common) + np.median(samples - common, axis=2)
    return levels


def _errors(levels: Float64s) -> Float64s | None:
    """Return by how far the difference of the two sides' means may be off.

    None for one process a side: it cannot say what another would have been.
    """
    count = levels.shape[1]
    if count < 2:
        return None
    degrees = 2 * (count - 1)
    means = levels.mean(axis=1, keepdims=True)
    variance = float(np.sum((levels - means) ** 2)) / degrees
    own = np.random.default_rng((_SEED, *levels.ravel().view(np.uint64).tolist()))
    drawn: Float64s = own.permutation(_students(degrees)) * (variance * 2 / count) ** 0.5
    return drawn


@cache
def _students(degrees: int) -> Float64s:
    """Return draws of Student's t that lie as they should: of few draws the tails are left to luck.

    They are in order; two quantities that each put them in an order of its own are independent.
    """
    many = np.random.default_rng(_SEED).standard_t(degrees, DRAWS * _OF_EACH)
    drawn: Float64s = np.sort(many)[_OF_EACH // 2 :: _OF_EACH]
    return drawn
