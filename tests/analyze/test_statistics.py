from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.statistics import HIGH, LOW, Samples, median, noise, quantile


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


GROUPED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2**58)), max_size=15)


@given(GROUPED, st.fractions(0, 1, max_denominator=20))
def test_the_quantile_of_many_groups_is_that_of_each_by_its_formula(pairs, share):
    samples = Samples.of(
        np.array([value for _, value in pairs], np.int64),
        np.array([group for group, _ in pairs], np.int64),
        5,
    )
    of_each = [sorted(value for group, value in pairs if group == each) for each in range(5)]
    assert samples.quantile(share) == [type_7(values, share) for values in of_each]
    assert samples.totals() == [sum(values) if values else None for values in of_each]


def type_7(ordered: list[int], share: Fraction) -> int | None:
    if not ordered:
        return None
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return round(ordered[low] + (ordered[high] - ordered[low]) * (position - low))
