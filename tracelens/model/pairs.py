"""Two builds that take turns: who takes part, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Way = Literal["eager", "graph"]
"""How an op is called: as it stands, or as the replay of its CUDA graph."""

PARTS = ("before_first", "busy", "between", "after_last")
"""Of a call, by records of the device's work: they sum to its full time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One side of live pairs: an op file, one of its variants, and the interpreter to run it.

    Without a `variant` it is the file's first, without a `python` the interpreter in use.
    """

    op_path: Path
    variant: str | None = None
    python: str | None = None

    def __str__(self) -> str:
        """Return what was given of it: `op.py, fast, old/bin/python`."""
        return ", ".join(str(part) for part in (self.op_path, self.variant, self.python) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Samples of one quantity: a series for each process of a side, one sample a round.

    The series of both sides are equally many and equally long; equal places were taken in the same
    round, on the same core. What processes of one side differ by is noise.
    """

    baseline_ns: tuple[tuple[int, ...], ...]
    candidate_ns: tuple[tuple[int, ...], ...]
    includes: str


Paired = Mapping[str, Rounds]
"""Rounds by the stem of their quantity: `full`, `submit/graph`."""
