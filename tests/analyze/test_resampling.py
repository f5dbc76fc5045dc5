"""Intervals of medians, held against distributions whose true median is known. Seeds are fixed."""

import numpy as np
import pytest

from tracelens.analyze.resampling import draw_medians, interval

TRIALS = 300
MOST_MISSED = 9  # 1 % of 300 are 3; ten or more happen by chance in one of 700


def lognormal(random, count):
    return (20_000 * np.exp(0.1 * random.normal(size=count))).round()


def ticks(random, count):
    """Kernel times: multiples of the clock's 32 ns, many of them equal."""
    return 32 * np.round((900 + 20 * random.normal(size=count)) / 32)


def two_modes(random, count):
    return np.where(random.random(count) < 0.3, 25_000, 20_000) + 100 * random.normal(size=count)


@pytest.mark.parametrize("shape", [lognormal, ticks, two_modes])
@pytest.mark.parametrize("count", [20, 200])
def test_two_runs_of_one_build_differ_beyond_the_interval_in_one_of_a_hundred(shape, count):
    random = np.random.default_rng(11)
    false = 0
    for _ in range(TRIALS):
        before = draw_medians(shape(random, count), stream=0)
        after = draw_medians(shape(random, count), stream=1)
        low, high = interval(after / before)
        false += not low <= 1 <= high
    assert false <= MOST_MISSED


def test_neighbours_that_resemble_each_other_widen_the_interval():
    random = np.random.default_rng(12)
    drifting = 20_000 + 100 * np.cumsum(random.normal(size=400))
    widths = [
        np.subtract(*interval(draw_medians(samples))[::-1])
        for samples in (drifting, random.permutation(drifting))
    ]
    assert widths[0] > 1.5 * widths[1]


def test_the_interval_of_a_median_encloses_it_in_99_of_100_runs():
    random = np.random.default_rng(13)
    missed = 0
    for _ in range(TRIALS):
        low, high = interval(draw_medians(lognormal(random, 100)))
        missed += not low <= 20_000 <= high
    assert missed <= MOST_MISSED


def test_the_same_samples_always_give_the_same_draws():
    samples = np.arange(50)
    assert np.array_equal(draw_medians(samples), draw_medians(samples))
    assert not np.array_equal(draw_medians(samples), draw_medians(samples, stream=1))


def test_equal_samples_have_no_doubt_and_nine_samples_no_interval():
    assert interval(draw_medians(np.full(20, 7_000))) == (7_000, 7_000)
    assert draw_medians(np.arange(9)) is None
