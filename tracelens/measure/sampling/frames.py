"""A line of Python as a report names it: with nothing of the machine that it ran on."""

from __future__ import annotations

import linecache
import sysconfig
from collections.abc import Collection
from functools import cache
from pathlib import Path, PurePath
from types import CodeType

from tracelens.measure.failure import fit
from tracelens.model.cut import cut
from tracelens.model.functions import Frame

OP_FILE = "<op file>"

_INSTALLED = ("site-packages", "dist-packages")
_GENERATED = {
    "torchinductor_": "<torchinductor>",
    ".flaggems": "<flag_gems code cache>",
    ".triton": "<triton cache>",
}
"""Folders where libraries write code, by a part of their names, and what they are called here."""
_LONGEST_TEXT = 200
"""Characters of a name or a line: code that is made may have any."""


def frame_of(code: CodeType, offset: int, *, own_files: Collection[str]) -> Frame:
    """Return what a report says of an instruction, by its offset in bytes as `f_lasti` says it.

    `own_files` are the op's own. The text of a line is kept for installed packages alone.
    """
    line = _line(code, offset)
    file, is_public = _named(code.co_filename)
    name = getattr(code, "co_qualname", code.co_name)  # from Python 3.11 on
    return Frame(
        function=cut(fit(name), _LONGEST_TEXT),
        file=OP_FILE if code.co_filename in own_files else cut(fit(file), _LONGEST_TEXT),
        line=line,
        defined=code.co_firstlineno,
        text=cut(linecache.getline(code.co_filename, line).strip(), _LONGEST_TEXT)
        if is_public
        else "",
    )


def is_own(path: str) -> bool:
    """Say whether a file is in no package, and neither generated nor Python's own."""
    return _named(path) == (PurePath(path).name, False)


def _line(code: CodeType, offset: int) -> int:
    """Return the line of an instruction; those that enter a function have none but its first."""
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


@cache
def _named(path: str) -> tuple[str, bool]:
    """Return the name of a file without its machine, and whether anyone can have that file."""
    pure = PurePath(path)
    for folder in _INSTALLED:
        if folder in pure.parts:
            return _below(pure, len(pure.parts) - pure.parts[::-1].index(folder)), True
    for mark, name in _GENERATED.items():
        if any(mark in part for part in pure.parts[:-1]):
            return f"{name}/{pure.name}", False
    standard = PurePath(sysconfig.get_paths()["stdlib"])
    if pure.is_relative_to(standard):
        return _below(pure, len(standard.parts)), True
    depth = len(pure.parts) - 1
    while depth > 1 and Path(*pure.parts[:depth], "__init__.py").is_file():
        depth -= 1
    return _below(pure, depth), False


def _below(path: PurePath, depth: int) -> str:
    return "/".join(path.parts[depth:])
