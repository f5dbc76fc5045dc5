"""The report as GitHub shows it: in a pull request, an issue, or a job's summary.

The answer and what to worry about come first, every case folds away. Names are those of strangers:
see `markdown_text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracelens.model.report import (
    Cell,
    Column,
    Environment,
    Finding,
    Metric,
    Report,
    Section,
    Table,
)
from tracelens.render.brief import SAY_NOTHING_ALONE, TELLS_ALL
from tracelens.render.changes import Changed, spell_figure, spell_interval, take_changes, telling
from tracelens.render.findings import is_verdict, tally
from tracelens.render.layouts import DIFFERENCES, LAYOUTS
from tracelens.render.markdown_text import bullets, code, details, table, text
from tracelens.render.quantity import column_unit, spell_column, spell_text, unit_of, with_sign
from tracelens.render.words import ENVIRONMENT, VERDICTS

_LONGEST = 60_000
"""Characters: GitHub refuses a comment of more than 65,536."""
_LONGEST_FACT = 800
_ROWS = 20
"""Of a table without a layout of its own."""
_MOST_ROWS = 100
_NAMED = 5
"""Cases that a finding names."""
_MOST_FINDINGS = 30
_WORDS = frozenset(
    {"verdict", "change", "outcome", "quantity", "expected", "found", "moved", "what", "layer"}
)
"""Columns of our own words; other text is a name of somebody else's."""


def render_markdown(report: Report) -> str:
    """Return the report as Markdown of at most 60,000 characters: blocks that no longer fit go."""
    blocks = [*_verdicts(report), *_open(report), *_folded(report)]
    foot = _environment(report.environment)
    room = _LONGEST - len(foot) - len(_left_out(len(blocks))) - 4
    shown: list[str] = []
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            break
        shown.append(block)
    more = len(blocks) - len(shown)
    told = [*shown, *([_left_out(more)] if more else []), foot]
    return "\n\n".join(filter(None, told)) + "\n"


def _left_out(count: int) -> str:
    return f"{count} more do not fit here: `--format json` has them."


def _verdicts(report: Report) -> Iterator[str]:
    for finding in filter(is_verdict, report.findings):
        word, colon, rest = finding.fact.partition(": ")
        yield f"### tracelens {report.command}: {text(word)}"
        if colon:
            yield text(rest)
        if finding.advice:
            yield text(finding.advice)


def _open(report: Report) -> Iterator[str]:
    """Yield what is read at once: the first section, the answers to predictions, the warnings."""
    for section in report.sections[:1]:
        yield from _blocks(section, brief=True)
    for section in report.sections[1:]:
        if _is_open(section):
            yield f"**{text(section.title)}**"
            yield from _blocks(section)
    told = _told(report)
    notes = {finding: about for finding, about in told.items() if finding.severity == "info"}
    grave = {finding: about for finding, about in told.items() if finding not in notes}
    if grave:
        yield _findings(dict(sorted(grave.items(), key=lambda item: item[0].severity)))
    if notes:
        yield details(tally(list(notes)), _findings(notes))


def _told(report: Report) -> dict[Finding, list[str]]:
    """Return each finding but the verdict, and the cases that it is about."""
    told: dict[Finding, list[str]] = {}
    for section in report.sections:
        for finding in section.findings:
            if not is_verdict(finding):
                told.setdefault(finding, []).append(_subject(section))
    return told


def _folded(report: Report) -> Iterator[str]:
    rest = [section for section in report.sections[1:] if not _is_open(section)]
    for subject in dict.fromkeys(map(_subject, rest)):
        blocks = []
        for section in rest:
            own = list(_blocks(section)) if _subject(section) == subject else []
            blocks += [f"**{text(section.title)}**", *own] if own else []
        if blocks:
            yield details("case" if subject else "figures", "\n\n".join(blocks), about=subject)


def _is_open(section: Section) -> bool:
    return section.title == "Predictions" and not _subject(section)


def _blocks(section: Section, *, brief: bool = False) -> Iterator[str]:
    told = tuple(TELLS_ALL[t.tag] for t in section.tables if t.tag in TELLS_ALL)
    changed, metrics = take_changes(section.metrics)
    rows = telling([change for change in changed if change.seen])
    if rows:
        yield _changes(rows)
    facts = [m for m in metrics if not m.tag.startswith(told)]
    if brief and facts:
        yield " · ".join(f"{text(fact.name)} **{_value(fact)}**" for fact in facts)
    elif facts:
        yield bullets(f"{text(m.name)}: {_value(m)} ({text(m.description)})" for m in facts)
    for one in section.tables:
        if one.rows and (one.tag == "cases" or one.tag not in SAY_NOTHING_ALONE):
            yield _table(one)


