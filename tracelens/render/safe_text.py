"""Strings of other people, made safe to show: what a terminal would act on is spelled out.

Trace files and ops name things as they like: escape sequences, text that turns the direction of the
line, lone surrogates, names of a megabyte. Every string of a report passes here before it is shown.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from rich.cells import cell_len, set_cell_size

from tracelens.model.report import Report, Table

T = TypeVar("T")

_LONGEST = 4_000
"""Characters of one string that a report for people shows at the most."""


def safe(text: str, *, unicode: bool = True) -> str:
    """Return text that only ever takes place on a line: no controls, no hidden characters.

    White space of any sort becomes one space. With `unicode` False the result is ASCII.
    """
    text = cut(text, _LONGEST, mark="...") if len(text) > _LONGEST else text
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return "".join(
        c if c.isprintable() and (unicode or c.isascii()) else _spelled(c)
        for c in " ".join(text.split())
    )


def safe_report(report: Report, *, unicode: bool = True) -> Report:
    """Return the report with every string made safe but those of table rows and metric values.

    Those become text a cell at a time, and only those that are shown: a table may be long.
    """
    return _safe(report, unicode=unicode)


def cut(text: str, width: int, *, mark: str) -> str:
    """Return text of at most `width` terminal cells: too long a one loses its middle to `mark`."""
    if len(text) <= width and cell_len(text) <= width:
        return text
    room = width - len(mark)
    if room < 2:
        return set_cell_size(text, max(width, 0))
    head = room - room * 2 // 5
    return set_cell_size(text[:head], head).rstrip() + mark + _end_of(text, room - head)


def _safe(value: T, *, unicode: bool) -> T:
    if isinstance(value, str):
        return safe(value, unicode=unicode)  # type: ignore[return-value]  # a str for a str
    if isinstance(value, tuple):
        return tuple(_safe(v, unicode=unicode) for v in value)  # type: ignore[return-value]  # as above
    if is_dataclass(value) and not isinstance(value, type):
        kept = "rows" if isinstance(value, Table) else ""
        changes = {
            f.name: _safe(getattr(value, f.name), unicode=unicode)
            for f in fields(value)
            if f.name != kept
        }
        return replace(value, **changes)
    return value


def _end_of(text: str, width: int) -> str:
    end = text[-width:]
    while cell_len(end) > width:
        end = end[1:]
    return end


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
