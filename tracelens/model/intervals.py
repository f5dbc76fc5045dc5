"""Sets of time: sorted, disjoint, half-open intervals of int64 nanoseconds, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

_EMPTY: Int64s = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """A set of instants: `starts[i] <= t < ends[i]`, sorted, disjoint, none of them empty.

    Build one with `Intervals.of`, which accepts any order and any overlap. Touching intervals are
    one interval. `starts` and `ends` are int64 arrays of shape (n,), in nanoseconds.
    """

    starts: Int64s
    ends: Int64s

    @classmethod
    def of(cls, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Intervals:
        """Return the union of `[start, end)` pairs; those with `end <= start` hold no instant."""
        first = np.asarray(starts, np.int64)
        last = np.asarray(ends, np.int64)
        holds = last > first
        first, last = first[holds], last[holds]
        if len(first) == 0:
            return cls(_EMPTY, _EMPTY)
        order = np.argsort(first, kind="stable")
        first, last = first[order], np.maximum.accumulate(last[order])
        opens = np.concatenate(([True], first[1:] > last[:-1]))
        closes = np.concatenate((opens[1:], [True]))
        return cls(first[opens], last[closes])

    @classmethod
    def none(cls) -> Intervals:
        """Return the empty set."""
        return cls(_EMPTY, _EMPTY)

    def __len__(self) -> int:
        return len(self.starts)

    __hash__ = None  # type: ignore[assignment]  # equal by content, and arrays have no hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Intervals):
            return NotImplemented
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.ends, other.ends)

    def __repr__(self) -> str:
        pairs = ", ".join(
            f"[{s}, {e})" for s, e in zip(self.starts[:8], self.ends[:8], strict=True)
        )
        return f"Intervals({pairs}{', ...' if len(self) > 8 else ''})"

    @property
    def length_ns(self) -> int:
        """How much time the set holds, in nanoseconds."""
        return int((self.ends - self.starts).sum())

    def length_before(self, instants: Int64s) -> Int64s:
        """Return for each instant how much of the set lies before it, in nanoseconds."""
        if len(self) == 0:
            return np.zeros(len(instants), np.int64)
        done = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.ends - self.starts)))
        begun = np.searchsorted(self.starts, instants, side="right")
        running_end = self.ends[np.maximum(begun - 1, 0)]
        still_to_come = np.where(begun > 0, np.maximum(running_end - instants, 0), 0)
        return done[begun] - still_to_come

    def lengths_within(self, starts: Int64s, ends: Int64s) -> Int64s:
        """Return for each `[start, end)` how much of the set lies in it, in nanoseconds."""
        return self.length_before(ends) - self.length_before(starts)

    def union(self, other: Intervals) -> Intervals:
        """Return the instants that either set holds."""
        return Intervals.of(
            np.concatenate((self.starts, other.starts)), np.concatenate((self.ends, other.ends))
        )

    def intersect(self, other: Intervals) -> Intervals:
        """Return the instants that both sets hold."""
        few, many = (self, other) if len(self) <= len(other) else (other, self)
        low = np.searchsorted(many.ends, few.starts, side="right")
        counts = np.searchsorted(many.starts, few.ends, side="left") - low
        mine = np.repeat(np.arange(len(few)), counts)
        theirs = np.arange(len(mine)) + np.repeat(low - (np.cumsum(counts) - counts), counts)
        # Already canonical: two pieces of one interval are as far apart as the other set's are.
        return Intervals(
            np.maximum(few.starts[mine], many.starts[theirs]),
            np.minimum(few.ends[mine], many.ends[theirs]),
        )

    def subtract(self, other: Intervals) -> Intervals:
        """Return the instants that this set holds and `other` does not."""
        return self.intersect(other._complement())

    def _complement(self) -> Intervals:
        """Return all instants of int64 that this set does not hold."""
        whole = np.iinfo(np.int64)
        return Intervals(
            np.concatenate(([whole.min], self.ends)), np.concatenate((self.starts, [whole.max]))
        )


def partition(sets: Sequence[Intervals], whole: Intervals) -> list[Intervals]:
    """Give each instant of `whole` to the first set that holds it.

    Returns one part per set and a last one for what none of them holds. The parts are disjoint
    and their lengths sum to the length of `whole`.
    """
    parts = []
    rest = whole
    for part in sets:
        parts.append(rest.intersect(part))
        rest = rest.subtract(part)
    return [*parts, rest]
