"""Dossier in, `issue.md` out: what maintainers ask for in a performance report."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.model.dossier import Dossier
from tracelens.render.issue import figures
from tracelens.render.issue.checklist import checklist
from tracelens.render.issue.compared import render_comparison
from tracelens.render.issue.fields import fields
from tracelens.render.issue.findings import about, finding_blocks, of_subjects, verdicts
from tracelens.render.issue.folded import files, folded, replaced_in_all
from tracelens.render.issue.room import LIMIT_BYTES, Room, fitted
from tracelens.render.issue.subjects import other_findings, subjects_of
from tracelens.render.issue.untested import untested
from tracelens.render.markdown_text import bullets, code, details, fence, table

__all__ = ["LIMIT_BYTES", "render_comparison", "render_issue"]


def render_issue(dossier: Dossier, *, numbers: str = "") -> str:
    """Return the text of an issue of at most `LIMIT_BYTES`; what is left out is said.

    `numbers` is a block of JSON that stands at the end, whole. Every string of the dossier is taken
    for a stranger's.
    """
    ending = [details("Numbers, as JSON", numbers)] if numbers else []
    return fitted(lambda room: _blocks(dossier, room), ending)


def _blocks(dossier: Dossier, room: Room) -> Iterator[str]:
    every = subjects_of(dossier)
    subjects = every[: room.subjects]
    yield f"# {code(dossier.title)}: where the time of a call goes"
    yield from verdicts(of_subjects(subjects))
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
    found = about([("", other_findings(dossier)), *of_subjects(subjects)])
    yield from finding_blocks(found, most=room.rows)
    yield "## Files"
    yield bullets([*files(dossier), replaced_in_all(dossier.replaced)])
    yield "## Details"
    yield from folded(dossier, subjects, room)
    if dossier.reproducer and room.source:
        yield details(dossier.reproducer_name, fence(dossier.reproducer, "python"))
