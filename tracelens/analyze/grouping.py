"""Rows that belong together: the same stream, the same thread, the same correlation id."""

from __future__ import annotations

import numpy as np

from tracelens.model.intervals import Bools, Int64s, Ints


def group(*columns: Ints) -> tuple[Int64s, int]:
    """Number the distinct rows of equally long columns.

    Returns each row's group, counted from 0 in sorted order, and how many groups there are.
    """
    codes = np.zeros(len(columns[0]), np.int64)
    count = 1
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        pairs, codes = np.unique(codes * max(len(values), 1) + code, return_inverse=True)
        count = len(pairs)
    return codes.astype(np.int64), count if len(codes) else 0


def spread(low: Int64s, counts: Int64s) -> tuple[Int64s, Int64s]:
    """Spell out ranges: for each question `i` the rows `low[i] .. low[i] + counts[i] - 1`.

    Returns the question and the row of each. Negative counts are empty ranges.
    """
    counts = np.maximum(counts, 0)
    question = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(question)) - np.repeat(np.cumsum(counts) - counts, counts)
    return question, low[question] + nth


def first_of_group(groups: Ints) -> Bools:
    """Mark the first row of each run of equal groups; the groups must be sorted."""
    return np.concatenate((np.ones(min(len(groups), 1), np.bool_), groups[1:] != groups[:-1]))
