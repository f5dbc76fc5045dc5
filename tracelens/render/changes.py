"""Quantities on both sides of a comparison: a line each, with the ratio and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from rich.console import RenderableType

from tracelens.model.report import Metric, Value
from tracelens.render.columns import TextColumn, grid
from tracelens.render.page import Page
from tracelens.render.quantity import UNKNOWN, column_unit, spell_column, with_sign
from tracelens.render.words import CHANGES, ECHOES, VERDICTS

_FIRST = "baseline"
_LEAST_NAME = 12
"""Cells: the verdict stands last, and is worth more than the end of a name."""
_LARGE = 10
"""A ratio of that much and more needs fewer decimals."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One quantity: its name, its unit, and its figures by the last segment of their tags."""

    name: str
    unit: str
    figures: dict[str, Value]

    @property
    def seen(self) -> bool:
        """Whether either side has any of it."""
        return any(self.both)

    @property
    def both(self) -> tuple[Value, Value]:
        """The two medians."""
        return self.figures.get(_FIRST), self.figures.get("candidate")


def take_changes(metrics: Sequence[Metric]) -> tuple[list[Changed], list[Metric]]:
    """Part the metrics into quantities that have a baseline and a candidate, and the rest."""
    ends = (_FIRST, *CHANGES)
    by_tag = {metric.tag: metric for metric in metrics}
    stems = [
        stem
        for metric in metrics
        if (stem := metric.tag.removesuffix(f"/{_FIRST}")) != metric.tag
        if f"{stem}/candidate" in by_tag
    ]
    taken = {f"{stem}/{end}" for stem in stems for end in ends}
    changed = [
        Changed(
            name=by_tag[f"{stem}/{_FIRST}"].name,
            unit=by_tag[f"{stem}/{_FIRST}"].unit,
            figures={
                end: by_tag[f"{stem}/{end}"].value for end in ends if f"{stem}/{end}" in by_tag
            },
        )
        for stem in stems
    ]
    return changed, [metric for metric in metrics if metric.tag not in taken]


def changes_grid(changed: Sequence[Changed], page: Page) -> RenderableType:
    """Return the table of the quantities that either side has any of."""
    rows = telling([c for c in changed if c.seen])
    units = [column_unit(c.unit) for c in rows]
    unit = units[0] if len(set(units)) == 1 else ""
    columns = [TextColumn(cells=[c.name for c in rows], least=_LEAST_NAME)]
    for figure in ("baseline", "candidate", "delta"):
        cells = [spell_figure(c, figure, unicode=page.unicode) for c in rows]
        columns.append(TextColumn(label=figure, cells=cells, unit=unit, right=True))
    times = [column_unit(c.unit) if c.unit == "ns" else "" for c in rows]
    if not unit and any(times):  # counts have none, and the names of other quantities tell theirs
        columns.append(TextColumn(cells=times, style="dim"))
    ratios = [spell_figure(c, "ratio", unicode=page.unicode) for c in rows]
    columns.append(TextColumn(label="ratio", cells=ratios, unit="x", right=True))
    intervals = [spell_interval(c, unicode=page.unicode) for c in rows]
    if any(intervals):
        columns.append(TextColumn(label="interval", cells=intervals, unit="99 %"))
    words = [VERDICTS.get(str(c.figures.get("verdict")), ("", "")) for c in rows]
    columns.append(
        TextColumn(cells=[word for word, _ in words], styles=[style for _, style in words])
    )
    return grid(columns, page)


def telling(rows: Sequence[Changed]) -> list[Changed]:
    """Leave out the rows that another says just so."""
    said = {row.name: row.both for row in rows}
    return [row for row in rows if said.get(ECHOES.get(row.name, "")) != row.both]


def spell_figure(changed: Changed, figure: str, *, unicode: bool) -> str:
    """Return one figure of a quantity, without its unit; a difference has its sign."""
    value = changed.figures.get(figure)
    unit = "change" if figure.startswith("ratio") else changed.unit
    text = spell_column([value], unit, unicode=unicode)[0]
    return with_sign(text, value) if figure == "delta" else text


def spell_interval(changed: Changed, *, unicode: bool) -> str:
    """Return the two ends of the ratio's interval, or nothing where there is none."""
    ends = [_spell_end(changed, end, unicode=unicode) for end in ("ratio_low", "ratio_high")]
    between = "–" if unicode else ".."  # noqa: RUF001  # a dash is meant
    return "" if UNKNOWN in ends else between.join(ends)


def _spell_end(changed: Changed, end: str, *, unicode: bool) -> str:
    value = changed.figures.get(end)
    if isinstance(value, float) and _LARGE <= value < inf:
        return f"{value:,.{2 if value < _LARGE**2 else 1}f}"
    return spell_figure(changed, end, unicode=unicode)
