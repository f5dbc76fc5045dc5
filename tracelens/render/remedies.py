"""What would help: findings that stand in their own section, not among the others."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tracelens.model.report import Finding
from tracelens.render.page import MARGIN, Page


def is_remedy(finding: Finding) -> bool:
    """Say whether a finding says what would make the call shorter."""
    return finding.tag.startswith("help/")


def remedy_lines(remedies: Sequence[Finding], page: Page) -> list[RenderableType]:
    """Return the remedies, each with its advice below it, set in."""
    lines: list[RenderableType] = []
    for finding in remedies:
        lines.append(Padding(Text(finding.fact), (0, 0, 0, MARGIN)))
        lines.append(Padding(Text(f"{page.arrow} {finding.advice}"), (0, 0, 0, 2 * MARGIN)))
    return lines
