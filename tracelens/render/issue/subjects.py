"""What an issue says is about: one case of one variant each, with its figures by tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracelens.model.dossier import Dossier
from tracelens.model.measurement import SubjectRun
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Finding, Metric, Section, Table, Value
from tracelens.render.markdown_text import unparted

NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFigures:
    """The sections of one subject. A trace alone is one subject, without a run."""

    name: str
    """Case and variant, or nothing where there is only one of both."""
    metrics: dict[str, Metric]
    tables: dict[str, Table]
    titles: dict[str, str]
    """What each table is called: as its section is, with its own tag where that has several."""
    findings: tuple[Finding, ...]
    found: SubjectRun | None = None

    def value(self, tag: str) -> Value:
        """Return a metric's value; None where it is unknown or there is no such metric."""
        metric = self.metrics.get(tag)
        return metric.value if metric is not None else None

    def time(self, tag: str) -> str:
        """Return a time in words, with its spread where it has one, or `not measured`."""
        median = self.value(f"{tag}/median")
        if not isinstance(median, (int, float)):
            return NOT_MEASURED
        low, high = self.value(f"{tag}/q20"), self.value(f"{tag}/q80")
        if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
            return unparted(spell_ns(median))
        middle, least, most = (unparted(spell_ns(ns)) for ns in (median, low, high))
        return f"{middle} ({least} to {most})"


def subjects_of(dossier: Dossier) -> list[SubjectFigures]:
    """Return the subjects of a run in its order, or the one of a trace."""
    sections = dossier.report.sections
    if dossier.run is None:
        return [_figures("", sections, None)]
    found = []
    for subject_run in dossier.run.subjects:
        subject = subject_run.subject
        own = [s for s in sections if (s.case, s.variant) == (subject.case, subject.variant)]
        names = [name for name in (subject.case, subject.variant) if name is not None]
        found.append(_figures(" · ".join(names), own, subject_run))
    return found


def other_sections(dossier: Dossier) -> list[Section]:
    """Return the sections that belong to no subject of a run: all cases side by side, say."""
    if dossier.run is None:
        return []
    subjects = {(s.subject.case, s.subject.variant) for s in dossier.run.subjects}
    sections = dossier.report.sections
    return [s for s in sections if (s.case, s.variant) not in subjects]


def other_findings(dossier: Dossier) -> list[Finding]:
    """Return the findings of those: how the run ended, say."""
    return [finding for section in other_sections(dossier) for finding in section.findings]


def title_of(table: Table, section: Section) -> str:
    """Return what a table is called."""
    tag = table.tag.replace("_", " ")
    return section.title if len(section.tables) == 1 else f"{section.title}: {tag}"


def _figures(name: str, sections: Sequence[Section], found: SubjectRun | None) -> SubjectFigures:
    return SubjectFigures(
        name=name,
        metrics={metric.tag: metric for section in sections for metric in section.metrics},
        tables={table.tag: table for section in sections for table in section.tables},
        titles={
            table.tag: title_of(table, section) for section in sections for table in section.tables
        },
        findings=tuple(finding for section in sections for finding in section.findings),
        found=found,
    )
