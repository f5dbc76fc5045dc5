"""Interval arithmetic against plain Python sets of instants."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracelens.model.intervals import Intervals, partition

PAIRS = st.lists(st.tuples(st.integers(-30, 30), st.integers(-30, 30)), max_size=12)


def intervals(pairs: list[tuple[int, int]]) -> Intervals:
    return Intervals.of([start for start, _ in pairs], [end for _, end in pairs])


def instants(pairs: list[tuple[int, int]]) -> set[int]:
    return {t for start, end in pairs for t in range(start, end)}


def held(found: Intervals) -> set[int]:
    return instants(list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)))


def is_canonical(found: Intervals) -> bool:
    """Sorted, none empty, and no two touch."""
    gaps = found.starts[1:] > found.ends[:-1]
    return bool((found.starts < found.ends).all() and gaps.all())


@given(PAIRS, PAIRS)
def test_set_operations_hold_the_same_instants_as_python_sets(a, b):
    ia, ib = intervals(a), intervals(b)
    sa, sb = instants(a), instants(b)
    for found, expected in (
        (ia, sa),
        (ia.union(ib), sa | sb),
        (ia.intersect(ib), sa & sb),
        (ia.subtract(ib), sa - sb),
    ):
        assert is_canonical(found)
        assert held(found) == expected
        assert found.length_ns == len(expected)


@given(PAIRS, PAIRS)
def test_lengths_within_count_the_instants_between_two_times(a, bounds):
    starts = np.array([min(pair) for pair in bounds], np.int64)
    ends = np.array([max(pair) for pair in bounds], np.int64)
    expected = [len(instants(a) & set(range(s, e))) for s, e in zip(starts, ends, strict=True)]
    assert intervals(a).lengths_within(starts, ends).tolist() == expected


@given(st.lists(PAIRS, max_size=4), PAIRS)
def test_a_partition_gives_each_instant_to_the_first_set_that_holds_it(sets, whole):
    parts = partition([intervals(s) for s in sets], intervals(whole))
    rest = instants(whole)
    for part, pairs in zip(parts, sets, strict=False):
        assert held(part) == rest & instants(pairs)
        rest -= instants(pairs)
    assert held(parts[-1]) == rest
    assert sum(part.length_ns for part in parts) == intervals(whole).length_ns


def test_touching_intervals_are_one_and_empty_ones_are_none():
    assert intervals([(0, 5), (5, 8), (9, 9), (4, 2)]) == intervals([(0, 8)])
    assert len(intervals([(3, 3)])) == 0
