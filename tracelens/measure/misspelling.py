"""Names of an op file that are nearly one of its contract, and most likely meant to be it.

A name that nothing reads is the only sign there is: `tolerence = {...}` is good Python. So a name
counts where the file itself binds it and never uses it, where the name that it comes close to is
not in the file, and where its value is of the sort that name has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import ModuleType
from typing import get_args

from tracelens.model.op import MISSPELLED, Mode
from tracelens.model.report import Finding

_CLOSE = 0.77
"""difflib's ratio: that of `predictions` and `predict` is 0.78, of `bytes_read` and `bytes_moved`
0.76."""

Names = Mapping[str, Callable[[object], bool]]
"""What a file may say, and of each name whether a value can be meant as its value."""


def _is_function(value: object) -> bool:
    return callable(value) and not isinstance(value, type)


def _is_any_of(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types) and not isinstance(value, bool)


OP_FILE: Names = {
    **dict.fromkeys(("inputs", "op", "reference", "setup", "teardown"), _is_function),
    **dict.fromkeys(
        ("flops", "bytes_moved"), lambda value: _is_function(value) or isinstance(value, dict)
    ),
    **dict.fromkeys(("variants", "cases", "configs", "layers"), _is_any_of(dict)),
    "baseline": _is_any_of(str),
    "mode": lambda value: isinstance(value, str) and value in get_args(Mode),
    "tolerance": _is_any_of(dict, float, int),
    "expect": _is_any_of(dict, list, tuple),
    "predict": _is_any_of(dict, list, tuple, str),
}
"""The names of `contract`. A lone number is no tolerance, but somebody may think that it is."""

KERNELBENCH: Names = {
    "Model": _is_any_of(type),
    "ModelNew": _is_any_of(type),
    "get_inputs": _is_function,
    "get_init_inputs": _is_function,
    "tolerance": OP_FILE["tolerance"],
}


@dataclass(frozen=True, slots=True)
class Misspelling:
    """A name on a line of a file, and the name that it is nearly."""

    name: str
    line: int
    meant: str

    def question(self, file: str) -> str:
        """Return a sentence that names both."""
        stated = f"line {self.line} of {file} has {self.name!r}, which nothing reads"
        return f"{stated}: is {self.meant!r} meant?"

    def finding(self, file: str) -> Finding:
        """Return what the reader of a report should know of it."""
        return Finding(
            tag=MISSPELLED,
            severity="warning",
            fact=self.question(file),
            advice=f"rename it to {self.meant}, or to what is not nearly that",
        )


def misspellings(module: ModuleType, source: bytes, known: Names) -> list[Misspelling]:
    """Return the names of an executed file that are nearly a known one which the file lacks."""
    try:
        tree = ast.parse(source)
    except RecursionError:  # deeper than Python's own compiler goes without a tree of objects
        return []
    stated = vars(module)
    lacking = {name.lower(): name for name in known if name not in stated}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    found = []
    for name, line in dict(_bound(tree.body)).items():
        if name in stated and not (name in used or name in known or name.startswith("_")):
            fitting = [low for low, meant in lacking.items() if known[meant](stated[name])]
            close = get_close_matches(name.lower(), fitting, n=1, cutoff=_CLOSE)
            found += [Misspelling(name, line, lacking[low]) for low in close]
    return found


def _bound(statements: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield the names that a module's own statements define or assign, each with its line."""
    for node in statements:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
            continue
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from ((t.id, t.lineno) for t in targets if isinstance(t, ast.Name))
        for block in ("body", "orelse", "finalbody", "handlers"):
            yield from _bound(getattr(node, block, []))
