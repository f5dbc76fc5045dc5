"""Many stretches of time laid end to end, so that one pass of interval arithmetic serves them all.

A window of a trace is one stretch, and so is one stream or one host thread over the whole trace.
Laid on a line with a gap after each, sets of different stretches never touch: a union, a partition
or a length over the line is that of every stretch at once, without a loop over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import reduce_groups, spread
from tracelens.errors import TraceError
from tracelens.model.intervals import Int64s, Intervals

_GAP_NS = 1
"""Between neighbours, so that what ends with one never merges with what begins with the next."""

_BLOCK = 1 << 18
"""Slices placed at once: nested ones unite block by block, so that memory holds few of them."""

_LONGEST_NS = 2**62
"""The longest line whose sums of two positions still fit int64."""


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Pieces of time, each in a slot of a line: `[starts[i], ends[i])` in the slot `slots[i]`."""

    slots: Int64s
    starts: Int64s
    ends: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Slots `[starts[i], ends[i])` and where on the line each begins, all in nanoseconds."""

    starts: Int64s
    ends: Int64s
    offsets: Int64s

    @classmethod
    def of(cls, starts: Int64s, ends: Int64s) -> Line:
        """Lay slots end to end. Raises TraceError where their sum exceeds what int64 can hold."""
        walls = np.maximum(ends - starts, 0)
        total = float(np.maximum(ends.astype(np.float64) - starts, 0).sum()) + _GAP_NS * len(walls)
        if total >= _LONGEST_NS:
            raise TraceError(
                f"the {len(walls)} windows, streams or threads of this trace cover "
                f"{total / 3.15e16:.0f} years in sum, more than 64-bit nanoseconds hold",
                "look for records with absurd times in the trace and drop them",
            )
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(walls + _GAP_NS)[:-1]))
        return cls(starts, ends, offsets[: len(walls)])

    @classmethod
    def fitted(cls, count: int, *contents: Slices) -> Line:
        """Lay `count` slots, each from the first start to the last end of what it will hold.

        One record with an absurd time lengthens its own slot only.
        """
        farthest = np.iinfo(np.int64)
        starts, ends = np.full(count, farthest.max), np.full(count, farthest.min)
        for each in contents:  # one after the other: joined they would double what memory holds
            first = reduce_groups(
                np.minimum, each.starts, each.slots, count, empty=int(farthest.max)
            )
            last = reduce_groups(np.maximum, each.ends, each.slots, count, empty=int(farthest.min))
            starts, ends = np.minimum(starts, first), np.maximum(ends, last)
        empty = starts == farthest.max
        return cls.of(np.where(empty, 0, starts), np.where(empty, 0, ends))

    @property
    def whole(self) -> Intervals:
        """All slots, without the gaps."""
        return self.place(Slices(np.arange(len(self.starts)), self.starts, self.ends))

    def place(self, slices: Slices) -> Intervals:
        """Return the union of the slices on the line, each clipped to its slot."""
        blocks = [
            self._placed(slices.slots[at:end], slices.starts[at:end], slices.ends[at:end])
            for at, end in ((at, at + _BLOCK) for at in range(0, len(slices.slots), _BLOCK))
        ]
        if len(blocks) == 1:
            return blocks[0]
        return Intervals.of(
            np.concatenate([block.starts for block in blocks] or [np.empty(0, np.int64)]),
            np.concatenate([block.ends for block in blocks] or [np.empty(0, np.int64)]),
        )

    def _placed(self, slots: Int64s, starts: Int64s, ends: Int64s) -> Intervals:
        shift = self.offsets[slots] - self.starts[slots]
        first = np.maximum(starts, self.starts[slots])
        last = np.minimum(ends, self.ends[slots])
        return Intervals.of(first + shift, np.maximum(last, first) + shift)

    def positions(self, slots: Int64s, instants: Int64s) -> Int64s:
        """Return where on the line each instant lies; one outside its slot has no place there."""
        positions: Int64s = instants - self.starts[slots] + self.offsets[slots]
        return positions

    def lift(self, placed: Intervals) -> Slices:
        """Return what lies on the line as slices in the time of their slots."""
        slots = np.searchsorted(self.offsets, placed.starts, side="right") - 1
        shift = self.starts[slots] - self.offsets[slots]
        return Slices(slots, placed.starts + shift, placed.ends + shift)

    def look(self, placed: Intervals, *, slots: Int64s, starts: Int64s, ends: Int64s) -> Slices:
        """Return what a slot holds within `[start, end)`, for many such questions at once.

        Question `i` asks the slot `slots[i]`; the answer's slices carry `i` as their slot.
        """
        shift, first, last = self._clip(slots, starts, ends)
        begin = np.searchsorted(placed.ends, first, side="right")
        counts = np.searchsorted(placed.starts, last, side="left") - begin
        question, rows = spread(begin, counts)
        back = shift[question]
        return Slices(
            question,
            np.maximum(placed.starts[rows], first[question]) - back,
            np.minimum(placed.ends[rows], last[question]) - back,
        )

    def lengths_within_ns(
        self, placed: Intervals, *, slots: Int64s, starts: Int64s, ends: Int64s
    ) -> Int64s:
        """Return how much of what a slot holds lies within `[start, end)`, for each question."""
        _, first, last = self._clip(slots, starts, ends)
        return placed.lengths_within(first, last)

    def lengths_ns(self, placed: Intervals) -> Int64s:
        """Return how much of a set on the line lies in each slot."""
        return placed.lengths_within(self.offsets, self.offsets + self.ends - self.starts)

    def _clip(self, slots: Int64s, starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        shift = self.offsets[slots] - self.starts[slots]
        first = np.clip(starts, self.starts[slots], self.ends[slots]) + shift
        last = np.clip(ends, self.starts[slots], self.ends[slots]) + shift
        return shift, first, np.maximum(first, last)
