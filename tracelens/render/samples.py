"""Sampled times: a row for each, with its spread, and below what each of them includes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tracelens.model.report import Metric, Value
from tracelens.render.columns import TextColumn, grid, number_column
from tracelens.render.page import MARGIN, Page
from tracelens.render.words import MODES, QUANTITIES, SAME_AS, SPREAD


@dataclass(frozen=True, slots=True)
class Sampled:
    """A median and what is known of its samples."""

    label: str
    mode: str
    median: Metric
    q20: Value
    q80: Value
    samples: Value


def take_samples(metrics: Sequence[Metric]) -> tuple[list[Sampled], list[Metric]]:
    """Part the metrics into medians, each with its companions by tag, and the rest."""
    by_tag = {metric.tag: metric for metric in metrics}
    stems = [
        metric.tag.removesuffix("/median")
        for metric in metrics
        if metric.tag.endswith("/median") and metric.unit == "ns"
    ]
    stems = [stem for stem in stems if any(f"{stem}/{end}" in by_tag for end in SPREAD)]
    taken = {f"{stem}/{end}" for stem in stems for end in ("median", *SPREAD)}
    sampled = []
    for stem in stems:
        found = (by_tag.get(f"{stem}/{end}") for end in SPREAD)
        q20, q80, count = (metric.value if metric else None for metric in found)
        median = by_tag[f"{stem}/median"]
        label, mode = _quantity(stem, median)
        sampled.append(Sampled(label, mode, median, q20, q80, count))
    first = {s.label: place for place, s in reversed(list(enumerate(sampled)))}
    sampled.sort(key=lambda s: first[s.label])
    return sampled, [metric for metric in metrics if metric.tag not in taken]


def samples_grid(sampled: Sequence[Sampled], page: Page) -> list[RenderableType]:
    """Return the table of the medians, what was not measured, and what each includes."""
    if not page.whole:
        sampled = _distinct(sampled)
    unmeasured = _unmeasured(sampled)
    sampled = [s for s in sampled if s.median.value is not None]
    blocks: list[RenderableType] = [_medians(sampled, page)] if sampled else []
    if unmeasured:
        line = Text(f"not measured: {', '.join(unmeasured)}", style="dim")
        blocks.append(Padding(line, (0, 0, 0, MARGIN)))
    return [*blocks, *_meanings(sampled, page)]


def _medians(sampled: Sequence[Sampled], page: Page) -> RenderableType:
    labels = [s.label for s in sampled]
    shown = [
        "" if place and label == labels[place - 1] else label for place, label in enumerate(labels)
    ]
    modes = [s.mode for s in sampled]
    told_apart = len({mode for mode in modes if mode}) > 1
    columns = [TextColumn(cells=shown), *([TextColumn(cells=modes)] if told_apart else [])]
    for label, unit, values in (
        ("median", "ns", [s.median.value for s in sampled]),
        ("q20", "ns", [s.q20 for s in sampled]),
        ("q80", "ns", [s.q80 for s in sampled]),
        ("noise", "share", [s.median.noise for s in sampled]),
        ("samples", "count", [s.samples for s in sampled]),
    ):
        if any(value is not None for value in values) or label == "median":
            columns.append(number_column(label, values, unit, page))
    return grid(columns, page)


def _unmeasured(sampled: Sequence[Sampled]) -> list[str]:
    """Name what has no samples: a whole way of calling, a whole quantity, or one of both."""
    known = [s for s in sampled if s.median.value is not None]
    modes, labels = {s.mode for s in known}, {s.label for s in known}
    names = []
    for s in sampled:
        if s.median.value is None and s.mode and s.mode not in modes:
            names.append(MODES[s.mode])
        elif s.median.value is None:
            apart = s.label in labels and s.mode
            names.append(f"{s.label} ({s.mode})" if apart else s.label)
    return list(dict.fromkeys(names))


def _distinct(sampled: Sequence[Sampled]) -> list[Sampled]:
    """Leave out quantities whose every figure is that of the one they are held against."""
    figures: dict[str, list[tuple[str, Value, Value, Value]]] = {}
    for s in sampled:
        figures.setdefault(s.label, []).append((s.mode, s.median.value, s.q20, s.q80))
    same = {one for one, other in SAME_AS.items() if figures.get(one) == figures.get(other)}
    return [s for s in sampled if s.label not in same]


def _meanings(sampled: Sequence[Sampled], page: Page) -> list[RenderableType]:
    by_label: dict[str, dict[str, list[str]]] = {}
    for s in sampled:
        if s.median.value is None or not s.median.description:
            continue
        by_label.setdefault(s.label, {}).setdefault(s.median.description, []).append(s.mode)
    lines = [
        (label if len(meanings) == 1 else f"{label}, {' and '.join(modes)}", meaning)
        for label, meanings in by_label.items()
        for meaning, modes in meanings.items()
    ]
    if not lines:
        return []
    columns = [
        TextColumn(cells=[label for label, _ in lines], style="dim", least=16),
        TextColumn(cells=[meaning for _, meaning in lines], style="dim", wraps=True, least=20),
    ]
    return ["", grid(columns, page)]


def _quantity(stem: str, median: Metric) -> tuple[str, str]:
    segments = stem.split("/")
    mode = next((segment for segment in segments if segment in MODES), "")
    words = QUANTITIES.get("/".join(segment for segment in segments if segment not in MODES))
    return (words, mode) if words else (median.name, "")
