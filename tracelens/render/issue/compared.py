"""Two dossiers and what changed between them in, `issue.md` out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracelens.model.dossier import ComparedDossier, Dossier
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Finding, Report, Section
from tracelens.render.changes import Changed, take_changes
from tracelens.render.issue.checklist import checklist
from tracelens.render.issue.fields import fields
from tracelens.render.issue.figures import laid_out
from tracelens.render.issue.findings import about, finding_blocks, of_subjects, verdicts
from tracelens.render.issue.folded import files, folded, replaced_in_all
from tracelens.render.issue.room import Room, fitted
from tracelens.render.issue.subjects import (
    SubjectFigures,
    other_findings,
    subjects_of,
    title_of,
)
from tracelens.render.issue.untested import untested
from tracelens.render.markdown_text import bullets, code, details, table, text

_HEADLINE = "diff/full/baseline"
"""The metric of the section that stands in the open; the others open on a click."""
_SAME = "the same"


def render_comparison(dossier: ComparedDossier, *, numbers: str = "") -> str:
    """Return the text of an issue about two builds, of at most `LIMIT_BYTES`.

    As for one build, with both sides beside each other and the changes in front.
    """
    ending = [details("Numbers, as JSON", numbers)] if numbers else []
    return fitted(lambda room: _blocks(dossier, room), ending)


def _blocks(dossier: ComparedDossier, room: Room) -> Iterator[str]:
    sides = [(side, one, subjects_of(one)[: room.subjects]) for side, one in dossier.sides]
    yield f"# {_title(dossier)}: two builds compared"
    yield from verdicts([(_name(s), s.findings) for s in dossier.report.sections])
    left = max(len(subjects_of(one)) for _, one in dossier.sides) - room.subjects
    if left > 0:
        yield f"{left} more subjects are not shown here: see the run folders."
    yield "## What was measured, and how"
    yield table(("field", *(side for side, _, _ in sides)), _fields(sides))
    yield from _results(dossier.report, room)
    yield "## Evidence"
    torch = text(dossier.baseline.report.environment.torch or "of unknown version")
    baseline = f"{code(dossier.baseline.title)} as measured beside it, with torch {torch}"
    for side, one, subjects in sides:
        yield f"Of the {side}:"
        yield checklist(one, subjects, baseline=baseline)
    yield "## Not tested"
    untold = [line for _, one, subjects in sides for line in untested(one, subjects)]
    yield bullets(dict.fromkeys(untold))
    yield from _findings(dossier, sides, room)
    yield "## Files"
    yield bullets(_files(dossier))
    yield "## Details"
    yield from _changes(dossier.report, room)
    for side, one, subjects in sides:
        yield from folded(one, subjects, room, side=side)


def _title(dossier: ComparedDossier) -> str:
    titles = dict.fromkeys(one.title for _, one in dossier.sides)
    return " → ".join(map(code, titles))


def _fields(
    sides: Sequence[tuple[str, Dossier, Sequence[SubjectFigures]]],
) -> Iterator[tuple[str, str, str]]:
    first, second = (fields(one, subjects) for _, one, subjects in sides)
    for (name, ours), (_, theirs) in zip(first, second, strict=True):
        yield name, ours, _SAME if ours == theirs else theirs


def _results(report: Report, room: Room) -> Iterator[str]:
    yield "## Results"
    for section in report.sections:
        if any(metric.tag == _HEADLINE for metric in section.metrics):
            name = _name(section)
            if name:
                yield f"{code(name)}:"
            yield _changed_table(section)
    yield "Medians; the interval is of the ratio candidate / baseline."
    for section in report.sections:
        for found in section.tables:
            if found.tag == "kernel_changes" and found.rows:
                yield "Kernels of a call" + (
                    f" of {code(_name(section))}:" if _name(section) else ":"
                )
                yield laid_out(found, most=room.rows)


def _changes(report: Report, room: Room) -> Iterator[str]:
    """Yield the other changes and tables of the comparison."""
    for section in report.sections:
        changed, _ = take_changes(section.metrics)
        headline = any(metric.tag == _HEADLINE for metric in section.metrics)
        if changed and not headline:
            yield details(section.title, _changed_table(section), about=_name(section))
        for found in section.tables:
            if found.tag != "kernel_changes" and found.rows:
                title = title_of(found, section)
                yield details(title, laid_out(found, most=room.rows), about=_name(section))


def _changed_table(section: Section) -> str:
    changed, _ = take_changes(section.metrics)
    head = ("quantity", "baseline", "candidate", "ratio", "interval", "verdict")
    rows = [_changed_row(one) for one in changed if one.seen]
    return table(head, rows, right=(1, 2, 3, 4))


def _changed_row(one: Changed) -> list[str]:
    low, high = one.figures.get("ratio_low"), one.figures.get("ratio_high")
    known = isinstance(low, (int, float)) and isinstance(high, (int, float))
    ratio = one.figures.get("ratio")
    return [
        text(one.name),
        *(_spell(value, one.unit) for value in one.both),
        f"{ratio:.3f}" if isinstance(ratio, (int, float)) else "-",
        f"{low:.3f} to {high:.3f}" if known else "-",
        text(str(one.figures.get("verdict") or "")) or "-",
    ]


def _spell(value: object, unit: str) -> str:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return "-" if value is None else text(str(value))
    if unit == "ns":
        return spell_ns(value)
    return f"{value:,.6g}{'' if unit in ('count', 'ratio', '') else ' ' + text(unit)}"


def _findings(
    dossier: ComparedDossier,
    sides: Sequence[tuple[str, Dossier, Sequence[SubjectFigures]]],
    room: Room,
) -> Iterator[str]:
    named: list[tuple[str, Sequence[Finding]]] = [
        (_name(section), section.findings) for section in dossier.report.sections
    ]
    for side, one, subjects in sides:
        own = [replace(s, name=" · ".join(filter(None, (side, s.name)))) for s in subjects]
        named += [(side, other_findings(one)), *of_subjects(own)]
    yield from finding_blocks(about(named), most=room.rows)


def _files(dossier: ComparedDossier) -> Iterator[str]:
    for _, one in dossier.sides:
        yield from files(one)
    yield replaced_in_all(dossier.replaced)


def _name(section: Section) -> str:
    return " · ".join(filter(None, (section.case, section.variant)))
