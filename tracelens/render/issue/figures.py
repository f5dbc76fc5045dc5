"""Tables of an issue: results, splits, kernels, and whatever else the report holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Cell, Column, Metric, Table
from tracelens.render.issue.markdown import code, details, table, text
from tracelens.render.issue.subjects import NOT_MEASURED, SubjectFigures
from tracelens.render.kernel_name import shorten_names
from tracelens.render.quantity import spell_text, unit_of
from tracelens.render.safe_text import cut, safe
from tracelens.render.words import SPLIT

_RESULTS = (
    ("full/eager", "full call, eager"),
    ("full/graph", "full call, graph"),
    ("amortised/eager", "amortised, eager"),
    ("kernel/eager/busy", "kernel busy, eager"),
)

_KERNELS = (
    ("name", "kernel"),
    ("family", "family"),
    ("config", "configuration"),
    ("count", "count"),
    ("total_ns", "total"),
    ("share", "share"),
    ("median_ns", "median"),
    ("q20_ns", "q20"),
    ("q80_ns", "q80"),
    ("grid", "grid"),
    ("block", "block"),
    ("launch_latency_median_ns", "latency"),
)
_LONGEST_NAME = 120

_BARE = frozenset({"count", "ratio", "1", ""})
"""Units that say nothing more than the number."""

_NAMES = frozenset(
    {"name", "config", "function", "file", "kernel", "baseline", "candidate", "family"}
)
"""Columns of names and configurations, which are code; other text is a sentence or a word."""

_OWN_PLACE = frozenset({"kernels", "windows"})
"""Tables that are shown in a place of their own, or say window by window what the medians say."""


def results(subjects: Sequence[SubjectFigures]) -> str:
    """Return the headline: a row for each subject, medians with quantiles 0.2 and 0.8."""
    named = any(subject.name for subject in subjects)
    head = [*(("measured",) if named else ()), *(words for _, words in _RESULTS)]
    rows = [
        [
            *((_name(subject),) if named else ()),
            *(subject.time(tag) for tag, _ in _RESULTS),
        ]
        for subject in subjects
    ]
    return table(head, rows)


def split(subject: SubjectFigures) -> str | None:
    """Return the split of the median window as a table, or None where it is unknown."""
    wall = subject.value("split/wall/median")
    if subject.value("split/kernel/median") is None:
        return None  # without a device a call is host time, all of it
    rows = []
    for part, meaning in SPLIT.parts.items():
        value = subject.value(f"{SPLIT.stem}/{part}/median")
        if isinstance(value, (int, float)):
            share = spell_share(value / wall) if isinstance(wall, (int, float)) and wall else "-"
            rows.append([part.replace("_", " "), spell_ns(value), share, text(meaning.meaning)])
    return table(["part", "median", "share", "holds when"], rows, right=(1, 2)) if rows else None


def kernels(subject: SubjectFigures, *, most: int) -> str | None:
    """Return the kernels with their configurations, or None where there are none."""
    found = subject.tables.get("kernels")
    if found is None or not found.rows:
        return None
    names = [column.name for column in found.columns]
    shown = [(name, words) for name, words in _KERNELS if name in names]
    rows = _rows(found, [names.index(name) for name, _ in shown], most)
    if "name" in names:  # cut together, so that what tells them apart is kept
        whole = [str(row[names.index("name")]) for row in found.rows[:most]]
        short = shorten_names([safe(name) for name in whole], _LONGEST_NAME, mark="...")
        rows = [[code(name), *row[1:]] for name, row in zip(short, rows, strict=True)]
    numbers = [at for at, (name, _) in enumerate(shown) if name not in ("name", "family", "config")]
    return table([words for _, words in shown], rows, right=numbers) + _more(found, most)


def other_tables(subject: SubjectFigures, *, most: int) -> Iterator[str]:
    """Yield every other table with rows, each to open on a click."""
    for tag, found in subject.tables.items():
        if tag in _OWN_PLACE or not found.rows:
            continue
        head = [text(column.name.removesuffix("_ns").replace("_", " ")) for column in found.columns]
        rows = _rows(found, range(len(found.columns)), most)
        body = table(head, rows) + _more(found, most)
        yield details(tag.replace("_", " "), body, about=subject.name)


def measurements(subject: SubjectFigures) -> str:
    """Return every sampled quantity: median, quantiles, samples and what a sample includes."""
    rows, unknown = [], []
    for tag, metric in subject.metrics.items():
        if not tag.endswith("/median") or tag.startswith("split/") or metric.unit != "ns":
            continue
        stem = tag.removesuffix("/median")
        if metric.value is None:
            unknown.append(code(stem))
            continue
        count = subject.value(f"{stem}/samples")
        rows.append(
            [code(stem), *_quantiles(subject, stem), str(count or 0), text(metric.description)]
        )
    head = ["quantity", "median", "q20", "q80", "samples", "a sample includes"]
    shown = [table(head, rows, right=(1, 2, 3, 4))] if rows else []
    return "\n\n".join([*shown, *([f"Not measured: {', '.join(unknown)}"] if unknown else [])])


def plain_metrics(subject: SubjectFigures) -> str | None:
    """Return the metrics that are no sampled times."""
    rows = [
        [code(metric.tag), _spell(metric), text(metric.description)]
        for metric in subject.metrics.values()
        if not _is_sampled(metric)
    ]
    return table(["metric", "value", "meaning"], rows, right=(1,)) if rows else None


def spell_cell(value: Cell, column: Column) -> str:
    """Return a cell as Markdown: times and shares in words, names as code."""
    unit = unit_of(column.name, column.unit)
    if value is None:
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if unit == "ns":
            return spell_ns(value)
        return spell_share(value) if unit == "share" else f"{value:,}"
    spelled = spell_text(value, unicode=True)
    if isinstance(value, (list, bool)):
        return spelled
    if column.name in _NAMES:
        return code(cut(spelled, _LONGEST_NAME, mark="..."))
    return text(spelled)


def _rows(found: Table, places: Sequence[int], most: int) -> list[list[str]]:
    return [
        [spell_cell(row[place], found.columns[place]) for place in places]
        for row in found.rows[:most]
    ]


def _more(found: Table, most: int) -> str:
    left = len(found.rows) - most
    return f"\n\n{left:,} more rows are not shown." if left > 0 else ""


def _quantiles(subject: SubjectFigures, stem: str) -> Iterator[str]:
    for figure in ("median", "q20", "q80"):
        value = subject.value(f"{stem}/{figure}")
        yield spell_ns(value) if isinstance(value, (int, float)) else NOT_MEASURED


def _is_sampled(metric: Metric) -> bool:
    return metric.tag.rpartition("/")[2] in ("median", "q20", "q80", "samples")


def _spell(metric: Metric) -> str:
    value, unit = metric.value, metric.unit
    if value is None:
        return NOT_MEASURED
    if isinstance(value, (bool, str)):
        return text(str(value))
    if unit == "ns":
        return spell_ns(value)
    return f"{value:,.6g}{'' if unit in _BARE else ' ' + text(unit)}"


def _name(subject: SubjectFigures) -> str:
    baseline = subject.found is not None and subject.found.subject.baseline
    several = subject.found is not None and subject.found.subject.variant is not None
    return code(subject.name) + (", baseline" if baseline and several else "")
