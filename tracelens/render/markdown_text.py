"""Markdown as GitHub reads it, safe for text of strangers.

A name from a trace may hold pipes, backticks, HTML, `@somebody` and `#123`. In a code span none of
them means anything, so names stand in code spans, and sentences have their marks escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape as escape_html

from tracelens.render.safe_text import cut, safe

_LONGEST = 400
"""Characters of one piece of text; what is longer loses its middle."""

_TICKS = re.compile(r"`+")

_LIVE = re.compile(
    r"(?<![\w`])@[\w-]+(?:/[\w-]+)?"  # a mention of a person or a team
    r"|(?<![\w./-])[\w.-]*(?:/[\w.-]+)?#\d+|\bGH-\d+"  # an issue, here or in another repository
    r"|(?<![\w+.-])(?:[A-Za-z][\w+.-]*://|www\.)\S+"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+"
    r"|\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b"  # a commit
    r"|`(?P<span>[^`]+)`|`+"
)
"""What GitHub turns into a link, a notice or code wherever it stands in text."""

_MARKS = re.compile(r"[\\*\[\]<>~$&]|(?<![^\W_])_|_(?![^\W_])")
"""What changes how the text around it looks. An underscore inside a word does not."""

_MARK_OF_LINE = re.compile(r"(\d{0,9})(?:(?<=\d)[.)]|[#+=-]+)(?=\s|\Z)")
"""What begins a heading, a list or a rule where it stands first."""


def code(text: str) -> str:
    """Return text as a code span; `-` for nothing."""
    plain = cut(safe(text), _LONGEST, mark="...")
    if not plain:
        return "-"
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(plain)), default=0))
    pad = " " if plain[0] == "`" or plain[-1] == "`" else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


def text(words: str, *, longest: int = _LONGEST) -> str:
    """Return a sentence whose marks are just characters, and whose live parts are code."""
    plain = cut(safe(words), longest, mark="...")
    parts, at = [], 0
    for live in _LIVE.finditer(plain):
        parts += [_escaped(plain[at : live.start()], first=at == 0), code(live["span"] or live[0])]
        at = live.end()
    return "".join([*parts, _escaped(plain[at:], first=at == 0)])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """Return a table of cells that are Markdown already; columns `right` are set to the right.

    Those are numbers, and a number is not parted from its unit.
    """
    aligned = set(right)
    rows = [[unparted(cell) if at in aligned else cell for at, cell in enumerate(r)] for r in rows]
    rule = ["---:" if place in aligned else "---" for place in range(len(head))]
    # GitHub cuts a row into cells first, at each pipe without a backslash, in code too
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (head, rule, *rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def unparted(words: str) -> str:
    """Return words that stay on one line, such as a number and its unit."""
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def details(title: str, body: str, *, about: str = "") -> str:
    """Return a body that opens on a click. What it is `about` stands as code: it is a name."""
    summary = escape_html(title)
    if about:
        summary += f" · <code>{escape_html(cut(safe(about), _LONGEST, mark='...'))}</code>"
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def fence(source: str, language: str = "") -> str:
    """Return a block of code, fenced by more backticks than stand in it."""
    longest = max((len(run) for run in _TICKS.findall(source)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{source.rstrip()}\n{ticks}"


def bullets(lines: Iterable[str]) -> str:
    """Return a list of lines that are Markdown already."""
    return "\n".join(f"- {line}" for line in lines)


def _escaped(plain: str, *, first: bool) -> str:
    escaped = _MARKS.sub(r"\\\g<0>", plain)
    mark = _MARK_OF_LINE.match(escaped) if first else None
    return f"{mark[1]}\\{escaped[mark.end(1) :]}" if mark else escaped
