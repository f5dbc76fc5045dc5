"""Tables of a report, cut to what a person reads: the first rows, the columns that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tracelens.model.report import Cell, Column, Metric, Table
from tracelens.render.bar import bar
from tracelens.render.case_table import TAG as CASES
from tracelens.render.case_table import case_grid
from tracelens.render.columns import TextColumn, fit, grid, number_column
from tracelens.render.kernel_name import shorten_names
from tracelens.render.layout import Layout
from tracelens.render.layouts import DIFFERENCES, LAYOUTS
from tracelens.render.page import MARGIN, Page
from tracelens.render.quantity import column_unit, is_number, spell_text, unit_of, with_sign
from tracelens.render.words import VERDICTS

_ROWS = 20
"""Rows that are shown of a table without a layout of its own."""

_LEAST = 20
"""Cells that a column of text keeps before the columns after it are left out."""

_WIDE_SHARE = 0.55
"""Share of the page that a wide column keeps: names of kernels say little when they are shorter."""

_BAR_WIDTH = 12
"""Cells of a whole bar beside the numbers of a table."""

_MEDIAN = "median"
_VERDICT = "verdict"


def table_grid(table: Table, metrics: Sequence[Metric], page: Page) -> list[RenderableType]:
    """Return the table as far as it fits, and a line that says what is left out.

    `metrics` are those of its section: where the layout says so, they give a last row of medians.
    """
    if table.tag == CASES:
        return [case_grid(table, page)] if table.rows else []
    layout = LAYOUTS.get(table.tag) or _plain_layout(table)
    told = table.rows if page.whole else layout.told(table)
    rows = list(told if page.whole else told[: layout.rows])
    if layout.medians and any(m.tag.startswith(f"{layout.medians}/") for m in metrics):
        if len(rows) < 2:
            return []  # the medians above say as much
        rows.append(_median_row(table, metrics, layout.medians))
    columns = [column for column in _columns(table, rows, layout, page) if column.width]
    room = len(fit(columns, page))
    set_out = [*columns[:room], *_wide_under(columns[room:], layout)]
    set_out += _under(table, rows, layout, page)
    blocks: list[RenderableType] = [grid(set_out, page)] if rows and set_out else []
    left_out = _left_out(table, layout, len(told), page)
    if rows and left_out:
        blocks.append(Padding(Text(left_out, style="dim"), (0, 0, 0, MARGIN)))
    return blocks


def _plain_layout(table: Table) -> Layout:
    return Layout(columns=tuple((c.name, _label(c)) for c in table.columns), rows=_ROWS)


def _label(column: Column) -> str:
    shown_anyway = f"_{column.unit}" if column_unit(column.unit) else ""
    return column.name.removesuffix(shown_anyway).replace("_", " ")


def _columns(
    table: Table, rows: Sequence[Sequence[Cell]], layout: Layout, page: Page
) -> list[TextColumn]:
    place = {column.name: number for number, column in enumerate(table.columns)}
    columns = []
    for name, label in layout.columns:
        if name not in place:
            continue
        column = table.columns[place[name]]
        cells = [row[place[name]] for row in rows]
        if all(cell is None or cell == "" for cell in cells):
            continue  # a finding says why nothing of it is known
        if name == "name":
            cells = [layout.nameless if cell is None else cell for cell in cells]
        if column.unit is not None:
            numbers = number_column(label, cells, unit_of(name, column.unit), page)
            columns.append(_signed(numbers, cells) if name in DIFFERENCES else numbers)
            if name == layout.bars:
                columns.append(_bars(cells, page))
        elif name == _VERDICT:
            columns.append(_verdicts(label, cells, page))
        else:
            wide = name in layout.wide
            columns.append(_text_column(label, _numbered(cells), page, wide=wide))
    return columns


def _signed(column: TextColumn, values: Sequence[Cell]) -> TextColumn:
    return replace(column, cells=[*map(with_sign, column.cells, values)])


def _verdicts(label: str, cells: Sequence[Cell], page: Page) -> TextColumn:
    """Return what comparisons found, in a word each; any other word stands as it is."""
    spelled = [spell_text(cell, unicode=page.unicode) for cell in cells]
    words = [VERDICTS.get(text, (text, "")) for text in spelled]
    return TextColumn(
        label=label, cells=[word for word, _ in words], styles=[style for _, style in words]
    )


def _wide_under(left: Sequence[TextColumn], layout: Layout) -> list[TextColumn]:
    """Return the columns that did not fit beside the others, the wide ones to stand under them."""
    wide = {label for name, label in layout.columns if name in layout.wide}
    return [
        replace(column, cells=[f"{column.label}: {cell}" for cell in column.cells], under=True)
        if column.label in wide
        else column
        for column in left
    ]


def _under(
    table: Table, rows: Sequence[Sequence[Cell]], layout: Layout, page: Page
) -> list[TextColumn]:
    place = {column.name: number for number, column in enumerate(table.columns)}
    return [
        TextColumn(
            cells=[
                "" if cell is None else spell_text(cell, unicode=page.unicode)
                for cell in (row[place[name]] for row in rows)
            ],
            under=True,
            style="dim",
        )
        for name in layout.under
        if name in place
    ]


def _bars(shares: Sequence[Cell], page: Page) -> TextColumn:
    return TextColumn(
        cells=[
            bar(share, _BAR_WIDTH, unicode=page.unicode) if isinstance(share, float) else ""
            for share in shares
        ],
        style="green",
    )


def _text_column(label: str, cells: Sequence[Cell], page: Page, *, wide: bool) -> TextColumn:
    return TextColumn(
        cells=[spell_text(cell, unicode=page.unicode) for cell in cells],
        label=label,
        right=all(map(is_number, cells)),
        least=int(page.room * _WIDE_SHARE) if wide else _LEAST,
        shorten=partial(shorten_names, mark=page.mark),
    )


def _numbered(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Return numbers for window names that are all the same, as their title says."""
    names = cells[:-1]
    if cells[-1] == _MEDIAN and len({str(name) for name in names}) == 1:
        return [*range(1, len(cells)), _MEDIAN]
    return cells


def _median_row(table: Table, metrics: Sequence[Metric], stem: str) -> tuple[Cell, ...]:
    values = {metric.tag: metric.value for metric in metrics}
    medians = [
        values.get(f"{stem}/{column.name.removesuffix('_ns')}/median", "")
        for column in table.columns
    ]
    return (_MEDIAN, *medians[1:])


def _left_out(table: Table, layout: Layout, told: int, page: Page) -> str:
    said = []
    if told > layout.rows and not page.whole:
        said.append(f"{told - layout.rows:,} more rows (--verbose)")
    if told < len(table.rows) and layout.elsewhere is not None:
        said.append(f"{len(table.rows) - told:,} more, {layout.elsewhere[1]} (--verbose)")
    return page.dot.join(said)
