"""The source of an op file, made ready to stand inside a script of ours."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass

_OURS = re.compile(r"\b(?:repro_|Repro|REPRO_)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpSource:
    """An op's source without what a script may have only once.

    `futures` are the names that it imports from `__future__`, `needs` the packages beside the
    standard library and torch, `clashes` whether it uses names that begin as ours do.
    """

    text: str
    futures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    clashes: bool = False


def read_op_source(source: str) -> OpSource:
    """Take out imports from `__future__` and what runs only where the file is the main program.

    Those lines become empty, so that all others keep their place.
    """
    tree = ast.parse(source)
    lines = source.splitlines()
    futures: list[str] = []
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if future:
            futures += [name.name for name in node.names]  # type: ignore[attr-defined]  # an import
        if future or _is_main_guard(node):
            for row in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[row] = ""
    return OpSource(
        text="\n".join(lines).strip("\n") + "\n",
        futures=tuple(futures),
        needs=tuple(sorted(_packages(tree) - {"torch"} - sys.stdlib_module_names)),
        clashes=_OURS.search(source) is not None,
    )


def _is_main_guard(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and {ast.unparse(side) for side in (node.test.left, *node.test.comparators)}
        == {"__name__", "'__main__'"}
        and not node.orelse
    )


def _packages(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found
