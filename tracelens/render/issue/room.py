"""How much of an issue fits into GitHub's field for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

LIMIT_BYTES = 65_536
"""What GitHub takes as the text of an issue, in characters; counted here as UTF-8 bytes."""

_NO_ROOM = "What follows here does not fit an issue: see the run folder."


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of a dossier is shown."""

    subjects: int
    rows: int
    """Of a table, and findings of the issue."""
    source: bool
    """Whether the reproducer stands in the text too, not only beside it."""


_ROOMS = (
    Room(subjects=24, rows=40, source=True),
    Room(subjects=24, rows=15, source=True),
    Room(subjects=24, rows=8, source=True),
    Room(subjects=24, rows=3, source=True),
    Room(subjects=24, rows=40, source=False),
    Room(subjects=24, rows=10, source=False),
    Room(subjects=24, rows=3, source=False),
    Room(subjects=6, rows=10, source=False),
    Room(subjects=6, rows=3, source=False),
    Room(subjects=1, rows=10, source=False),
    Room(subjects=1, rows=2, source=False),
)
"""The first that fits is taken."""


def fitted(blocks_in: Callable[[Room], Iterable[str]], ending: Sequence[str]) -> str:
    """Return the text of the largest room that fits, with the ending whole.

    Where none does, the last blocks of the smallest are left out, and that is said.
    """
    blocks: list[str] = []
    for room in _ROOMS:
        blocks = list(blocks_in(room))
        if _size([*blocks, *ending]) <= LIMIT_BYTES:
            return _joined([*blocks, *ending])
    while _size([*blocks, _NO_ROOM, *ending]) > LIMIT_BYTES:
        blocks.pop()
    return _joined([*blocks, _NO_ROOM, *ending])


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _size(blocks: Sequence[str]) -> int:
    return len(_joined(blocks).encode())
