"""What a card reaches at most, found out in the run that is held against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CeilingKind = Literal["bandwidth", "flops"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """Work that is nothing but copying, or nothing but multiplying, and how long it took."""

    kind: CeilingKind
    what: str
    """`a copy of 480 MiB by the driver`."""
    amount: int
    """Bytes read and written, or floating operations, of one piece of that work."""
    samples_ns: tuple[int, ...]
    """ns for one, each sample a run of many."""
