"""Names and ids, as a trace spells them, to the numbers that columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from tracelens.model.intervals import Int64s
from tracelens.model.trace import MISSING, Int32s

Id = int | str | None
"""Ids are numbers; some writers put them in quotes, some write null."""

_INT64, _INT32 = np.iinfo(np.int64), np.iinfo(np.int32)
_ONE_NUMBER = re.compile(r"[^0-9]{0,40}([0-9]{1,18})[^0-9]{0,40}")
_LONGEST = 4_000  # digits, past which Python refuses to make a number of them


class Labels(dict[Id, int]):
    """Numbers labels in the order they are met. The number 7 and the string `7` are one label."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}

    def __missing__(self, label: Id) -> int:
        text = "" if label is None else str(label)
        number = self._numbers.setdefault(text, len(self._numbers))
        self[label] = number
        return number

    def of(self, labels: Iterable[Id], count: int) -> Int32s:
        """Return the numbers of `count` labels."""
        return np.fromiter(map(self.__getitem__, labels), np.int32, count)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every label, in the order of the numbers."""
        return tuple(self._numbers)


def int64s(ids: Sequence[Id], *, words: Labels | None = None) -> Int64s:
    """Return ids as numbers, `MISSING` where there is none.

    An id that is a word without a number is `MISSING` too, or where `words` are kept the word's
    own number below `MISSING`.
    """
    try:
        return np.fromiter(ids, np.int64, len(ids))
    except (TypeError, ValueError, OverflowError):
        return np.fromiter((_int64(spelled, words) for spelled in ids), np.int64, len(ids))


def _int64(spelled: Id, words: Labels | None) -> int:
    number = _number_in(spelled) if isinstance(spelled, str) else spelled
    if number is None and spelled is not None and words is not None:
        return MISSING - 1 - words[spelled]
    if number is None or not _INT64.min <= number <= _INT64.max:
        return MISSING
    return number


def _number_in(word: str) -> int | None:
    """Read the only number of a word: `7`, `0x7f3a`, `stream 7`, `GPU 0`. None: it has none."""
    with suppress(ValueError):
        return int(word[:_LONGEST], 0)
    one = _ONE_NUMBER.fullmatch(word)
    return int(one[1]) if one else None


def int32s(numbers: Int64s) -> Int32s:
    """Return numbers of 32 bits, `MISSING` where they do not fit."""
    fits = (numbers >= _INT32.min) & (numbers <= _INT32.max)
    return np.where(fits, numbers, MISSING).astype(np.int32)
