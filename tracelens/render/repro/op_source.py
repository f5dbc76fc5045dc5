"""The source of an op file, made ready to stand inside a script of ours."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import symtable
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_OURS = re.compile(r"\b(?:repro_|Repro|REPRO_)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpSource:
    """An op's source without what a script may have only once.

    `futures` are the names that it imports from `__future__`, `needs` the packages beside the
    standard library and torch, `hides` the builtins that its own names stand before, `clashes`
    whether it uses names that begin as ours do.
    `beside` are the modules that it takes along: source by path, as `lib.py` or `lib/ops.py`.
    """

    text: str
    futures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    hides: frozenset[str] = frozenset()
    clashes: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)


def read_op_source(source: str, *, beside: Mapping[str, str] | None = None) -> OpSource:
    """Take out imports from `__future__`; all lines keep their place.

    `beside` is the source of modules that lay beside the op file, by path. Raises SyntaxError where
    one of them is no Python.
    """
    tree = ast.parse(source)
    taken = beside or {}
    trees = [tree, *map(ast.parse, taken.values())]
    known = {"torch", *sys.stdlib_module_names, *(_root(path) for path in taken)}
    return OpSource(
        text=_without_futures(source, tree).strip("\n") + "\n",
        futures=tuple(name.name for node in _futures(tree) for name in node.names),
        needs=tuple(sorted({name for t in trees for name in _packages(t)} - known)),
        hides=_hidden_builtins(source, tree),
        clashes=_OURS.search(source) is not None,
        beside=taken,
    )


def _root(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py")


def _futures(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            yield node


def _without_futures(source: str, tree: ast.Module) -> str:
    """Put `pass` in the place of each import: other statements may stand on its line."""
    lines = source.encode().split(b"\n")  # an ast counts bytes, and lines by these alone
    for node in reversed(list(_futures(tree))):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rest = lines[last][node.end_col_offset or 0 :]
        lines[first : last + 1] = [
            lines[first][: node.col_offset] + b"pass" + rest,
            *[b""] * (last - first),
        ]
    return b"\n".join(lines).decode()


def _hidden_builtins(source: str, tree: ast.Module) -> frozenset[str]:
    """Return the builtins that a module may give another meaning: all, for `from torch import *`.

    An op library has its own `sum`, `max` and `abs`.
    """
    every = frozenset(n for n in vars(builtins) if not (keyword.iskeyword(n) or n.startswith("_")))
    if any(a.name == "*" for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names):
        return every
    table = symtable.symtable(source, "op.py", "exec")
    return every & {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


def _packages(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
