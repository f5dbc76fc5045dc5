"""The verdict, which comes first, and all other findings, which come last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from tracelens.model.report import Finding, Severity
from tracelens.render.columns import TextColumn, grid
from tracelens.render.page import Page

_SEVERITIES: dict[Severity, tuple[str, str]] = {
    "error": ("error", "bold red"),
    "warning": ("warning", "yellow"),
    "info": ("note", "cyan"),
}
"""Word and colour, gravest first."""


def is_verdict(finding: Finding) -> bool:
    """Say whether a finding is a report's answer in one sentence."""
    return finding.tag.startswith("verdict/")


def verdict_lines(verdicts: Sequence[Finding], advice: str, page: Page) -> list[RenderableType]:
    """Return verdicts, and once what to do about all of them."""
    lines: list[RenderableType] = []
    for verdict in verdicts:
        style = "bold green" if verdict.severity == "info" else _SEVERITIES[verdict.severity][1]
        bound, colon, rest = verdict.fact.partition(":")
        lines.append(Text.assemble((bound + colon, style), (rest, "bold")))
    return [*lines, Text(f"{page.arrow} {_in_a_line(advice)}")] if advice else lines


def tally(findings: Sequence[Finding]) -> str:
    """Return how many there are of each severity: `1 error, 2 notes`."""
    counts = [
        (sum(finding.severity == severity for finding in findings), word)
        for severity, (word, _) in _SEVERITIES.items()
    ]
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)


def findings_grid(findings: Sequence[Finding], page: Page) -> RenderableType:
    """Return all findings, gravest first, each with its advice on lines of its own."""
    order = list(_SEVERITIES)
    marks, texts, styles = [], [], []
    for finding in sorted(findings, key=lambda f: order.index(f.severity)):
        word, style = _SEVERITIES[finding.severity]
        marks.append(word)
        texts.append(_without_stop(finding.fact))
        styles.append(style)
        if finding.advice:
            marks.append("")
            texts.append(f"{page.arrow} {_in_a_line(finding.advice)}")
            styles.append("")
    return grid(
        [TextColumn(cells=marks, styles=styles), TextColumn(cells=texts, wraps=True, least=20)],
        page,
    )


def _in_a_line(advice: str) -> str:
    """Return advice as findings write it, where it was an error's hint: a sentence of its own."""
    without = _without_stop(advice)
    is_plain = without != advice and advice[:1].isupper() and advice[1:2].islower()
    return without[0].lower() + without[1:] if is_plain else without


def _without_stop(text: str) -> str:
    """Return one sentence without its full stop; several keep theirs."""
    return text.removesuffix(".") if ". " not in text and not text.endswith("..") else text
