"""Tables of an issue: results, splits, kernels, and whatever else the report holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Cell, Column, Metric, Table
from tracelens.render.issue.subjects import NOT_MEASURED, SubjectFigures
from tracelens.render.kernel_name import shorten_names
from tracelens.render.layouts import LAYOUTS
from tracelens.render.markdown_text import code, details, table, text
from tracelens.render.quantity import spell_text, unit_of
from tracelens.render.safe_text import cut, safe
from tracelens.render.splits import SPLIT

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
_LONGEST_NAME, _LONGEST_BESIDE = 120, 60
"""Characters of a name: with one in a row, and with two."""

_BARE = frozenset({"count", "ratio", "1", ""})
"""Units that say nothing more than the number."""

_NAMES = frozenset(
    {"name", "config", "function", "file", "kernel", "baseline", "candidate", "family"}
)
"""Columns of names and configurations, which are code; other text is a sentence or a word."""

_BESIDE = frozenset({"baseline", "candidate"})
"""Columns of names that stand beside each other."""

_LEAST_BRANCH = 0.01
"""Of a tree's whole: what is smaller is among the rows that are not shown."""

_OF_TREE = frozenset({"depth", "parent"})
"""Columns that say where in a tree a row stands."""

_OWN_PLACE = frozenset({"kernels", "windows"})
"""Tables that are shown in a place of their own, or say window by window what the medians say."""


