"""What opens on a click: each subject's tables, recorded ops, the environment; and the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from tracelens.model.dossier import Dossier
from tracelens.model.report import Environment
from tracelens.render.issue import figures
from tracelens.render.issue.fields import spell_recorded
from tracelens.render.issue.room import Room
from tracelens.render.issue.subjects import (
    NOT_MEASURED,
    SubjectFigures,
    other_sections,
    title_of,
)
from tracelens.render.markdown_text import code, details, table, text


def folded(
    dossier: Dossier, subjects: Sequence[SubjectFigures], room: Room, *, side: str = ""
) -> Iterator[str]:
    """Yield all that stands behind the figures; `side` is which of two it is about."""
    for section in other_sections(dossier):
        for found in section.tables:
            if found.rows:
                shown = figures.laid_out(found, most=room.rows)
                yield details(title_of(found, section), shown, about=side)
    for subject in subjects:
        named = " · ".join(filter(None, (side, subject.name)))
        for title, body in (
            ("Split of a call, profiler on", figures.split(subject)),
            ("Kernels and configurations", figures.kernels(subject, most=room.rows)),
            ("Everything that was sampled", figures.measurements(subject)),
            ("Other figures and the protocol", figures.plain_metrics(subject)),
        ):
            if body:
                yield details(title, body, about=named)
        yield from figures.other_tables(replace(subject, name=named), most=room.rows)
    if dossier.recorded:
        yield details(
            "Framework ops of one call, as recorded", _recorded(dossier, room), about=side
        )
    yield details("Environment", _environment(dossier.report.environment), about=side)


def files(dossier: Dossier) -> Iterator[str]:
    """Yield what lies beside the issue, as lines of Markdown."""
    reproducer = code(dossier.reproducer_name)
    if dossier.reproducer:
        needs = ", ".join(code(package) for package in ("torch", *dossier.needs))
        yield f"{reproducer} checks and measures it again. It needs {needs}, not tracelens."
    if dossier.carries:
        carried = ", ".join(map(code, dossier.carries))
        yield f"{reproducer} holds these files too, which lay beside the op file: {carried}"
    if dossier.missing:
        facts = "".join(f"\n  - {text(fact)}" for fact in dossier.missing)
        yield f"the trace does not record, so that the reproducer had to choose:{facts}"
    for attachment in dossier.attachments:
        said = "; ".join(map(text, (attachment.holds, *attachment.omitted)))
        yield f"{code(attachment.name)}, {_size(attachment.size)}: {said}"
    if dossier.changed_source:
        yield (
            f"private strings replaced in the op's source, and so in {reproducer}: "
            f"{dossier.changed_source}; it cannot run where it needs one of them"
        )


def _size(size_bytes: int) -> str:
    large = size_bytes >= 1_000_000
    return f"{size_bytes / 1e6:.1f} MB" if large else f"{size_bytes / 1e3:.1f} kB"


def replaced_in_all(counts: Mapping[str, int]) -> str:
    """Return how many private strings of which kind were replaced."""
    told = ", ".join(f"{count:,} x {text(kind)}" for kind, count in counts.items())
    return f"private strings replaced in all of these together: {told or 'none was found'}"


def _recorded(dossier: Dossier, room: Room) -> str:
    rows = [[code(spell_recorded(op)), str(op.count)] for op in dossier.recorded[: room.rows]]
    more = figures.more_rows(len(dossier.recorded) - room.rows)
    return table(("op and arguments", "calls"), rows, right=(1,)) + more


def _environment(environment: Environment) -> str:
    rows = [
        [name.replace("_", " "), NOT_MEASURED if value is None else code(_spelled(value))]
        for name, value in asdict(environment).items()
    ]
    return table(("field", "value"), rows)


def _spelled(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={setting}" for name, setting in value.items()) or "none"
    return str(value)
