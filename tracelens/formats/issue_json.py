"""The numbers of an issue as JSON, in a block at the end of its text that a script reads back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from tracelens.errors import ExportError
from tracelens.formats import strict_json
from tracelens.model.report import Report, Section

ISSUE_SCHEMA = "tracelens.issue/1"

_MOST_BYTES = 20_000
"""Of an issue's 65,536: people come first."""

_BLOCK = re.compile(rb"```json\r?\n(\{\"schema\":\"tracelens\.issue/[^\n]*)\r?\n```")


def numbers_block(report: Report, *, title: str) -> str:
    """Return a code block with every known metric by case, variant and tag; times are ns.

    Subjects for which there is no room in an issue are counted in `subjects_left_out`.
    """
    head = {
        "schema": ISSUE_SCHEMA,
        "title": title,
        "environment": msgspec.to_builtins(report.environment),
    }
    subjects = [
        {"case": case, "variant": variant, "metrics": metrics}
        for (case, variant), metrics in _metrics(report.sections).items()
    ]
    shown = subjects
    while len(text := _compact({**head, "subjects": shown})) > _MOST_BYTES and shown:
        shown = shown[: len(shown) // 2]
    if len(shown) < len(subjects):
        left_out = len(subjects) - len(shown)
        text = _compact({**head, "subjects_left_out": left_out, "subjects": shown})
    return f"```json\n{text.decode()}\n```"


def read_numbers(path: Path) -> bytes:
    """Return the JSON that the text of an issue carries. Raises ExportError where it has none."""
    try:
        found = _BLOCK.findall(path.read_bytes())
    except OSError as reason:
        raise ExportError(
            f"{path}: cannot be read: {reason.strerror or reason}", "Check the path."
        ) from None
    if not found:
        raise ExportError(
            f"{path} holds no numbers of ours", "Pass an issue.md that `tracelens issue` wrote."
        )
    document: Any = strict_json.load(
        found[-1], dict[str, Any], schema=ISSUE_SCHEMA, source=str(path), error=ExportError
    )
    return strict_json.dump(document)


def _compact(document: dict[str, Any]) -> bytes:
    """Return strict JSON on one line."""
    return msgspec.json.format(strict_json.dump(document), indent=-1)


def _metrics(
    sections: tuple[Section, ...],
) -> dict[tuple[str | None, str | None], dict[str, Any]]:
    found: dict[tuple[str | None, str | None], dict[str, Any]] = {}
    for section in sections:
        known = {m.tag: m.value for m in section.metrics if m.value is not None}
        if known:
            found.setdefault((section.case, section.variant), {}).update(known)
    return found
