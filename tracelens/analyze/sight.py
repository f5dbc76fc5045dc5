"""What each window sees: sets of time on the line of windows, for the split to weigh.

A call window sees the device work that it owns and the launches of that work. A time window sees
all device work and all launches of the trace. Both see their own host thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import first_rows, group, reduce_groups
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Bools, Int64s, Intervals
from tracelens.model.trace import UNKNOWN_NS


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A trace as its windows see it; every set is on `line`, whose slots are the windows."""

    timeline: Timeline
    windows: Windows
    line: Line

    def device(self, rows: Bools) -> Intervals:
        """When any of these pieces of device work runs."""
        work = self.timeline.trace.device_work
        return self._of_work(rows & self.timeline.sound.placed, work.start_ns, work.end_ns)

    def in_flight(self) -> Intervals:
        """When a launch call has begun and its device work has not.

        Where the work's start is unknown or its record lost, only while the call runs.
        """
        trace, sound = self.timeline.trace, self.timeline.sound
        work, calls = trace.device_work, trace.calls
        begun = (sound.latency_ns != UNKNOWN_NS) & sound.timed
        waiting = self._of_work(begun, work.start_ns - sound.latency_ns, work.start_ns)
        unplaced = np.zeros(len(calls), np.bool_)
        unplaced[self.timeline.launches.call[self.timeline.linked & ~begun]] = True
        calling = (self.timeline.launches.lost | unplaced) & sound.calls
        return waiting.union(self._of_calls(calling, calls.start_ns, calls.end_ns))

    def launch_calls(self) -> Intervals:
        """When a launch call runs."""
        calls, launches = self.timeline.trace.calls, self.timeline.launches
        rows = (launches.owns_work | launches.lost) & self.timeline.sound.calls
        return self._of_calls(rows, calls.start_ns, calls.end_ns)

    def waits(self) -> Intervals:
        """When the window's host thread waits for the device."""
        return self._of_threads(self.timeline.threads.waits, *self._own_threads())

    def framework_ops(self) -> Intervals:
        """When a thread that launches for the window, or the window's own, is in a framework op."""
        return self._of_threads(self.timeline.threads.ops, *self.threads())

    def threads(self) -> tuple[Int64s, Int64s]:
        """Pair each window with its own thread, then with those that launch for it, once each.

        Its own comes first, the others in the order of their first launch.
        """
        windows, threads = self.windows, self.timeline.threads
        window, thread = self._own_threads()
        window = np.concatenate((window, windows.call_window))
        thread = np.concatenate((thread, threads.of_call[windows.call]))
        once = np.sort(first_rows(*group(window, thread)))
        return window[once], thread[once]

    def dispatching(self, busy: Intervals) -> Intervals:
        """When a later launch call of the window is still to begin.

        A window without device work has nothing to return from: all of it is dispatch.
        """
        windows, count = self.windows, len(self.windows)
        calls = self.timeline.trace.calls
        last_ns = reduce_groups(
            np.maximum, calls.start_ns[windows.call], windows.call_window, count, empty=UNKNOWN_NS
        )
        until = np.maximum(windows.starts, last_ns)
        idle = np.ones(count, np.bool_)
        idle[windows.piece_window] = False
        idle &= self.line.lengths_ns(busy) == 0
        until[idle] = windows.ends[idle]
        return self.line.place(Slices(np.arange(count), windows.starts, until))

    def before_first(self, busy: Intervals) -> Intervals:
        """The time before a window's first device work; all of it where there is none."""
        begin, line = self.line.offsets, self.line
        end = begin + line.ends - line.starts
        first = np.searchsorted(busy.starts, begin, side="left")
        has = first < len(busy)
        until = end.copy()
        until[has] = np.minimum(busy.starts[first[has]], end[has])
        return Intervals.of(begin, until)

    def kernel_sums(self) -> tuple[Int64s, Int64s]:
        """Sum of the durations of the kernels that each window owns, and how many they are."""
        windows, work = self.windows, self.timeline.trace.device_work
        kernel = self.timeline.kernels[windows.piece]
        counts = np.bincount(windows.piece_window[kernel], minlength=len(windows))
        summed = kernel & self.timeline.sound.summed[windows.piece]
        durations = work.duration_ns[windows.piece[summed]]
        owner = windows.piece_window[summed]
        return reduce_groups(np.add, durations, owner, len(windows), empty=0), counts

    def outside_ns(self, busy: Intervals) -> Int64s:
        """How long the device still works for a call window after the window's end."""
        windows, work = self.windows, self.timeline.trace.device_work
        if windows.kind == "time":
            return np.zeros(len(windows), np.int64)
        owned = self.timeline.sound.placed[windows.piece]
        piece, window = windows.piece[owned], windows.piece_window[owned]
        last_ns = reduce_groups(
            np.maximum, work.end_ns[piece], window, len(windows), empty=UNKNOWN_NS
        )
        longer = Line.of(windows.starts, np.maximum(windows.ends, last_ns))
        whole = longer.place(Slices(window, work.start_ns[piece], work.end_ns[piece]))
        return longer.lengths_ns(whole) - self.line.lengths_ns(busy)

    def _own_threads(self) -> tuple[Int64s, Int64s]:
        """Pair each window with its host thread; the whole trace with every thread."""
        if len(self.windows) == 1 and self.windows.threads[0] < 0:
            every = np.arange(self.timeline.threads.count)
            return np.zeros_like(every), every
        return np.arange(len(self.windows)), self.windows.threads

    def _of_threads(self, sets: Intervals, window: Int64s, thread: Int64s) -> Intervals:
        starts, ends = self.windows.starts[window], self.windows.ends[window]
        seen = self.timeline.threads.lanes.look(sets, slots=thread, starts=starts, ends=ends)
        return self.line.place(Slices(window[seen.slots], seen.starts, seen.ends))

    def _of_work(self, rows: Bools, starts: Int64s, ends: Int64s) -> Intervals:
        return self._seen(rows, starts, ends, self.windows.piece, self.windows.piece_window)

    def _of_calls(self, rows: Bools, starts: Int64s, ends: Int64s) -> Intervals:
        return self._seen(rows, starts, ends, self.windows.call, self.windows.call_window)

    def _seen(
        self, rows: Bools, starts: Int64s, ends: Int64s, owned: Int64s, owner: Int64s
    ) -> Intervals:
        """Place `[starts, ends)` of marked rows: a call window's own, else whatever overlaps."""
        if self.windows.kind == "call":
            mine = rows[owned]
            row = owned[mine]
            return self.line.place(Slices(owner[mine], starts[row], ends[row]))
        anywhere = Slices(np.zeros(int(rows.sum()), np.int64), starts[rows], ends[rows])
        lane = Line.fitted(1, anywhere)
        seen = lane.look(
            lane.place(anywhere),
            slots=np.zeros(len(self.windows), np.int64),
            starts=self.windows.starts,
            ends=self.windows.ends,
        )
        return self.line.place(seen)
