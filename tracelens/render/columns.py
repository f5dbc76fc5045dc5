"""Columns of text that fit a page: the important ones first, long text cut, numbers whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text

from tracelens.model.report import Cell
from tracelens.render.page import GAP, MARGIN, Page
from tracelens.render.quantity import column_unit, spell_column
from tracelens.render.safe_text import cut

_HEAD = "dim"
"""Style of labels and units."""

_NARROWEST = 12
"""Cells of a column that wraps."""

_UNDER = 4
"""Cells by which text under a row is set in from it."""

_WRAPPER = Console(width=80)
"""Text is wrapped by a console; its width plays no part."""

Shorten = Callable[[Sequence[str], int], Sequence[str]]
"""Cut all texts of a column to a width in cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextColumn:
    """One column, as text.

    `least` is how narrow it may be made, in cells; a column without it, such as one of numbers, is
    shown whole or not at all. One that `wraps` stands last and takes as many lines as it needs. One
    that stands `under` has lines of its own below each row, and no label; none may wrap beside it.
    """

    cells: Sequence[str]
    label: str = ""
    unit: str = ""
    right: bool = False
    wraps: bool = False
    under: bool = False
    style: str = ""
    styles: Sequence[str] = ()
    """A style for each cell, where they differ."""
    least: int | None = None
    shorten: Shorten | None = None
    """Where cutting the middle out of each cell is not enough to tell them apart."""

    @property
    def width(self) -> int:
        """Cells that it needs to be shown whole."""
        return max(map(cell_len, (self.label, self.unit, *self.cells)))

    @property
    def least_width(self) -> int:
        """Cells that it needs to be shown at all."""
        return self.width if self.least is None else min(self.width, self.least)


def number_column(label: str, values: Sequence[Cell], unit: str | None, page: Page) -> TextColumn:
    """Return a column of numbers of one unit, or of what stands for them where there is none."""
    return TextColumn(
        label=label,
        cells=spell_column(values, unit, unicode=page.unicode),
        unit=column_unit(unit),
        right=True,
    )


def fit(columns: Sequence[TextColumn], page: Page) -> list[TextColumn]:
    """Return the columns that fit, the first ones first, their text cut to the room there is.

    Those that stand under the others take no room beside them.
    """
    chosen: list[TextColumn] = []
    used = -GAP
    for column in filter(_is_beside, columns):
        if chosen and used + GAP + column.least_width > page.room:
            break
        chosen.append(column)
        used += GAP + column.least_width
    spare = max(page.room - used, 0)
    fitted = []
    for column in chosen:
        width = min(column.width, column.least_width + spare)
        spare -= width - column.least_width
        fitted.append(
            _cut(column, width, page) if width < column.width and not column.wraps else column
        )
    return [*fitted, *(column for column in columns if column.under)]


def grid(columns: Sequence[TextColumn], page: Page) -> Segments:
    """Set the columns that fit beside each other, under their labels and units if they have any.

    A last line names those that do not.
    """
    fitted = fit(columns, page)
    under = [column for column in fitted if column.under]
    wrapped = _wrap([column for column in fitted if not column.under], page)
    widths = [column.width for column in wrapped]
    segments: list[Segment] = []
    for heads in (
        [column.label for column in wrapped],
        [column.unit for column in wrapped],
    ):
        if any(heads):
            segments += _line(wrapped, widths, heads, [_HEAD] * len(wrapped))
    for row, cells in enumerate(zip(*(column.cells for column in wrapped), strict=True)):
        styles = [column.styles[row] if column.styles else column.style for column in wrapped]
        segments += _line(wrapped, widths, cells, styles)
        for column in under:
            segments += _lines_under(column, row, page)
    return Segments([*segments, *_no_room(columns, fitted, page)])


def _no_room(
    columns: Sequence[TextColumn], fitted: Sequence[TextColumn], page: Page
) -> Iterator[Segment]:
    """Name the columns that have a label and did not fit beside the others, and what has them."""
    shown = len([*filter(_is_beside, fitted)])
    labels = [column.label for column in [*filter(_is_beside, columns)][shown:] if column.label]
    if labels:
        line = f"no room for {', '.join(labels)} (wider terminal or --format json)"
        for part in Text(line).wrap(_WRAPPER, page.room):
            yield Segment(" " * MARGIN)
            yield Segment(str(part).rstrip(), Style.parse(_HEAD))
            yield Segment.line()


def _line(
    columns: Sequence[TextColumn],
    widths: Sequence[int],
    cells: Sequence[str],
    styles: Sequence[str],
) -> Iterator[Segment]:
    gap = MARGIN
    for column, width, cell, style in zip(columns, widths, cells, styles, strict=True):
        blank = width - cell_len(cell)
        yield Segment(" " * (gap + blank if column.right else gap))
        yield Segment(cell, Style.parse(style) if style else None)
        gap = GAP if column.right else GAP + blank
    yield Segment.line()


def _lines_under(column: TextColumn, row: int, page: Page) -> Iterator[Segment]:
    if column.cells[row]:
        for line in Text(column.cells[row]).wrap(_WRAPPER, page.room - _UNDER):
            yield Segment(" " * (MARGIN + _UNDER))
            yield Segment(str(line).rstrip(), Style.parse(column.style))
            yield Segment.line()


def _wrap(columns: Sequence[TextColumn], page: Page) -> Sequence[TextColumn]:
    """Turn a row whose last cell takes several lines into as many rows."""
    if not columns or not columns[-1].wraps:  # all that there is to show may be empty text
        return columns
    *others, last = columns
    room = max(page.room - sum(column.width + GAP for column in others), _NARROWEST)
    lines = [[str(line) for line in Text(c).wrap(_WRAPPER, room)] or [""] for c in last.cells]
    rows = [row for row, cell in enumerate(lines) for _ in cell]
    first = [place == 0 for cell in lines for place in range(len(cell))]
    return [
        *(
            replace(
                column,
                cells=[column.cells[r] if new else "" for r, new in zip(rows, first, strict=True)],
                styles=[column.styles[r] for r in rows] if column.styles else (),
            )
            for column in others
        ),
        replace(
            last,
            cells=[line for cell in lines for line in cell],
            styles=[last.styles[r] for r in rows] if last.styles else (),
        ),
    ]


def _is_beside(column: TextColumn) -> bool:
    return column.width > 0 and not column.under


def _cut(column: TextColumn, width: int, page: Page) -> TextColumn:
    if column.shorten:
        cells = column.shorten(column.cells, width)
    else:
        cells = [cut(cell, width, mark=page.mark) for cell in column.cells]
    return replace(column, cells=cells, label=column.label[:width], unit=column.unit[:width])
