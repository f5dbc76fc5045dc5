"""Quantities on both sides of a comparison: a line each, with the ratio and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from tracelens.model.report import Metric, Value
from tracelens.render.columns import TextColumn, grid
from tracelens.render.page import Page
from tracelens.render.quantity import UNKNOWN, column_unit, spell_column
from tracelens.render.words import CHANGES, VERDICTS

_FIRST = "baseline"
_LEAST_NAME = 16


@dataclass(frozen=True, slots=True)
class Changed:
    """One quantity: its name, its unit, and its figures by the last segment of their tags."""

    name: str
    unit: str
    figures: dict[str, Value]

    @property
    def seen(self) -> bool:
        """Whether either side has any of it."""
        return any(self.figures.get(end) for end in (_FIRST, "candidate"))


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
    rows = [c for c in changed if c.seen]
    units = {column_unit(c.unit) for c in rows}
    unit = units.pop() if len(units) == 1 else ""
    columns = [TextColumn(cells=[c.name for c in rows], least=_LEAST_NAME)]
    for figure in ("baseline", "candidate", "delta"):
        cells = [_spell(c, figure, c.unit, page, signed=figure == "delta") for c in rows]
        columns.append(TextColumn(label=figure, cells=cells, unit=unit, right=True))
    ratios = [_spell(c, "ratio", "change", page) for c in rows]
    columns.append(TextColumn(label="ratio", cells=ratios, unit="x", right=True))
    columns.append(TextColumn(label="99 % interval", cells=[_interval(c, page) for c in rows]))
    words = [VERDICTS.get(str(c.figures.get("verdict")), ("", "")) for c in rows]
    columns.append(
        TextColumn(cells=[word for word, _ in words], styles=[style for _, style in words])
    )
    return grid(columns, page)


def _spell(changed: Changed, figure: str, unit: str, page: Page, *, signed: bool = False) -> str:
    value = changed.figures.get(figure)
    text = spell_column([value], unit, unicode=page.unicode)[0]
    above = isinstance(value, (int, float)) and value > 0
    return f"+{text}" if signed and above else text


def _interval(changed: Changed, page: Page) -> str:
    ends = [_spell(changed, end, "change", page) for end in ("ratio_low", "ratio_high")]
    return "" if UNKNOWN in ends else f"{ends[0]} to {ends[1]}"
