"""The part of C++ that kernel names are made of: qualified names and nested brackets.

Names come from strangers' files, so everything here is one pass over the text and total:
unbalanced brackets end where the text ends, and no text makes a function raise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_SIGN = re.compile(
    r"\boperator\s*(?:\(\)|\[\]|<=>|<<=|>>=|->\*|->|<<|>>|<=|>=|<|>)"  # these are no brackets
    r"|->|[<>(){}\[\], ]"
)
_CLOSING = {"<": ">", "(": ")", "{": "}", "[": "]"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}

_INTEGER = re.compile(r"(-?[0-9]{1,9})[uUlL]{0,3}", re.ASCII)
_NVPROF = ("int=", "unsigned int=", "long=", "unsigned long=")
"""How nvprof writes a number among template arguments: its type before it."""

_UNNAMED = "<unnamed>"
"""An anonymous namespace, as NVIDIA's tools write it: these are no template arguments."""

_ANONYMOUS = re.compile(r"\(anonymous namespace\)::|<unnamed>::|_GLOBAL__N_1::")
_IDENTIFIER = re.compile(r"~?[A-Za-z_]\w{0,127}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name taken apart.

    `path` is its qualified name without template arguments and without anonymous namespaces;
    `arguments` are the template arguments of its last component, as they stand.
    """

    path: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Mark:
    """A separator or a whole bracket group outside all other brackets: `text[begin:end]`."""

    sign: str
    begin: int
    end: int


def parse_signature(text: str) -> Signature:
    """Take `void at::native::f<4, float>(int)` apart; return type and parameters are dropped."""
    text = text.strip()
    start, end = 0, len(text)
    groups: list[_Mark] = []
    for mark in _marks(text):
        if mark.sign == " ":
            start, groups = mark.end, []
        elif mark.sign == "<":
            if not text.startswith(_UNNAMED, mark.begin):
                groups.append(mark)
        elif mark.sign == "(" and not text.startswith("(anonymous namespace)", mark.begin):
            end = mark.begin
            break
    if start >= end:  # no return type, but a space inside: `Memcpy DtoD (Device -> Device)`
        return Signature(text[:end].strip())
    arguments: tuple[str, ...] = ()
    if groups and groups[-1].end == end:
        arguments = split_arguments(_inside(text, groups[-1]))
    kept, since = [], start
    for group in groups:
        kept.append(text[since : group.begin])
        since = group.end
    kept.append(text[since:end])
    return Signature(_ANONYMOUS.sub("", "".join(kept)), arguments)


def split_arguments(text: str) -> tuple[str, ...]:
    """Split at the commas outside brackets: `int, f<a, b>` into `int` and `f<a, b>`."""
    commas = [mark.begin for mark in _marks(text) if mark.sign == ","]
    edges = [-1, *commas, len(text)]
    return tuple(text[a + 1 : b].strip() for a, b in pairwise(edges))


def arguments_of(text: str, template: str) -> tuple[str, ...]:
    """Return the arguments of the first `template<...>` in a text, or none where there is none."""
    at = text.find(template + "<")
    if at < 0:
        return ()
    rest = text[at + len(template) :]
    return split_arguments(_inside(rest, _marks(rest, first_group_only=True)[0]))


def read_integer(text: str) -> int | None:
    """Read `128`, `2ul`, `(unsigned int)128`, `(ns::Enum)3` or `int=128`; else return None."""
    if text.startswith("("):
        text = text.rpartition(")")[2]
    elif text.startswith(_NVPROF):
        text = text.partition("=")[2]
    literal = _INTEGER.fullmatch(text)
    return None if literal is None else int(literal[1])


def read_boolean(text: str) -> bool | None:
    """Read `true`, `false`, `(bool)1` or `bool=1`; None for anything else."""
    for mark in ("(bool)", "bool="):
        if text.startswith(mark):
            text = {"0": "false", "1": "true"}.get(text[len(mark) :], "")
    return {"true": True, "false": False}.get(text)


def last_identifier(path: str) -> str | None:
    """Return the last component of a qualified name, or None where it is no identifier."""
    name = path.rpartition("::")[2]
    return name if _IDENTIFIER.fullmatch(name) else None


def _inside(text: str, group: _Mark) -> str:
    closed = text[group.end - 1] == _CLOSING[group.sign] and group.end - 1 > group.begin
    return text[group.begin + 1 : group.end - 1 if closed else group.end]


def _marks(text: str, *, first_group_only: bool = False) -> list[_Mark]:
    """Find every comma, space and bracket group that lies outside all brackets."""
    marks: list[_Mark] = []
    opened: list[str] = []
    begin = 0
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in _CLOSING:
            begin = begin if opened else match.start()
            opened.append(sign)
        elif opened:
            if _close(opened, sign):
                marks.append(_Mark(text[begin], begin, match.end()))
                if first_group_only:
                    return marks
        elif sign in ", ":
            marks.append(_Mark(sign, match.start(), match.end()))
    if opened:
        marks.append(_Mark(text[begin], begin, len(text)))
    return marks


def _close(opened: list[str], sign: str) -> bool:
    """Close what a sign closes, and say whether that was the outermost bracket.

    A `>` closes only a `<`, so that `((8)>(0))` is a comparison; another closing bracket also
    closes what comparisons `<` left open inside its own.
    """
    if sign not in _OPENING:
        return False
    while opened[-1] == "<" and sign != ">" and len(opened) > 1:
        opened.pop()
    if opened[-1] == _OPENING[sign]:
        opened.pop()
    return not opened