def results(subjects: Sequence[SubjectFigures]) -> str:
    """Return the headline: a row for each subject, medians with quantiles 0.2 and 0.8.

    What no subject has is no column: the fields above say that it was not measured.
    """
    named = any(subject.name for subject in subjects)
    known = [
        (tag, words)
        for tag, words in _RESULTS
        if any(subject.value(f"{tag}/median") is not None for subject in subjects)
    ]
    shown = known or _RESULTS
    head = [*(("measured",) if named else ()), *(words for _, words in shown)]
    rows = [
        [*((_name(subject),) if named else ()), *(subject.time(tag) for tag, _ in shown)]
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
    if "name" in names:
        head = replace(found, rows=found.rows[:most])
        _put(rows, 0, _shortened(head, names.index("name"), _LONGEST_NAME))
    numbers = [at for at, (name, _) in enumerate(shown) if name not in ("name", "family", "config")]
    return table([words for _, words in shown], rows, right=numbers) + _more(found, most)


def other_tables(subject: SubjectFigures, *, most: int) -> Iterator[str]:
    """Yield every other table with rows, each to open on a click."""
    for tag, found in subject.tables.items():
        if tag not in _OWN_PLACE and _told(found):
            yield details(subject.titles[tag], laid_out(found, most=most), about=subject.name)


def laid_out(found: Table, *, most: int) -> str:
    """Return a table in the columns that it is shown with elsewhere, or in all of them.

    Those that say nothing of any row are left out. A name in a tree has a point before it for each
    level; small branches are left out.
    """
    names = [column.name for column in found.columns]
    layout = LAYOUTS.get(found.tag)
    labels = layout.labels if layout else {n: _label(n, names) for n in names}
    told = [n for at, n in enumerate(names) if any(row[at] is not None for row in found.rows)]
    places = [names.index(name) for name in labels if name in told and name not in _OF_TREE]
    shown = replace(
        found, rows=_telling(found, names)[: min(most, layout.rows if layout else most)]
    )
    rows = _rows(shown, places, most)
    for at, place in enumerate(places):
        if names[place] in _BESIDE:
            _put(rows, at, _shortened(shown, place, _LONGEST_BESIDE))
        if names[place] == "name" and "depth" in names:
            levels = (row[names.index("depth")] for row in shown.rows)
            points = ("· " * level if isinstance(level, int) else "" for level in levels)
            _put(rows, at, [p + row[at] for p, row in zip(points, rows, strict=True)])
        if names[place] == "share" and "depth" in names:
            _put(rows, at, _shares_of_total(shown, _whole_ns(found, names), names))
    right = [at for at, place in enumerate(places) if _is_number(found, place)]
    head = [text(labels[names[place]]) for place in places]
    return table(head, rows, right=right) + _more(found, len(shown.rows))


def _telling(found: Table, names: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows of a tree without its small branches, and what another table tells."""
    if "depth" not in names or "total_ns" not in names:
        return _told(found)
    least_ns = _LEAST_BRANCH * _whole_ns(found, names)
    times_ns = _totals_ns(found, names)
    return tuple(row for ns, row in zip(times_ns, found.rows, strict=True) if ns >= least_ns)


def _told(found: Table) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows that no other table has."""
    layout = LAYOUTS.get(found.tag)
    return tuple(map(tuple, layout.told(found))) if layout else found.rows


def _whole_ns(found: Table, names: Sequence[str]) -> int:
    """Return the time of a whole tree: that of its first level."""
    levels = (row[names.index("depth")] for row in found.rows)
    return sum(ns for ns, level in zip(_totals_ns(found, names), levels, strict=True) if level == 0)


def _totals_ns(found: Table, names: Sequence[str]) -> list[int]:
    cells = (row[names.index("total_ns")] for row in found.rows)
    return [ns if isinstance(ns, int) else 0 for ns in cells]


def _shares_of_total(shown: Table, whole_ns: int, names: Sequence[str]) -> list[str]:
    """Return a tree's shares as the report shows them: of each row with all below it."""
    return [spell_share(ns / whole_ns) if whole_ns else "-" for ns in _totals_ns(shown, names)]


def _shortened(found: Table, place: int, width: int) -> list[str]:
    """Return a column of names, cut together so that what tells them apart is kept."""
    whole = [safe(str(row[place] or "")) for row in found.rows]
    return [code(name) for name in shorten_names(whole, width, mark="...")]


def _put(rows: list[list[str]], at: int, cells: Sequence[str]) -> None:
    for row, cell in zip(rows, cells, strict=True):
        row[at] = cell


def _label(name: str, names: Sequence[str]) -> str:
    short = name.removesuffix("_ns")
    return (name if short == name else f"{short} time" if short in names else short).replace(
        "_", " "
    )


def _is_number(found: Table, place: int) -> bool:
    """Say whether a column is set to the right: numbers are, where there are any."""
    cells = [row[place] for row in found.rows if row[place] is not None]
    return bool(cells) and all(type(cell) in (int, float) for cell in cells)


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
        [code(metric.tag), _spell(metric), text(_meaning(metric))]
        for metric in subject.metrics.values()
        if not _is_sampled(metric, subject)
    ]
    return table(["metric", "value", "meaning"], rows, right=(1,)) if rows else None


def spell_cell(value: Cell, column: Column) -> str:
    """Return a cell as Markdown: times and shares in words, names as code."""
    unit = unit_of(column.name, column.unit)
    if value is None:
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value, unit)
    spelled = spell_text(value, unicode=True)
    if isinstance(value, (list, bool)):
        return spelled
    if column.name in _NAMES:
        return code(cut(spelled, _LONGEST_NAME, mark="..."))
    return text(spelled)


def _number(value: float, unit: str | None) -> str:
    if unit == "ns":
        return spell_ns(value)
    if unit == "share":
        return spell_share(value)
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def _rows(found: Table, places: Sequence[int], most: int) -> list[list[str]]:
    return [
        [spell_cell(row[place], found.columns[place]) for place in places]
        for row in found.rows[:most]
    ]


def _more(found: Table, most: int) -> str:
    return more_rows(len(found.rows) - most)


def more_rows(left: int) -> str:
    """Return the line that says how many rows are left out, or nothing where none is."""
    return (
        f"\n\n{left:,} more {'row is' if left == 1 else 'rows are'} not shown." if left > 0 else ""
    )


def _quantiles(subject: SubjectFigures, stem: str) -> Iterator[str]:
    for figure in ("median", "q20", "q80"):
        value = subject.value(f"{stem}/{figure}")
        yield spell_ns(value) if isinstance(value, (int, float)) else NOT_MEASURED


def _is_sampled(metric: Metric, subject: SubjectFigures) -> bool:
    stem, _, figure = metric.tag.rpartition("/")
    return figure in ("median", "q20", "q80", "samples") and f"{stem}/median" in subject.metrics


def _meaning(metric: Metric) -> str:
    """Return what a figure means; of the protocol its name says more than its description."""
    return metric.name if metric.tag.startswith("protocol/") else metric.description


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
