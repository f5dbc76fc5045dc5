"""Two builds that took turns: the ratio of their times, and how sure it is.

Two processes of one build differ too, by where its memory and code came to lie: for a small op by
1 % and more, however long each is sampled. So the unit that is counted is the process. What the
processes of one side differ by says how far two sides may differ by luck: Student's interval of
the logarithms of their medians.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tracelens.analyze.diff.change import Change, show_both
from tracelens.analyze.diff.resampling import DRAWS, Float64s, draw_medians, interval
from tracelens.model.pairs import Rounds

_SEED = 11


def compare_rounds(rounds: Rounds) -> Change:
    """Compare two sides that took turns.

    The ratio is the median over all pairs of neighbouring turns. Its interval is drawn: this median
    again, times what processes of one build differ by. The floor is the largest ratio of two
    processes of one side, as far as it lies from 1. There is no interval where a side has but one
    process, and no ratio where a time was nothing.
    """
    baseline = np.array(rounds.baseline_ns, np.int64)
    candidate = np.array(rounds.candidate_ns, np.int64)
    shown = show_both(baseline.ravel(), candidate.ravel())
    if shown.baseline is None or shown.candidate is None:
        return shown
    if min(baseline.min(), candidate.min()) <= 0:
        return shown
    by_turn = (candidate / baseline).T.ravel()
    before, after = np.median(baseline, axis=1), np.median(candidate, axis=1)
    change = replace(
        shown,
        delta=shown.candidate - shown.baseline,
        ratio=float(np.median(by_turn)),
        floor=max(_apart(before), _apart(after)),
    )
    again, luck = draw_medians(by_turn), _draw_luck(before, after)
    if again is None or luck is None:
        return change
    ratios = again * luck
    low, high = interval(ratios)
    return replace(
        change,
        candidate_low=round(shown.baseline * low),
        candidate_high=round(shown.baseline * high),
        delta_low=round(shown.baseline * (low - 1)),
        delta_high=round(shown.baseline * (high - 1)),
        ratio_low=low,
        ratio_high=high,
        ratios=ratios,
    )


def _draw_luck(before: Float64s, after: Float64s) -> Float64s | None:
    """Draw by what factor two sides of one build may differ, from the medians of their processes.

    None for one process a side: it cannot say what another would have been.
    """
    count = len(before)
    if count < 2:
        return None
    logs = np.log(np.stack((before, after)))
    degrees = 2 * (count - 1)
    variance = float(np.sum((logs - logs.mean(axis=1, keepdims=True)) ** 2)) / degrees
    drawn = np.random.default_rng(_SEED).standard_t(degrees, DRAWS)
    luck: Float64s = np.exp(drawn * (variance * 2 / count) ** 0.5)
    return luck


def _apart(medians: Float64s) -> float:
    return float(medians.max() / medians.min()) - 1
