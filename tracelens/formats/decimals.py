"""Decimal microseconds, as a file spells them, to whole nanoseconds, exactly.

A float64 holds 53 bits, and absolute epoch microseconds with three decimals need 61. So no number
becomes a float on its way: a column of texts turns into integers, digit for digit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
from msgspec import Raw

from tracelens.model.intervals import Int64s
from tracelens.model.trace import UNKNOWN_NS

_COMMA, _MINUS, _DOT = b",-."

_NS_PER_DIGIT = np.array([1_000, 100, 10, 1], np.int64)
"""Nanoseconds in the last digit of a number of microseconds with 0, 1, 2 and 3 decimals."""

_MOST_NS = int(np.iinfo(np.int64).max)
_MOST = _MOST_NS // _NS_PER_DIGIT
"""The largest number, its point taken out, that an int64 of nanoseconds holds."""

_WHOLE_DIGITS = 16
"""Digits before the point in microseconds since 1970. With three more, text to int64 saturates."""

_NUMBER = re.compile(rb'"?(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,9})?)"?')
_ROUNDING = Context(prec=40, rounding=ROUND_HALF_EVEN)


def nanoseconds(texts: Sequence[Raw]) -> Int64s:
    """Return decimal microseconds, each a JSON number or a string with one, as nanoseconds.

    More than three decimals are rounded to the nearest nanosecond, half to even. What is no number,
    or lies outside int64, is `UNKNOWN_NS`.
    """
    plain = _plain(texts)
    if plain is not None:
        return plain
    return np.fromiter(map(_spelled, texts), np.int64, len(texts))


def elapsed(start: Raw, end: Raw) -> Raw:
    """Return the microseconds from one time to another, as text; empty where one is unknown."""
    start_ns, end_ns = (int(ns) for ns in nanoseconds([start, end]))
    if UNKNOWN_NS in (start_ns, end_ns):
        return Raw(b"")
    return Raw(str(Decimal(end_ns - start_ns).scaleb(-3)).encode())


def _plain(texts: Sequence[Raw]) -> Int64s | None:
    """Convert a column of plain numbers with at most three decimals. None where one is not."""
    joined = b",".join([*texts, b""]).translate(None, b'"')
    if joined.translate(None, b"0123456789,-."):
        return None
    letters = np.frombuffer(joined, np.uint8)
    ends = np.flatnonzero(letters == _COMMA)
    if len(ends) != len(texts):
        return None
    dots = np.flatnonzero(letters == _DOT)
    minuses = np.flatnonzero(letters == _MINUS)
    dotted = np.searchsorted(ends, dots)
    decimals = np.zeros(len(texts), np.int64)
    decimals[dotted] = ends[dotted] - dots - 1
    whole = np.diff(ends, prepend=-1) - 1 - decimals
    whole[dotted] -= 1
    whole[np.searchsorted(ends, minuses)] -= 1
    plain = (
        bool(((whole > 0) & (whole <= _WHOLE_DIGITS) & (decimals < len(_MOST))).all())
        and bool((np.diff(dotted) > 0).all())
        and bool((letters[minuses - 1] == _COMMA).all())  # of the first: the last comma
    )
    if not plain:
        return None
    numbers: Int64s = np.fromstring(joined.translate(None, b"."), np.int64, sep=",")
    most = _MOST[decimals]
    if ((numbers >= most) | (numbers <= -most)).any():
        return None
    return numbers * _NS_PER_DIGIT[decimals]


def _spelled(text: Raw) -> int:
    """Convert one number, however it is spelled."""
    number = _NUMBER.fullmatch(bytes(text))
    if number is None:
        return UNKNOWN_NS
    us = Decimal(number[1].decode())
    if not us or us.adjusted() < -5:
        return 0
    if us.adjusted() > _WHOLE_DIGITS:
        return UNKNOWN_NS
    ns = int(us.quantize(Decimal("0.001"), context=_ROUNDING).scaleb(3))
    return ns if abs(ns) <= _MOST_NS else UNKNOWN_NS
