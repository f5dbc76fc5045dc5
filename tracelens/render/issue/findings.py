"""Findings of an issue: errors first, those of several subjects once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracelens.model.report import Finding
from tracelens.render.issue.subjects import SubjectFigures
from tracelens.render.markdown_text import bullets, code, text
from tracelens.render.remedies import is_remedy

_SEVERITIES = {"error": "**error**", "warning": "**warning**", "info": "note"}


def verdicts(named: Sequence[tuple[str, Sequence[Finding]]]) -> Iterator[str]:
    """Yield what was found in a sentence for each subject: name and findings."""
    lines = [
        f"{code(name)}: {text(finding.fact)}" if name else f"**{text(finding.fact)}**"
        for name, findings in named
        for finding in findings
        if finding.tag.startswith("verdict/")
    ]
    if lines:
        yield bullets(lines) if len(lines) > 1 else lines[0]


def of_subjects(subjects: Sequence[SubjectFigures]) -> list[tuple[str, Sequence[Finding]]]:
    """Return each subject's name and findings."""
    return [(subject.name, subject.findings) for subject in subjects]


def about(named: Sequence[tuple[str, Sequence[Finding]]]) -> dict[Finding, list[str]]:
    """Return each finding once, with the names of all that it is about, verdicts left out."""
    found: dict[Finding, list[str]] = {}
    for name, findings in named:
        for finding in findings:
            if not finding.tag.startswith("verdict/"):
                found.setdefault(finding, []).append(name)
    return found


def finding_blocks(found: Mapping[Finding, Sequence[str]], *, most: int) -> Iterator[str]:
    """Yield a heading and a list of at most so many, of what would help and of what was found."""
    helping = [finding for finding in found if is_remedy(finding)]
    others = [finding for finding in found if not is_remedy(finding)]
    others.sort(key=lambda finding: [*_SEVERITIES].index(finding.severity))
    for title, ordered in (("What would help", helping), ("Findings", others)):
        lines = [_line(finding, found[finding]) for finding in ordered[:most]]
        if len(ordered) > most:
            lines.append(f"{len(ordered) - most} more are not shown")
        if lines:
            yield f"## {title}"
            yield bullets(lines)


def _line(finding: Finding, names: Sequence[str]) -> str:
    where = "".join(f" {code(name)}" for name in names if name)
    advice = f" → {text(finding.advice)}" if finding.advice else ""
    return f"{_SEVERITIES[finding.severity]}{where}: {text(finding.fact)}{advice}"
