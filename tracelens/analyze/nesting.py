"""Which record is open inside which: framework ops, API calls and annotations nest on a thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import first_of_group, opening_order, spread
from tracelens.analyze.line import Line, Slices
from tracelens.model.intervals import Int64s, Intervals
from tracelens.model.trace import MISSING

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """Records of host threads on a line of threads, in the order in which they open.

    A record's place in that order is what the arrays here hold: `rows` the record's number among
    those that the nest was made of, `starts` and `ends` its positions on the line in ns, `parent`
    the place of the record that it opened in, the last to have begun of those still open, or
    MISSING. Parents come before their children. Records need not lie inside each other.
    """

    line: Line
    rows: Int64s
    starts: Int64s
    ends: Int64s
    parent: Int64s

    @classmethod
    def of(cls, records: Slices, threads: int) -> Nest:
        """Nest records; their slots are threads, numbered from 0 to `threads`."""
        line = Line.fitted(threads, records)
        rows = opening_order(records.slots, records.starts, records.ends - records.starts)
        starts = line.positions(records.slots, records.starts)[rows]
        ends = line.positions(records.slots, records.ends)[rows]
        return cls(line, rows, starts, ends, _parents(starts, ends))

    def innermost(self, threads: Int64s, instants: Int64s) -> Int64s:
        """Return the place of the innermost record open on a thread at an instant, or MISSING."""
        inside = (instants >= self.line.starts[threads]) & (instants <= self.line.ends[threads])
        found = np.full(len(instants), MISSING, np.int64)
        found[inside] = self._open_at(self.line.positions(threads[inside], instants[inside]))
        return found

    def seen(self, threads: Int64s, starts: Int64s, ends: Int64s) -> tuple[Int64s, Slices]:
        """Return the stretches of the innermost records of threads within `[start, end)`.

        For many such questions at once: the first result has the place of each slice's record, and
        a slice's slot is the number of its question. Time outside all records is in no slice, and
        where another question begins a stretch is two slices.
        """
        opens, closes = self._clipped(threads, starts), self._clipped(threads, ends)
        asked = Intervals.of(opens, closes)
        cuts = np.concatenate((_within(self.starts, asked), _within(self.ends, asked), opens))
        cuts = np.sort(cuts)
        cuts = cuts[first_of_group(cuts)]
        place = self._open_at(cuts)
        low = np.searchsorted(cuts, opens, side="left")
        question, at = spread(low, np.searchsorted(cuts, closes, side="left") - low)
        some = place[at] != MISSING
        question, at = question[some], at[some]
        last = np.minimum(np.append(cuts[1:], _NEVER)[at], closes[question])
        back = (self.line.offsets - self.line.starts)[threads[question]]
        return place[at], Slices(question, cuts[at] - back, last - back)

    def begun(self, threads: Int64s, starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
        """Return question and place of each record that begins on a thread in `[start, end)`."""
        low = np.searchsorted(self.starts, self._clipped(threads, starts), side="left")
        high = np.searchsorted(self.starts, self._clipped(threads, ends), side="left")
        return spread(low, high - low)

    def _open_at(self, positions: Int64s) -> Int64s:
        """Return the last record to have begun of those open at each position, or MISSING."""
        found: Int64s = np.searchsorted(self.starts, positions, side="right") - 1
        closed = np.flatnonzero(found != MISSING)
        while len(closed):
            closed = closed[self.ends[found[closed]] <= positions[closed]]
            found[closed] = self.parent[found[closed]]
            closed = closed[found[closed] != MISSING]
        return found

    def _clipped(self, threads: Int64s, instants: Int64s) -> Int64s:
        lane = self.line
        within = np.clip(instants, lane.starts[threads], lane.ends[threads])
        return lane.positions(threads, within)


def _within(instants: Int64s, times: Intervals) -> Int64s:
    """Return the instants that a set of time holds."""
    begun = np.searchsorted(times.starts, instants, side="right")
    held = (begun > 0) & (instants < np.append(_NEVER, times.ends)[begun])
    return instants[held]


def _parents(starts: Int64s, ends: Int64s) -> Int64s:
    """Return for each record, in the order in which they open, the one that it opened in.

    All between a record and its candidate are closed as it opens. So where the candidate is closed
    too, the candidate's own is the next one: a row of n siblings takes log2(n) such steps.
    """
    parents = np.arange(len(starts)) - 1
    closed = np.flatnonzero(parents != MISSING)
    while len(closed):
        closed = closed[ends[parents[closed]] <= starts[closed]]
        parents[closed] = parents[parents[closed]]
        closed = closed[parents[closed] != MISSING]
    return parents
