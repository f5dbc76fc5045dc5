"""What framework ops were called with, as a trace records it: many calls, few different sets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np
from msgspec import DecodeError, json

from tracelens.formats.chrome_events import Event
from tracelens.model.trace import MISSING, Arguments, Int32s

Texts = tuple[bytes, bytes]
"""Sizes and types of an op's arguments, in JSON, as the file spells them."""

_MOST_SETS = 65_536
_LONGEST = 512
"""Sets that are kept, and bytes of one text: a bound on the memory that a hostile file can take.
What is longer belongs to an op over a list of tensors."""

_decode = json.Decoder(list[object]).decode


class ArgumentSets(dict[Texts, int]):
    """Numbers sets of arguments in the order they are met. `MISSING` where there is none."""

    def __missing__(self, texts: Texts) -> int:
        if len(self) >= _MOST_SETS or not 0 < len(texts[0]) <= _LONGEST >= len(texts[1]):
            return MISSING
        number = self[texts] = len(self)
        return number

    def of(self, rows: Iterable[Event], count: int) -> Int32s:
        """Return the numbers of what `count` ops were called with."""
        sizes = [bytes(row.args.sizes) for row in rows]
        if not any(sizes):
            return np.full(count, MISSING, np.int32)
        types = [bytes(row.args.types) for row in rows]
        return np.fromiter(map(self.__getitem__, zip(sizes, types, strict=True)), np.int32, count)

    def renumbered(self, earlier: Int32s, texts: Iterable[Texts]) -> Int32s:
        """Return numbers that another reader gave to `texts`, in order, as numbers of this one."""
        mine = [*map(self.__getitem__, texts), MISSING]  # -1 is the last place
        return np.array(mine, np.int32)[earlier]

    def decoded(self) -> tuple[Arguments, ...]:
        """Return every set, in the order of the numbers."""
        return tuple(map(_arguments, self))


def _arguments(texts: Texts) -> Arguments:
    sizes, types = map(_list, texts)
    spelled = (*map(str, types), *repeat("", len(sizes)))[: len(sizes)]
    return Arguments(tuple(map(_sizes, sizes)), spelled)


def _list(text: bytes) -> list[object]:
    try:
        return _decode(text)
    except (DecodeError, RecursionError):
        return []


def _sizes(value: object) -> tuple[int, ...]:
    """Return the sizes of a tensor; a list of tensors has none of its own."""
    if not isinstance(value, list) or any(type(size) is not int for size in value):
        return ()
    return tuple(value)
