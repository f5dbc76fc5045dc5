"""The geometric mean over cases, held against a truth that is known. Seeds are fixed."""

import numpy as np
import pytest

from tracelens.analyze.change import Change, compare
from tracelens.analyze.diff.aggregate import geometric_mean


def test_the_mean_of_twice_and_half_is_one_and_a_failed_case_is_not_one():
    mean = geometric_mean([Change(ratio=2.0), Change(ratio=0.5), Change()])
    assert (mean.ratio, mean.ratio_low) == (1.0, None)
    assert geometric_mean([Change(ratio=2.0), Change()]).ratio == 2.0
    assert geometric_mean([Change()]).ratio is None


def test_a_time_that_came_down_to_nothing_enters_no_mean_and_leaves_it_a_number():
    vanished = compare(np.full(20, 5_000), np.zeros(20, np.int64))
    assert vanished.ratio == 0.0
    mean = geometric_mean([Change(ratio=2.0), vanished, Change(ratio=8.0)])
    assert mean.ratio == pytest.approx(4.0)
    assert geometric_mean([vanished]).ratio is None
    partly = compare(np.full(20, 5_000), np.array([0] * 9 + [4_000] * 11))
    assert partly.ratio_low == 0.0
    mean = geometric_mean([partly])
    assert (mean.ratio, mean.ratio_low) == (pytest.approx(0.8), None)


def test_the_interval_encloses_the_true_mean_in_99_of_100_experiments():
    random = np.random.default_rng(3)
    true, missed = [1.05, 1.3, 0.9, 1.1], 0
    for _ in range(200):
        changes = [
            compare(
                (20_000 * np.exp(0.05 * random.normal(size=60))).astype(np.int64),
                (20_000 * ratio * np.exp(0.05 * random.normal(size=60))).astype(np.int64),
            )
            for ratio in true
        ]
        mean = geometric_mean(changes)
        missed += not mean.ratio_low <= np.prod(true) ** 0.25 <= mean.ratio_high
    assert missed <= 7  # 1 % of 200 are 2; eight or more happen by chance in one of 900


def test_the_mean_of_many_cases_is_surer_than_any_of_them():
    random = np.random.default_rng(4)
    draws = lambda: (20_000 * np.exp(0.05 * random.normal(size=60))).astype(np.int64)  # noqa: E731
    changes = [compare(draws(), draws()) for _ in range(16)]
    mean = geometric_mean(changes)
    widths = [change.ratio_high - change.ratio_low for change in changes]
    assert mean.ratio_high - mean.ratio_low == pytest.approx(np.mean(widths) / 4, rel=0.2)
