"""Modules that lie beside an op file: what it imports of them, and what those import in turn.

Found by reading, not by running: a reproducer takes them along.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = "beside"
"""Where a run folder keeps them."""

_MOST_FILES = 32
_MOST_BYTES = 500_000
"""What is more is a package of its own, which a reproducer names and does not take along."""


def keep_neighbours(op_path: Path, folder: Path) -> None:
    """Copy the neighbours of an op file into a run folder, under `beside`.

    One that cannot be read is left out. Raises OSError where the folder cannot be written.
    """
    root = op_path.resolve().parent
    for path, source in _neighbours(op_path.resolve()).items():
        target = folder / FOLDER / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source)


def read_neighbours(folder: Path) -> dict[str, str]:
    """Return the source of each neighbour that a run folder keeps, by its path in `beside`.

    A file that is no text is left out.
    """
    found = {}
    for path in sorted((folder / FOLDER).rglob("*.py")):
        try:
            found[path.relative_to(folder / FOLDER).as_posix()] = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue
    return found


def _neighbours(op_path: Path) -> dict[Path, bytes]:
    """Return the files and what they hold, or none where so many are no neighbours."""
    root = op_path.parent
    found: dict[Path, bytes] = {}
    pending = [op_path]
    while pending:
        importing = pending.pop()
        source = _read(importing)
        if source is None:
            continue
        found[importing] = source
        if len(found) > _MOST_FILES or sum(map(len, found.values())) > _MOST_BYTES:
            return {}
        package = importing.relative_to(root).parent.parts
        pending += [path for path in _imported(source, package, root) if path not in found]
    del found[op_path]
    return found


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _imported(source: bytes, package: tuple[str, ...], root: Path) -> Iterator[Path]:
    """Yield the files below `root` that imports may load, packages before their parts."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for name in _names(node, package):
            for length in range(1, len(name) + 1) if name[0] not in sys.stdlib_module_names else ():
                place = root.joinpath(*name[:length])
                yield from filter(Path.is_file, (place / "__init__.py", place.with_suffix(".py")))


def _names(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the dotted names that an import may load, split at their dots."""
    if isinstance(node, ast.Import):
        yield from (tuple(alias.name.split(".")) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) + 1 - node.level] if node.level else ()
        stem = (*above, *(node.module.split(".") if node.module else ()))
        yield from ((*stem, alias.name) for alias in node.names)
