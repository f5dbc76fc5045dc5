"""A time split into parts: a bar per part, each as a share of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import RenderableType

from tracelens.model.report import Metric
from tracelens.render.bar import bar
from tracelens.render.columns import TextColumn, grid, number_column
from tracelens.render.page import GAP, Page
from tracelens.render.splits import Part, Parts
from tracelens.render.words import SPREAD

_GOOD_BAR = 16
"""Cells that a bar keeps before descriptions give way to fewer words."""
_SHORTEST_BAR = 8
_LONGEST_BAR = 48
_LEAST_MEANING = 16


def take_parts(
    metrics: Sequence[Metric], split: Parts
) -> tuple[dict[str, Metric], Sequence[Metric]]:
    """Part the metrics into those of a split, by the name of their part, and the rest."""
    parts: dict[str, Metric] = {}
    rest = []
    for metric in metrics:
        stem, _, end = metric.tag.removeprefix(f"{split.stem}/").partition("/")
        if metric.tag.startswith(f"{split.stem}/") and end == "median":
            parts[stem] = metric
        else:
            rest.append(metric)
    companions = {f"{split.stem}/{part}/{end}" for part in parts for end in SPREAD}
    return parts, [metric for metric in rest if metric.tag not in companions]


def has_parts(parts: Mapping[str, Metric], split: Parts) -> bool:
    """Say whether there is anything to draw: a whole that is known, and more than that."""
    whole = parts.get(split.whole)
    return whole is not None and whole.value is not None and len(parts) > 1


def parts_grid(parts: Mapping[str, Metric], split: Parts, page: Page) -> RenderableType:
    """Return the table of a split, whose metrics come by the name of their part, in ns."""
    last = (split.whole, split.beside)
    order = sorted(parts, key=lambda name: last.index(name) if name in last else -1)
    known = [split.parts.get(name, Part("", "")) for name in order]
    values = [parts[name].value for name in order]
    shares = _shares(parts, split)
    lengths = [0 if name == split.beside else shares[name] or 0 for name in order]
    columns = [
        TextColumn(cells=[parts[name].name for name in order]),
        number_column("median", values, "ns", page),
        number_column("share", [shares[name] for name in order], "share", page),
    ]
    room = page.room - sum(column.width + GAP for column in columns) - GAP
    meanings = [parts[name].description for name in order]
    if max(map(len, meanings)) > room - _GOOD_BAR:
        meanings = [part.meaning for part in known]
    length = min(max(room - max(map(len, meanings)), _SHORTEST_BAR), _LONGEST_BAR)
    bars = [bar(share, length, unicode=page.unicode) for share in lengths]
    return grid(
        [
            *columns,
            TextColumn(cells=bars, styles=[part.style for part in known]),
            TextColumn(cells=meanings, style="dim", wraps=True, least=_LEAST_MEANING),
        ],
        page,
    )


def _shares(parts: Mapping[str, Metric], split: Parts) -> dict[str, float | None]:
    times = {
        name: metric.value if isinstance(metric.value, (int, float)) else None
        for name, metric in parts.items()
    }
    whole = times.get(split.whole) or 0
    return {n: None if t is None or not whole else t / whole for n, t in times.items()}