def _changes(rows: Sequence[Changed]) -> str:
    head = ("", "baseline", "candidate", "delta", "ratio", "99 % interval", "")
    cells = [_change(row) for row in rows]
    told = [at for at in range(len(head)) if any(row[at] for row in cells)]
    shown = ([row[at] for at in told] for row in cells)
    right = [place for place, at in enumerate(told) if 0 < at < len(head) - 1]
    return table([head[at] for at in told], shown, right=right)


def _change(row: Changed) -> list[str]:
    unit = column_unit(row.unit) if row.unit == "ns" else ""
    figures = [
        f"{spelled} {unit}".strip() if row.figures.get(figure) is not None else spelled
        for figure in ("baseline", "candidate", "delta")
        for spelled in (spell_figure(row, figure, unicode=True),)
    ]
    ratio = spell_figure(row, "ratio", unicode=True)
    verdict = row.figures.get("verdict")
    word = VERDICTS.get(str(verdict), ("", ""))[0]
    return [text(row.name), *figures, ratio, spell_interval(row, unicode=True), word]


def _value(metric: Metric) -> str:
    unit = unit_of(metric.tag, metric.unit)
    value = spell_column([metric.value], unit, unicode=True)[0]
    return text(f"{value} {column_unit(unit)}".strip())


def _table(one: Table) -> str:
    layout = LAYOUTS.get(one.tag)
    named = {column.name: place for place, column in enumerate(one.columns)}
    labels = layout.labels if layout else {c.name: c.name for c in one.columns}
    places = [named[name] for name in labels if name in named and _filled(one, named[name])]
    columns = [one.columns[place] for place in places]
    rows = one.rows[: min(layout.rows, _MOST_ROWS) if layout else _ROWS]
    cells = [
        _column(column, [row[place] for row in rows])
        for column, place in zip(columns, places, strict=True)
    ]
    heads = [_head(labels[column.name], column) for column in columns]
    numbers = [at for at, column in enumerate(columns) if column.unit is not None]
    shown = table(heads, zip(*cells, strict=True), right=numbers)
    more = len(one.rows) - len(rows)
    return f"{shown}\n\n{more:,} more rows: `--format json` has them." if more else shown


def _filled(one: Table, place: int) -> bool:
    return any(row[place] is not None for row in one.rows)


def _head(label: str, column: Column) -> str:
    unit = column_unit(unit_of(column.name, column.unit))
    return text(f"{label}, {unit}" if unit else label)


def _column(column: Column, cells: Sequence[Cell]) -> list[str]:
    if column.unit is not None:
        spelled = spell_column(cells, unit_of(column.name, column.unit), unicode=True)
        return [*map(with_sign, spelled, cells)] if column.name in DIFFERENCES else spelled
    spell = text if column.name in _WORDS else code
    return ["" if cell is None else spell(spell_text(cell, unicode=True)) for cell in cells]


def _findings(told: Mapping[Finding, Sequence[str]]) -> str:
    lines = [_line(finding, subjects) for finding, subjects in told.items()]
    more = len(lines) - _MOST_FINDINGS
    return bullets(lines[:_MOST_FINDINGS] + ([f"{more} more"] if more > 0 else []))


def _line(finding: Finding, subjects: Sequence[str]) -> str:
    names = [code(name) for name in dict.fromkeys(subjects) if name]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    who = f"{', '.join(names[:_NAMED])}{more}: " if names else ""
    mark = "" if finding.severity == "info" else f"**{finding.severity}** "
    advice = f" → {text(finding.advice)}" if finding.advice else ""
    return f"{mark}{who}{text(finding.fact, longest=_LONGEST_FACT)}{advice}"


def _subject(section: Section) -> str:
    return " · ".join(name for name in (section.case, section.variant) if name is not None)


def _environment(environment: Environment) -> str:
    facts = [
        text(words.format(value))
        for name, words in ENVIRONMENT
        if (value := getattr(environment, name)) is not None
    ]
    return f"<sub>{' · '.join(facts)}</sub>" if facts else ""
