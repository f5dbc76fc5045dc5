"""Cases and variants, each with its time, and under it the kernels of one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from rich.console import RenderableType

from tracelens.model.report import Cell, Table
from tracelens.render.columns import TextColumn, grid, number_column
from tracelens.render.kernel_name import shorten_names
from tracelens.render.page import Page
from tracelens.render.quantity import UNKNOWN
from tracelens.render.safe_text import cut, safe

TAG = "cases_and_kernels"

_MOST = 6
"""Kernels that are shown of one call."""
_INDENT = "  "
_ALONE = "full call"
"""What a case without a name is called."""

Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of the table: the figures of a case and variant, or of one of its kernels."""

    name: str
    time_ns: Cell
    ratio: Cell = ""
    share: Cell = ""
    calls: Cell = ""
    under: str = ""
    is_kernel: bool = True


def case_grid(table: Table, page: Page) -> RenderableType:
    """Return the table: a line for each case and variant, then its kernels, longest first.

    A kernel's configuration and its grid stand under it, whole. A page that is not whole shows the
    first kernels of each and says how many more there are.
    """
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    lines = [line for _, own in groupby(rows, key=_subject) for line in _lines(list(own), page)]
    names = TextColumn(
        cells=[line.name for line in lines],
        least=int(page.room * 0.4),
        shorten=partial(_shorten, lines, mark=page.mark),
        styles=["" if line.is_kernel else "bold" for line in lines],
    )
    under = TextColumn(cells=[line.under for line in lines], under=True, style="dim")
    figures = (
        _figures("time", [line.time_ns for line in lines], "ns", page),
        _figures("ratio", [line.ratio for line in lines], "ratio", page),
        _figures("share", [line.share for line in lines], "share", page),
        _figures("calls", [line.calls for line in lines], "count", page),
    )
    return grid([names, *figures, under], page)


def _figures(label: str, cells: Sequence[Cell], unit: str, page: Page) -> TextColumn:
    """Return a column of numbers, with nothing where a line has no such figure."""
    numbers = [None if cell == "" else cell for cell in cells]
    if all(number is None for number in numbers):
        return TextColumn(cells=[""] * len(cells))
    column = number_column(label, numbers, unit, page)
    spelled = ["" if c == "" else s for c, s in zip(cells, column.cells, strict=True)]
    return replace(column, cells=spelled)


def _subject(row: Row) -> tuple[Cell, Cell]:
    return row.get("case"), row.get("variant")


def _lines(rows: Sequence[Row], page: Page) -> Iterator[_Line]:
    """Yield the line of a case and variant, and those of its kernels."""
    kernels = [row for row in rows if row.get("name") is not None]
    shown = kernels if page.whole else kernels[:_MOST]
    yield _head(rows[0], page)
    for row in shown:
        yield _Line(
            name=_INDENT + _text(row["name"], page),
            time_ns=row.get("kernel_ns"),
            share=row.get("share"),
            calls="" if row.get("calls") is None else row["calls"],
            under=_under(row, page),
        )
    if len(shown) < len(kernels):
        yield _rest(kernels[len(shown) :])


def _head(row: Row, page: Page) -> _Line:
    names = [_text(name, page) for name in _subject(row) if name is not None]
    low, high, stage = row.get("ratio_low"), row.get("ratio_high"), row.get("ended_in")
    said = []
    if isinstance(low, float) and isinstance(high, float):
        said.append(f"ratio {low:.3f} to {high:.3f}, not paired")
    if stage is not None:
        said.append(f"failed in '{_text(stage, page)}'")
    return _Line(
        name=page.dot.join(names) or _ALONE,
        time_ns=row.get("full_ns"),
        ratio="" if row.get("ratio") is None else row["ratio"],
        under=page.dot.join(said),
        is_kernel=False,
    )


def _rest(rows: Sequence[Row]) -> _Line:
    times = [ns for row in rows if isinstance(ns := row.get("kernel_ns"), int)]
    shares = [share for row in rows if isinstance(share := row.get("share"), float)]
    return _Line(
        name=f"{_INDENT}{len(rows)} more (--verbose)",
        time_ns=sum(times),
        share=sum(shares),
        calls="",
    )


def _under(row: Row, page: Page) -> str:
    """Return the configuration of a kernel, its grid, and how that fills the card."""
    grid_, idle, sms = (row.get(n) for n in ("grid", "idle_multiprocessors", "multiprocessors"))
    said = [_text(row["config"], page)] if row.get("config") is not None else []
    if isinstance(grid_, list):
        said.append(f"grid {'x'.join(map(str, grid_))}")
    each = row.get("blocks_per_multiprocessor")
    if isinstance(idle, int) and idle > 0:
        said.append(f"{idle} of {_text(sms, page)} SMs idle")
    elif isinstance(each, float):
        said.append(f"{each:.1f} blocks per SM")
    return page.dot.join(said)


def _shorten(
    lines: Sequence[_Line], cells: Sequence[str], width: int, *, mark: str
) -> Sequence[str]:
    """Cut the names of kernels as such, and those of cases as plain text."""
    kernels = [name.strip() for line, name in zip(lines, cells, strict=True) if line.is_kernel]
    short = iter(shorten_names(kernels, width - len(_INDENT), mark=mark))
    return [
        _INDENT + next(short) if line.is_kernel else cut(name, width, mark=mark)
        for line, name in zip(lines, cells, strict=True)
    ]


def _text(value: Cell, page: Page) -> str:
    return UNKNOWN if value is None else safe(str(value), unicode=page.unicode)
