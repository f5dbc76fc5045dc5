"""Values and their units as text: the one place that chooses how a number is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from tracelens.model.report import Cell
from tracelens.render.safe_text import cut, safe

UNKNOWN = "-"

_DECIMALS = {"ns": 2, "ratio": 2, "share": 1, "change": 3}
"""By unit; a `change` is a ratio of which 1 % is much."""

_LARGER = {"ns": (("s", 1_000_000_000), ("ms", 1_000_000)), "mW": (("W", 1_000),)}
"""Units of a large value that stands alone, and what they are in its own unit."""

_SIGNIFICANT = 4
"""Digits of a number of any other unit."""

_LONGEST_TEXT = 24
"""Cells of a text that stands among numbers."""

_RATIO = re.compile(r"(?<![^_/])ratio(_low|_high)?\Z")

_LARGEST = 1e9
"""Above this a number that is not whole is shown with an exponent."""


def spell_column(values: Sequence[Cell], unit: str | None, *, unicode: bool) -> list[str]:
    """Return a column's values without their unit, decimals aligned when set to the right.

    Where a value is text it is cut: numbers beside it are not.
    """
    spelled = [_number(v, unit) for v in values]
    decimals = _decimals([n for n in spelled if n is not None], unit)
    return [
        cut(spell_text(v, unicode=unicode), _LONGEST_TEXT, mark="..")
        if n is None
        else _spell_number(n, decimals)
        for v, n in zip(values, spelled, strict=True)
    ]


def spell_alone(value: Cell, unit: str | None, *, unicode: bool) -> tuple[str, str]:
    """Return a value that no column is compared with, and its unit: long times in ms or s."""
    number = _number(value, None)
    if number is not None:
        for larger, size in _LARGER.get(unit or "", ()):
            if abs(number) >= size:
                return f"{number / size:,.3f}", larger
    shown = "" if value is None else column_unit(unit)
    return spell_column([value], unit, unicode=unicode)[0], shown


def with_sign(text: str, value: Cell) -> str:
    """Return a difference, as `spell_column` gave it, with a plus where it is one."""
    above = isinstance(value, (int, float)) and value > 0
    return f"+{text}" if above and text[0].isdigit() else text


def spell_text(value: Cell, *, unicode: bool) -> str:
    """Return a value that is no number, or one that stands among texts: `-`, `yes`, `1,2`."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(str(v) for v in value)
    if isinstance(value, dict):
        pairs = (f"{k}={UNKNOWN if v is None else v}" for k, v in value.items())
        return safe(", ".join(pairs), unicode=unicode)
    return safe(str(value), unicode=unicode)


def column_unit(unit: str | None) -> str:
    """Return the unit in which `spell_column` shows values of a unit."""
    shown = {"ns": "us", "share": "%", "ratio": "x", "change": "x", "count": "", "1": "", None: ""}
    return cut(shown.get(unit, unit or ""), _LONGEST_TEXT, mark="..")


def unit_of(name: str, unit: str | None) -> str | None:
    """Return the unit to show a value in: a ratio is a share, or a change, where its name says so.

    A column or a tag that ends with `ratio` itself is of a comparison.
    """
    if unit != "ratio":
        return unit
    return "share" if name.endswith("share") else "change" if _RATIO.search(name) else unit


def is_number(value: Cell) -> bool:
    """Say whether a value is a number, or may be one that is unknown."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _number(value: Cell, unit: str | None) -> int | float | None:
    """Return the number to show, in the unit of its column; None for what is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        return None
    if unit == "ns":
        return value / 1000
    return 100 * value if unit == "share" else value


def _decimals(numbers: Sequence[int | float], unit: str | None) -> int | None:
    """Return how many decimals a column has; None where they are too far apart to be aligned."""
    if unit in _DECIMALS:
        return _DECIMALS[unit]
    sizes = [abs(n) for n in numbers if n]
    if not sizes or all(isinstance(n, int) for n in numbers):
        return 0
    decimals = max(_SIGNIFICANT - len(f"{max(sizes):.0f}".lstrip("0")), 0)
    return decimals if min(sizes) >= 10**-decimals and max(sizes) < _LARGEST else None


def _spell_number(number: int | float, decimals: int | None) -> str:
    if decimals is None:
        return f"{number:.{_SIGNIFICANT}g}"
    text = f"{number:,.{decimals}f}"
    if number and not text.strip("-0.,"):
        # What was measured never looks like nothing.
        return f"{'-' if number < 0 else ''}<{10**-decimals:.{decimals}f}"
    return text
