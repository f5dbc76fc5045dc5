"""Dossier in, `issue.md` out: what maintainers ask for in a performance report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from tracelens.model.dossier import Dossier
from tracelens.model.report import Finding
from tracelens.render.issue import figures
from tracelens.render.issue.checklist import checklist
from tracelens.render.issue.fields import fields, spell_recorded
from tracelens.render.issue.markdown import bullets, code, details, fence, table, text
from tracelens.render.issue.subjects import (
    NOT_MEASURED,
    SubjectFigures,
    other_findings,
    subjects_of,
)
from tracelens.render.issue.untested import untested

__all__ = ["LIMIT_BYTES", "render_issue"]

LIMIT_BYTES = 65_536
"""What GitHub takes as the text of an issue, in characters; counted here as UTF-8 bytes."""

_SEVERITIES = {"error": "**error**", "warning": "**warning**", "info": "note"}

_NO_ROOM = "What follows here does not fit an issue: see the run folder."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """How much of a dossier is shown."""

    subjects: int
    rows: int
    """Of a table, and findings of the issue."""
    source: bool
    """Whether the reproducer stands in the text too, not only beside it."""


_ROOMS = (
    _Room(subjects=24, rows=40, source=True),
    _Room(subjects=24, rows=40, source=False),
    _Room(subjects=24, rows=10, source=False),
    _Room(subjects=24, rows=3, source=False),
    _Room(subjects=6, rows=10, source=False),
    _Room(subjects=6, rows=3, source=False),
    _Room(subjects=1, rows=10, source=False),
    _Room(subjects=1, rows=2, source=False),
)
"""The first that fits is taken."""


def render_issue(dossier: Dossier, *, numbers: str = "") -> str:
    """Return the text of an issue of at most `LIMIT_BYTES`; what is left out is said.

    `numbers` is a block of JSON that stands at the end, whole. Every string of the dossier is taken
    for a stranger's.
    """
    ending = [details("Numbers, as JSON", numbers)] if numbers else []
    blocks: list[str] = []
    for room in _ROOMS:
        blocks = list(_blocks(dossier, room))
        if _size([*blocks, *ending]) <= LIMIT_BYTES:
            return _joined([*blocks, *ending])
    while _size([*blocks, _NO_ROOM, *ending]) > LIMIT_BYTES:
        blocks.pop()
    return _joined([*blocks, _NO_ROOM, *ending])


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _size(blocks: Sequence[str]) -> int:
    return len(_joined(blocks).encode())


def _blocks(dossier: Dossier, room: _Room) -> Iterator[str]:
    every = subjects_of(dossier)
    subjects = every[: room.subjects]
    yield f"# {code(dossier.title)}: where the time of a call goes"
    yield from _verdicts(subjects)
    if len(every) > len(subjects):
        yield f"{len(every) - len(subjects)} more subjects are not shown here: see the run folder."
    yield "## What was measured, and how"
    yield table(("field", "what is known of it"), fields(dossier, subjects))
    if dossier.run is not None:
        yield "## Results"
        yield figures.results(subjects)
        yield "Medians; in brackets the quantiles 0.2 and 0.8. Host times with the profiler off."
    yield "## Evidence"
    yield checklist(dossier, subjects)
    yield "## Not tested"
    yield bullets(untested(dossier, subjects))
    yield from _findings(dossier, subjects, room)
    yield "## Files"
    yield bullets(_files(dossier))
    yield "## Details"
    yield from _details(dossier, subjects, room)


def _verdicts(subjects: Sequence[SubjectFigures]) -> Iterator[str]:
    lines = [
        f"{code(s.name)}: {text(f.fact)}" if s.name else f"**{text(f.fact)}**"
        for s in subjects
        for f in s.findings
        if f.tag.startswith("verdict/")
    ]
    if lines:
        yield bullets(lines) if len(lines) > 1 else lines[0]


def _findings(dossier: Dossier, subjects: Sequence[SubjectFigures], room: _Room) -> Iterator[str]:
    about: dict[Finding, list[str]] = {finding: [] for finding in other_findings(dossier)}
    for subject in subjects:
        for finding in subject.findings:
            if not finding.tag.startswith("verdict/"):
                about.setdefault(finding, []).append(subject.name)
    ordered = sorted(about, key=lambda finding: [*_SEVERITIES].index(finding.severity))
    lines = [_finding(finding, about[finding]) for finding in ordered[: room.rows]]
    if len(ordered) > room.rows:
        lines.append(f"{len(ordered) - room.rows} more are not shown")
    if lines:
        yield "## Findings"
        yield bullets(lines)


def _finding(finding: Finding, names: Sequence[str]) -> str:
    where = "".join(f" {code(name)}" for name in names if name)
    advice = f" → {text(finding.advice)}" if finding.advice else ""
    return f"{_SEVERITIES[finding.severity]}{where}: {text(finding.fact)}{advice}"


def _details(dossier: Dossier, subjects: Sequence[SubjectFigures], room: _Room) -> Iterator[str]:
    for subject in subjects:
        for title, body in (
            ("Split of a call, profiler on", figures.split(subject)),
            ("Kernels and configurations", figures.kernels(subject, most=room.rows)),
            ("Everything that was sampled", figures.measurements(subject)),
            ("Other figures and the protocol", figures.plain_metrics(subject)),
        ):
            if body:
                yield details(title, body, about=subject.name)
        yield from figures.other_tables(subject, most=room.rows)
    if dossier.recorded:
        yield details("Framework ops of one call, as recorded", _recorded(dossier, room))
    yield details("Environment", _environment(dossier))
    if dossier.reproducer and room.source:
        yield details("repro.py", fence(dossier.reproducer, "python"))


def _recorded(dossier: Dossier, room: _Room) -> str:
    rows = [[code(spell_recorded(op)), str(op.count)] for op in dossier.recorded[: room.rows]]
    left = len(dossier.recorded) - room.rows
    more = f"\n\n{left:,} more rows are not shown." if left > 0 else ""
    return table(("op and arguments", "calls"), rows, right=(1,)) + more


def _environment(dossier: Dossier) -> str:
    known = asdict(dossier.report.environment)
    rows = [
        [name.replace("_", " "), NOT_MEASURED if value is None else code(_spelled(value))]
        for name, value in known.items()
    ]
    return table(("field", "value"), rows)


def _spelled(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={setting}" for name, setting in value.items()) or "none set"
    return str(value)


def _files(dossier: Dossier) -> Iterator[str]:
    if dossier.reproducer:
        needs = ", ".join(code(package) for package in ("torch", *dossier.needs))
        yield f"{code('repro.py')} checks and measures it again. It needs {needs}, not tracelens."
    if dossier.missing:
        facts = "".join(f"\n  - {text(fact)}" for fact in dossier.missing)
        yield f"the trace does not record, so that the reproducer had to choose:{facts}"
    for attachment in dossier.attachments:
        said = "; ".join(map(text, (attachment.holds, *attachment.omitted)))
        yield f"{code(attachment.name)}, {attachment.size / 1e6:.2f} MB: {said}"
    replaced = ", ".join(f"{count:,} x {text(kind)}" for kind, count in dossier.replaced.items())
    yield f"private strings replaced in all of these together: {replaced or 'none was found'}"
