"""A time as a tree: each row its own time and that of all below it, guides from parent to child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tracelens.model.report import Cell, Metric, Table
from tracelens.render.columns import TextColumn, grid, number_column
from tracelens.render.page import MARGIN, Page
from tracelens.render.quantity import spell_text

_LEAST_SHARE = 0.01
"""Of the whole: a smaller row is counted, not shown, where the page is not whole."""
_MOST_ROWS = 24
_MUCH = 0.2
"""Share of a row's own time from which on it stands out."""
_LEAST_NAME = 24

_UNICODE = ("│ ", "├ ", "└ ")
_ASCII = ("| ", "+ ", "+ ")

Row = dict[str, Cell]


def take_trees(
    tables: Sequence[Table], metrics: Sequence[Metric]
) -> tuple[dict[str, Metric], list[Metric]]:
    """Part the metrics into the wholes of trees, by the tag of their table, and the rest.

    A table `t` with a metric `t/whole` is a tree: its `self_ns` sum to that.
    """
    tags = {f"{table.tag}/whole": table.tag for table in tables}
    wholes = {tags[metric.tag]: metric for metric in metrics if metric.tag in tags}
    return wholes, [metric for metric in metrics if metric.tag not in tags]


def tree_grid(table: Table, whole: Metric, page: Page) -> list[RenderableType]:
    """Return the tree under its whole; rows that are too small count as time of the row above."""
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    if not rows or not isinstance(whole.value, int):
        return []
    shown = range(len(rows)) if page.whole else _largest(rows, whole.value)
    top: Row = {"name": whole.name, "total_ns": whole.value}
    folded, rest_ns = _folded(rows, shown)
    hidden = len(rows) - len(folded)
    if rest_ns:
        folded.append({"name": "smaller", "total_ns": rest_ns, "self_ns": rest_ns, "depth": 0})
    blocks: list[RenderableType] = [grid(_columns([top, *folded], page), page)]
    if hidden:
        rows_are = "row is" if hidden == 1 else "rows are"
        line = f"{hidden:,} smaller {rows_are} part of what stands above (--verbose)"
        blocks.append(Padding(Text(line, style="dim"), (0, 0, 0, MARGIN)))
    return blocks


def _largest(rows: Sequence[Row], whole_ns: int) -> list[int]:
    """Return the places of the largest rows: none is shown without the one above it."""
    totals = sorted((_ns(row, "total_ns") for row in rows), reverse=True)
    least = max(totals[min(_MOST_ROWS, len(totals)) - 1], _LEAST_SHARE * whole_ns)
    return [place for place, row in enumerate(rows) if _ns(row, "total_ns") >= least]


def _folded(rows: Sequence[Row], shown: Sequence[int]) -> tuple[list[Row], int]:
    """Give the time of hidden rows to those above them; return the shown, and what has none."""
    folded, rest_ns = {place: dict(rows[place]) for place in shown}, 0
    for place, row in enumerate(rows):
        above: Cell = place
        while isinstance(above, int) and above not in folded:
            above = rows[above].get("parent")
        if not isinstance(above, int):
            rest_ns += _ns(row, "self_ns")
        elif above != place:
            folded[above]["self_ns"] = _ns(folded[above], "self_ns") + _ns(row, "self_ns")
    return list(folded.values()), rest_ns


def _columns(rows: Sequence[Row], page: Page) -> list[TextColumn]:
    """Return the columns; a row's share is that of its total, and one of no time itself says so."""
    whole_ns = _ns(rows[0], "total_ns")
    names = [
        guide + spell_text(row["name"], unicode=page.unicode)
        for guide, row in zip(_guides(rows[1:], page), rows, strict=True)
    ]
    shares: list[Cell] = ["", *(_ns(row, "total_ns") / whole_ns for row in rows[1:])]
    own = number_column("self", [_ns(row, "self_ns") or "" for row in rows], "ns", page)
    much = ["bold" if _ns(row, "self_ns") >= _MUCH * whole_ns else "" for row in rows]
    error = "±" if page.unicode else "+-"
    return [
        TextColumn(cells=names, least=_LEAST_NAME),
        number_column("total", [row["total_ns"] for row in rows], "ns", page),
        number_column("share", shares, "share", page),
        replace(own, styles=much),
        *(
            number_column(label, [row.get(name) or "" for row in rows], unit, page)
            for name, label, unit in (("error_ns", error, "ns"), ("count", "calls", "count"))
            if name in rows[1]
        ),
        TextColumn(
            cells=[spell_text(row.get("layer", ""), unicode=page.unicode) for row in rows],
            style="dim",
        ),
    ]


def _guides(rows: Sequence[Row], page: Page) -> list[str]:
    """Return what leads from each row to those above it; nothing for the whole, the first."""
    past, branch, last = _UNICODE if page.unicode else _ASCII
    guides: list[str] = []
    to_come: set[int] = set()
    for depth in (int(_of(row, "depth")) for row in reversed(rows)):
        lead = "".join(past if level in to_come else "  " for level in range(depth))
        guides.append(lead + (branch if depth in to_come else last))
        to_come = {level for level in to_come if level < depth} | {depth}
    return ["", *reversed(guides)]


def _ns(row: Row, name: str) -> int:
    return int(_of(row, name))


def _of(row: Row, name: str) -> float:
    value = row.get(name)
    return value if isinstance(value, (int, float)) else 0
