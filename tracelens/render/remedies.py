"""What would help: findings that stand in their own section, not among the others."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from tracelens.model.report import Finding
from tracelens.render.columns import TextColumn, grid
from tracelens.render.page import Page


def is_remedy(finding: Finding) -> bool:
    """Say whether a finding says what would make the call shorter."""
    return finding.tag.startswith("help/")


def remedies_grid(remedies: Sequence[Finding], page: Page) -> RenderableType:
    """Return the remedies, each with its advice on lines of its own."""
    marks, texts = [], []
    for finding in remedies:
        marks += ["-", ""]
        texts += [finding.fact, f"{page.arrow} {finding.advice}"]
    return grid([TextColumn(cells=marks), TextColumn(cells=texts, wraps=True, least=20)], page)
