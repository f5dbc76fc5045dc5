"""What a report shows at first, and what only with --verbose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import filterfalse

from tracelens.model.report import Metric, Report, Section
from tracelens.render.remedies import is_remedy

_LEFT_OUT = {
    "profile": frozenset({"windows", "checks", "repetition", "compiled_kernels", "tuning"}),
    "analyze": frozenset({"kernel_shapes"}),
}
"""Tables that a command shows only with --verbose."""

_SAYS_MORE = {"cases_and_kernels": "kernels"}
"""Tables beside which another is left out, but with --verbose."""

_SECOND_LOOK = {
    "profile": {
        "How well it is known": "how well it is known",
        "Own time by Python function, profiler off": "all Python functions",
    }
}
"""Sections whose figures a command shows only with --verbose, and what those are called."""

_MOST_SUBJECTS = {"diff": 3, "profile": 6}
"""With more cases and variants a command shows each of them only with --verbose."""

SAY_NOTHING_ALONE = frozenset({"devices", "streams", "cases"})
"""Tables that are left out where they have one row: the totals say as much."""

TELLS_ALL = {"doctor": "doctor/", "geomean": "diff/geomean/"}
"""Tables that show all metrics whose tags begin so: those are left out beside them."""

_SAY_ONCE = frozenset({"profile"})
"""Commands that say only of the first subject what a figure means and how the run was taken."""

_OWN_NOTES = "/whole"
"""How tags end whose descriptions are no meanings, but notes on a tree of their own."""


def brief(report: Report) -> tuple[Report, list[str]]:
    """Leave out what is for a second look; return what that is, in words, where there is any."""
    tags = {table.tag for section in report.sections for table in section.tables}
    said = {less for more, less in _SAYS_MORE.items() if more in tags}
    second_look = _LEFT_OUT.get(report.command, frozenset()) | said
    figures = _SECOND_LOOK.get(report.command, {})
    subjects = {(s.case, s.variant) for s in report.sections} - {(None, None)}
    folded = len(subjects) > _MOST_SUBJECTS.get(report.command, len(subjects))
    sections, left_out = [], []
    for section in report.sections:
        shown = section
        if folded and (section.case, section.variant) in subjects:
            left_out.append("each case")
            shown = _folded(section)
        if section.title in figures:
            left_out.append(figures[section.title])
            shown = replace(shown, metrics=())
        left_out += [
            t.tag.replace("_", " ") for t in shown.tables if t.tag in second_look and t.rows
        ]
        sections.append(_without(shown, second_look))
    if report.command in _SAY_ONCE:
        sections = list(_said_once(sections))
    return replace(report, sections=tuple(sections)), list(dict.fromkeys(left_out))


def _folded(section: Section) -> Section:
    """Keep what is shown of every case: warnings, and the answers to a reader's own questions."""
    return replace(
        section,
        metrics=(),
        tables=tuple(table for table in section.tables if table.tag == "predictions"),
        findings=tuple(filterfalse(is_remedy, section.findings)),
    )


def _without(section: Section, second_look: frozenset[str]) -> Section:
    """Leave out tables by their tag, those that say nothing, and metrics that a table shows."""
    kept = tuple(
        table
        for table in section.tables
        if table.tag not in second_look
        and not (table.tag in SAY_NOTHING_ALONE and len(table.rows) < 2)
    )
    told = tuple(TELLS_ALL[table.tag] for table in kept if table.tag in TELLS_ALL)
    metrics = tuple(m for m in section.metrics if not m.tag.startswith(told))
    return replace(section, tables=kept, metrics=metrics)


def _said_once(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections, without meanings and protocols that stand in one before them."""
    said: set[tuple[str, str]] = set()
    protocols: list[list[Metric]] = []
    for section in sections:
        protocol = [m for m in section.metrics if m.tag.startswith("protocol/")]
        known = protocol in protocols
        metrics = [m for m in section.metrics if not (known and m in protocol)]
        yield replace(
            section,
            metrics=tuple(
                replace(m, description="") if (m.tag, m.description) in said else m for m in metrics
            ),
        )
        protocols.append(protocol)
        said |= {(m.tag, m.description) for m in metrics if not m.tag.endswith(_OWN_NOTES)}
