from __future__ import annotations

import random

import pytest

from tracelens.model.median_interval import median_interval


@pytest.mark.parametrize(
    ("count", "low", "high"),
    # Ranks from 1, as tables of the sign test give them for 95 %.
    [(6, 1, 6), (8, 1, 8), (9, 2, 8), (20, 6, 15), (50, 18, 33), (100, 40, 61)],
)
def test_the_ranks_are_those_of_the_sign_test(count: int, low: int, high: int) -> None:
    samples = list(range(1, count + 1))
    random.Random(0).shuffle(samples)

    assert median_interval(samples) == (low, high)


@pytest.mark.parametrize("count", range(6))
def test_fewer_than_six_samples_cannot_enclose_it(count: int) -> None:
    assert median_interval([7] * count) is None


def test_many_samples_do_not_overflow() -> None:
    low, high = median_interval(range(20_000)) or (0, 0)

    # 10000 - 1.96 * sqrt(20000) / 2 - 0.5, for counts are whole.
    assert (low, high) == (9_860, 10_139)


def test_it_encloses_the_true_median_about_as_often_as_it_says() -> None:
    source = random.Random(1)
    held = 0
    for _ in range(2_000):
        low, high = median_interval([round(source.expovariate(0.01)) for _ in range(101)]) or (0, 0)
        held += low <= 69 <= high  # 100 ln 2

    assert 0.94 < held / 2_000 < 0.98
