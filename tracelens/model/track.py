"""A row of a timeline viewer: what an analysis has to show beside the trace itself."""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.model.intervals import Int64s
from tracelens.model.trace import Int32s


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Named slices `[start, start + duration)` of int64 nanoseconds, in order of their start.

    Of two slices that overlap, one lies inside the other and comes later. `name` holds indices
    into `names`, `window` the row of each slice's window in the table of windows.
    """

    title: str
    names: tuple[str, ...]
    name: Int32s
    start_ns: Int64s
    duration_ns: Int64s
    window: Int64s
