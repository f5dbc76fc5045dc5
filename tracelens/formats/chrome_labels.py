"""Names and ids, as a Chrome trace spells them, to the numbers that columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from tracelens.formats.chrome_events import Id
from tracelens.model.intervals import Int64s
from tracelens.model.trace import MISSING, Int32s

_INT64, _INT32 = np.iinfo(np.int64), np.iinfo(np.int32)
_ONE_NUMBER = re.compile(r"[^0-9-]{0,40}([0-9]{1,18})[^0-9]{0,40}")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}")


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
    if isinstance(spelled, str):
        if _HEXADECIMAL.fullmatch(spelled):
            number = int(spelled, 16)
        elif one := _ONE_NUMBER.fullmatch(spelled):  # `stream 7`, `GPU 0`
            number = int(one[1])
        else:
            return MISSING if words is None else MISSING - 1 - words[spelled]
    elif spelled is None:
        return MISSING
    else:
        number = spelled
    return number if _INT64.min <= number <= _INT64.max else MISSING


def int32s(numbers: Int64s) -> Int32s:
    """Return numbers of 32 bits, `MISSING` where they do not fit."""
    fits = (numbers >= _INT32.min) & (numbers <= _INT32.max)
    return np.where(fits, numbers, MISSING).astype(np.int32)
