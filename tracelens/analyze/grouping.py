"""Rows that belong together: the same stream, the same thread, the same correlation id."""

from __future__ import annotations

import numpy as np

from tracelens.errors import TraceError
from tracelens.model.intervals import Bools, Int64s, Ints

_MOST_PAIRS = 20_000_000
"""Pairs of rows in memory at once: some hundred times what a trace of 3 GB needs, about 1 GB."""


def rank(values: Ints) -> tuple[Int64s, int]:
    """Number the distinct values of a column from 0, in their order.

    Returns each row's number and how many there are.
    """
    if len(values) == 0:
        return np.empty(0, np.int64), 0
    lowest, highest = int(values.min()), int(values.max())
    if highest - lowest < 2 * len(values):  # ids and interned names: looked up, never sorted
        offsets = values.astype(np.int64) - lowest
        present = np.zeros(highest - lowest + 1, np.int64)
        present[offsets] = 1
        numbers = np.cumsum(present) - 1
        return numbers[offsets], int(numbers[-1]) + 1
    order = np.argsort(values, kind="stable")  # recorded times are nearly sorted: merely merged
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.cumsum(first_of_group(values[order])) - 1
    return ranks, int(ranks[order[-1]]) + 1


def group(*columns: Ints) -> tuple[Int64s, int]:
    """Number the distinct rows of equally long columns.

    Returns each row's group, counted from 0 in sorted order, and how many groups there are.
    """
    codes, count = rank(columns[0])
    for column in columns[1:]:
        further, size = rank(column)
        codes, count = rank(codes * size + further)
    return codes, count


def fold(*columns: tuple[Ints, Int64s]) -> list[Int64s]:
    """Fold pairs of (group, time) into single numbers that sort as the pairs do.

    Each column is a pair of arrays; the numbers of all columns can be compared with each other.
    A running maximum, or a search, over such numbers starts anew with each group.
    """
    ranks, count = rank(np.concatenate([times for _, times in columns]))
    keys = np.concatenate([groups for groups, _ in columns]).astype(np.int64) * count + ranks
    return np.split(keys, np.cumsum([len(times) for _, times in columns])[:-1])


def opening_order(groups: Ints, starts: Int64s, lengths: Int64s) -> Int64s:
    """Return the rows in the order in which stretches open, group by group.

    Of stretches that open at once the longest opens first, for the others lie inside it; but those
    of no length came before it.
    """
    (keys,) = fold((groups, starts))
    order = np.argsort(keys, kind="stable")
    if first_of_group(keys[order]).all():
        return order
    return np.lexsort((-lengths, lengths > 0, keys))


def spread(low: Int64s, counts: Int64s) -> tuple[Int64s, Int64s]:
    """Spell out ranges: for each question `i` the rows `low[i] .. low[i] + counts[i] - 1`.

    Returns the question and the row of each. Negative counts are empty ranges. Raises TraceError
    where the rows are too many to hold: windows that overlap each other by the thousand ask so.
    """
    counts = np.maximum(counts, 0)
    total = int(counts.sum())
    if total > _MOST_PAIRS:
        raise TraceError(
            f"the windows of this trace overlap each other so much that {total} pairs of a window "
            f"and a record would have to be kept; {_MOST_PAIRS} are the most",
            "name windows that overlap less, with --window or --time-window",
        )
    question = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return question, low[question] + nth


def first_of_group(groups: Ints) -> Bools:
    """Mark the first row of each run of equal groups; the groups must be sorted."""
    return np.concatenate((np.ones(min(len(groups), 1), np.bool_), groups[1:] != groups[:-1]))


def reduce_groups(
    reduce: np.ufunc, values: Int64s, groups: Int64s, count: int, *, empty: int
) -> Int64s:
    """Reduce the values of each group, numbered from 0 to `count`, to one; `empty` stands for none.

    Many times faster than `reduce.at`, for the groups of recorded rows come in long runs.
    """
    reduced = np.full(count, empty, np.int64)
    if len(groups):
        runs = np.flatnonzero(first_of_group(groups))
        values, groups = reduce.reduceat(values, runs), groups[runs]
        order = np.argsort(groups, kind="stable")
        heads = np.flatnonzero(first_of_group(groups[order]))
        reduced[groups[order[heads]]] = reduce.reduceat(values[order], heads)
    return reduced


def first_rows(groups: Int64s, count: int) -> Int64s:
    """Return the first row of each group, for groups numbered from 0 to `count` in any order."""
    rows = np.empty(count, np.int64)
    rows[groups[::-1]] = np.arange(len(groups))[::-1]  # of several writes the last one stays
    return rows
