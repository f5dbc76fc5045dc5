"""Kernel names that fit a line and can still be told apart.

A demangled name says its template arguments twice and its namespaces everywhere. What goes first is
what says least: the return type and parameter list, then namespaces, then arguments of arguments.
Where two names of a table would look the same, each shows the first place where they differ.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import takewhile

from rich.cells import cell_len, set_cell_size

from tracelens.render.safe_text import cut

_PARENTHESES = r"\((?:[^()]|\([^()]*\))*\)"
_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^void ", ""),
        (r" \[clone [^\]]*\]$", ""),
        (r" >", ">"),
        (r"\b(\d+)(?:ull|ul|u|l)\b", r"\1"),
        (r"\((?:[\w:]+)\)(?=-?\d)", ""),  # the type of an enumerator: (SortOrder)0
        (r"::operator\(\)\(\) const", ""),
        # A lambda says little but its parameters: those are the types that an op was built for.
        (rf"(?:{_PARENTHESES})?(?:::\{{lambda{_PARENTHESES}#\d+\}})*"
         rf"::\{{lambda({_PARENTHESES})#\d+\}}", r"\1"),
    )
)  # fmt: skip
_PASSES = 8
"""A name that was rewritten may look like a third one, and that like a fourth."""

_NAMESPACE = re.compile(r"(?:\b[A-Za-z_]\w*::|\(anonymous namespace\)::)+")
_IDENTIFIER_END = re.compile(r"[A-Za-z_]\w*$")


def shorten_names(names: Sequence[str], width: int, *, mark: str = "…") -> list[str]:
    """Return each name in at most `width` cells; different names stay different.

    `mark` stands for what was left out. Names that are equal stay equal.
    """
    plain = [_plain(name) for name in names]
    short = [_shorten(name, width, mark=mark) for name in plain]
    for forms in ([_unqualified(name) for name in plain], plain):
        _resolve(short, forms, partial(_tell_apart, short, forms, width=width, mark=mark))
    _resolve(short, names, partial(_number, short, names, width=width, mark=mark))
    return short


def _resolve(short: list[str], names: Sequence[str], rewrite: Callable[[list[int]], None]) -> None:
    """Rewrite rows that look alike, and again those that the rewriting made look alike."""
    for _ in range(_PASSES):
        groups = _look_alikes(short, names, range(len(names)))
        if not groups:
            return
        for rows in groups:
            rewrite(rows)


def _plain(name: str) -> str:
    for pattern, replacement in _REWRITES:
        name = pattern.sub(replacement, name)
    if name.endswith(")"):
        depth = 0
        for place in range(len(name) - 1, 0, -1):
            depth += (name[place] == ")") - (name[place] == "(")
            if depth == 0:
                return name[:place]
    return name


def _unqualified(name: str) -> str:
    return _NAMESPACE.sub("", name)


def _shorten(name: str, width: int, *, mark: str) -> str:
    unqualified = _unqualified(name)
    for form in (name, unqualified, _elide(unqualified)):
        if cell_len(form) <= width:
            return form
    head, bracket, arguments = _elide(unqualified).partition("<")
    if not bracket:
        return cut(unqualified, width, mark=mark)
    head = _cut_end(head, width * 2 // 5, mark=mark) if len(head) > width // 2 else head
    return _cut_end(head + bracket + arguments, width, mark=mark)


def _elide(name: str) -> str:
    """Return the name with the arguments of its template arguments left out."""
    kept, depth = [], 0
    for character in name:
        depth -= character == ">"
        if depth < 2:
            kept.append("<.." if character == "<" and depth == 1 else character)
        depth += character == "<"
    return "".join(kept)


def _cut_end(text: str, width: int, *, mark: str) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - len(mark)) + mark


def _look_alikes(short: list[str], names: Sequence[str], rows: Iterable[int]) -> list[list[int]]:
    """Return those of the rows that are shown alike though their names differ, in groups."""
    groups = defaultdict(list)
    for row in rows:
        groups[short[row]].append(row)
    return [group for group in groups.values() if len({names[row] for row in group}) > 1]


def _tell_apart(
    short: list[str], forms: Sequence[str], rows: list[int], *, width: int, mark: str
) -> None:
    """Show the rows by the start of their form and the first place where it differs."""
    shared = _common_start([forms[row] for row in rows])
    token = _IDENTIFIER_END.search(shared)
    differs = token.start() if token and len(token[0]) < width // 3 else len(shared)
    head = shared[: min(differs, width // 3)]
    for row in rows:
        skipped = mark if len(head) < differs else ""
        short[row] = _cut_end(head + skipped + forms[row][differs:], width, mark=mark)
    for alike in _look_alikes(short, forms, rows):
        # Fewer rows share a longer start, unless the line has no room for any difference.
        if len(alike) < len(rows):
            _tell_apart(short, forms, alike, width=width, mark=mark)


def _common_start(texts: Sequence[str]) -> str:
    low, high = min(texts), max(texts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    return low[: sum(1 for _ in same)]


def _number(
    short: list[str], names: Sequence[str], rows: list[int], *, width: int, mark: str
) -> None:
    """Put a number behind each name, for nothing that is shown of them differs."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names[row] for row in rows), 1)}
    for row in rows:
        end = f" #{numbers[names[row]]}"
        short[row] = cut(short[row], width - len(end), mark=mark) + end
