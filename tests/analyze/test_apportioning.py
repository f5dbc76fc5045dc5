"""Whole numbers divided in proportion."""

from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.apportioning import apportion


def test_what_is_left_goes_to_the_largest_remainders():
    assert apportion(10, [1, 1, 1]) == [4, 3, 3]
    assert apportion(100, [50, 30, 19]) == [51, 30, 19]
    assert apportion(7, [0, 2, 2, 0]) == [0, 4, 3, 0]


def test_nothing_is_divided_into_nothing():
    assert apportion(0, [3, 4]) == [0, 0]
    assert apportion(5, [0, 0]) == [0, 0]
    assert apportion(5, []) == []


@given(st.integers(0, 10**15), st.lists(st.integers(0, 10**12), min_size=1, max_size=40))
def test_the_parts_sum_to_the_whole_and_none_is_off_by_a_unit(whole, weights):
    parts, total = apportion(whole, weights), sum(weights)
    assert sum(parts) == (whole if total else 0)
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part * total - whole * weight) < max(total, 1)
