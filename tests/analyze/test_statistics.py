from fractions import Fraction

import pytest

from tracelens.analyze.statistics import HIGH, LOW, median, noise, quantile


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([3], 3),
        ([1, 2], 2),  # 1.5 rounds to the even 2
        ([2, 3], 2),  # 2.5 rounds to the even 2
        ([-1, 0], 0),
        ([4, 1, 3], 3),
        ([2**62, 2**62 + 2], 2**62 + 1),  # a float would lose the last bits
        ([], None),
    ],
)
def test_median_is_exact_and_rounds_half_to_even(samples, expected):
    assert median(samples) == expected


def test_quantiles_interpolate_between_neighbours():
    assert quantile([0, 10, 20, 30], LOW) == 6
    assert quantile([0, 10, 20, 30], HIGH) == 24
    assert quantile([7], Fraction(1, 5)) == 7


def test_noise_is_the_interquartile_range_over_the_median():
    assert noise([80, 90, 100, 110, 120]) == 0.2
    assert noise([0, 0, 0]) is None
    assert noise([]) is None
