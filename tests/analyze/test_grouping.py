"""Numbering, folding and spelling out rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.grouping import (
    first_of_group,
    first_rows,
    fold,
    group,
    opening_order,
    rank,
    reduce_groups,
    spread,
)
from tracelens.errors import TraceError

VALUES = st.lists(st.sampled_from([-(2**63), -5, 0, 1, 2, 3, 7, 10**15, 2**63 - 1]), max_size=12)


@given(VALUES)
def test_a_rank_is_the_place_among_the_distinct_values(values):
    ranks, count = rank(np.array(values, np.int64))
    distinct = sorted(set(values))
    assert ranks.tolist() == [distinct.index(value) for value in values]
    assert count == len(distinct)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(0, 1)), max_size=12))
def test_groups_are_the_distinct_rows_in_sorted_order(rows):
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    groups, count = group(*columns)
    distinct = sorted(set(rows))
    assert groups.tolist() == [distinct.index(row) for row in rows]
    assert count == len(distinct)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), min_size=2, max_size=12),
    st.integers(1, 11),
)
def test_folded_numbers_sort_as_pairs_of_group_and_time_do_across_columns(pairs, cut):
    columns = [np.array(part, np.int64).reshape(-1, 2).T for part in (pairs[:cut], pairs[cut:])]
    keys = np.concatenate(fold(*[(groups, times) for groups, times in columns])).tolist()
    assert sorted(range(len(pairs)), key=lambda i: keys[i]) == sorted(
        range(len(pairs)), key=lambda i: pairs[i]
    )


def test_stretches_open_in_order_of_start_the_longer_first_and_the_empty_before_all():
    threads = np.array([1, 0, 0, 0, 0])
    starts, lengths = np.array([5, 7, 7, 7, 3]), np.array([1, 2, 0, 9, 1])
    assert opening_order(threads, starts, lengths).tolist() == [4, 2, 3, 1, 0]
    assert opening_order(threads[:2], starts[:2], lengths[:2]).tolist() == [1, 0]


def test_ranges_are_spelled_out_row_by_row_and_negative_ones_are_empty():
    question, rows = spread(np.array([5, 9, 2]), np.array([2, -1, 3]))
    assert question.tolist() == [0, 0, 2, 2, 2]
    assert rows.tolist() == [5, 6, 2, 3, 4]


def test_more_pairs_than_memory_should_hold_are_refused_by_name():
    with pytest.raises(TraceError) as refused:
        spread(np.array([0, 0]), np.array([20_000_000, 1]))
    assert refused.value.fact == (
        "the windows of this trace overlap each other so much that 20000001 pairs of a window and "
        "a record would have to be kept; 20000000 are the most"
    )
    assert refused.value.hint == "name windows that overlap less, with --window or --time-window"


def test_the_first_row_of_each_group_is_found_in_sorted_and_in_mixed_rows():
    assert first_of_group(np.array([4, 4, 7, 9, 9])).tolist() == [True, False, True, True, False]
    assert first_of_group(np.array([], np.int64)).tolist() == []
    assert first_rows(np.array([1, 0, 1, 2, 0]), 3).tolist() == [1, 0, 3]


def test_groups_are_reduced_and_those_without_rows_take_the_empty_value():
    values, groups = np.array([5, -3, 8, 1]), np.array([2, 0, 2, 0])
    assert reduce_groups(np.add, values, groups, 4, empty=0).tolist() == [-2, 0, 13, 0]
    assert reduce_groups(np.maximum, values, groups, 4, empty=-9).tolist() == [1, -9, 8, -9]
    nothing = np.empty(0, np.int64)
    assert reduce_groups(np.minimum, nothing, nothing, 2, empty=7).tolist() == [7, 7]
