"""Any other metrics: a line for each, with its value and what it means."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tracelens.model.quantity import spell_ns
from tracelens.model.report import Metric
from tracelens.render.columns import TextColumn, grid
from tracelens.render.page import MARGIN, Page, flowed
from tracelens.render.quantity import is_number, spell_alone, spell_column, unit_of

_TAKEN = ("cold/", "pace/")
"""Metrics that come of measurements a run may lack. Of others the dash itself is news."""


def facts_lines(metrics: Sequence[Metric], page: Page) -> list[RenderableType]:
    """Return a table of the metrics, in their order, and a line of those that were not measured."""
    known = [metric for metric in metrics if not _is_unmeasured(metric)]
    unknown = [metric.name.replace(", ", " ") for metric in metrics if _is_unmeasured(metric)]
    blocks: list[RenderableType] = [_facts_grid(known, page)] if known else []
    if unknown:
        line = Text(f"not measured: {', '.join(unknown)}", style="dim")
        blocks.append(Padding(line, (0, 0, 0, MARGIN)))
    return blocks


def _is_unmeasured(metric: Metric) -> bool:
    return metric.value is None and metric.tag.startswith(_TAKEN)


def _facts_grid(metrics: Sequence[Metric], page: Page) -> RenderableType:
    spelled = [
        spell_alone(metric.value, unit_of(metric.tag, metric.unit), unicode=page.unicode)
        for metric in metrics
    ]
    return grid(
        [
            TextColumn(cells=[metric.name for metric in metrics], least=24),
            TextColumn(cells=_aligned(metrics, [text for text, _ in spelled]), right=True),
            TextColumn(cells=[unit for _, unit in spelled]),
            TextColumn(
                cells=[metric.description for metric in metrics], style="dim", wraps=True, least=20
            ),
        ],
        page,
    )


def take_protocol(metrics: Sequence[Metric]) -> tuple[list[Metric], list[Metric]]:
    """Part the metrics into those that say how the run was taken, and the rest."""
    protocol = [metric for metric in metrics if metric.tag.startswith("protocol/")]
    return protocol, [metric for metric in metrics if metric not in protocol]


def protocol_lines(protocol: Sequence[Metric], page: Page) -> RenderableType:
    """Return how the run was taken as one paragraph of facts."""
    facts = []
    for metric in protocol:
        unit = unit_of(metric.tag, metric.unit)
        value = (
            spell_ns(metric.value)
            if unit == "ns" and isinstance(metric.value, int)
            else spell_column([metric.value], unit, unicode=page.unicode)[0]
        )
        facts.append(f"{metric.name} {value}")
    lines = flowed(facts, page.room, page)
    return Padding(Text("\n".join(lines), style="dim"), (0, 0, 0, MARGIN))


def _aligned(metrics: Sequence[Metric], spelled: Sequence[str]) -> list[str]:
    """Return the values, all with the decimal point in one place."""
    tails = [
        len(text) - text.find(".") if is_number(metric.value) and "." in text else 0
        for metric, text in zip(metrics, spelled, strict=True)
    ]
    return [
        text + " " * (max(tails) - tail) if is_number(metric.value) else text
        for metric, text, tail in zip(metrics, spelled, tails, strict=True)
    ]
