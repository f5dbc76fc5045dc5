"""A folder with an issue's files: whole or not there at all, and never over another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracelens.errors import ExportError
from tracelens.formats.unfinished import begin_unfinished

ISSUE_NAME = "issue.md"
REPRODUCER_NAME = "repro.py"

_HINT = "Pass another folder with -o."
_SUFFIXES = (".gz", ".json", ".sqlite", ".run")


def issue_folder_path(source: Path) -> Path:
    """Return where an issue goes unless told otherwise: `softmax.issue` in this folder."""
    name = Path(os.path.abspath(source)).name  # noqa: PTH100  # resolve() would follow symlinks
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return Path(f"{name}.issue")


@contextmanager
def new_issue_folder(target: Path) -> Iterator[Path]:
    """Make a folder that is at `target` once the context has ended well.

    Raises ExportError where something is there already, or the system says no.
    """
    place = Path(os.path.abspath(target))  # noqa: PTH100  # as above
    if os.path.lexists(place):
        raise ExportError(f"{target} exists, and an issue overwrites nothing", _HINT)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        unfinished = begin_unfinished(place.parent)
    except OSError as reason:
        raise _unwritable(target, reason) from None
    try:
        yield unfinished.path
        unfinished.finish(place)
    except OSError as reason:
        raise _unwritable(target, reason) from None
    finally:
        unfinished.remove()


def _unwritable(target: Path, reason: OSError) -> ExportError:
    why = reason.strerror or reason
    return ExportError(f"{target}: the issue cannot be written: {why}", _HINT)
