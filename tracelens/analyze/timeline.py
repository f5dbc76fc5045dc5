"""A trace made ready for analysis: duplicates gone, launches joined, every record judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tracelens.analyze.duplicates import remove_duplicates
from tracelens.analyze.grouping import group, reduce_groups
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.linking import kernel_launch_names, link
from tracelens.analyze.records import Soundness, judge
from tracelens.model.intervals import Bools, Int64s, Intervals
from tracelens.model.launch import Launches
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, MEMCPY, MISSING, UNKNOWN_NS, Records, Trace

_HOST_WAITS = ("urEventWait", "urQueueFinish", "piEventsWait", "piQueueFinish")
"""XPU's waiting calls that do not say `Synchronize`: queue and event waits of the Unified Runtime
and of the plugin interface before it."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """What every analysis looks at. `findings` say what was met while it was made ready."""

    trace: Trace
    launches: Launches
    sound: Soundness
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, trace: Trace) -> Timeline:
        """Make a trace ready."""
        trace, duplicates = remove_duplicates(trace)
        launches, ambiguities = link(trace)
        sound, damages = judge(trace, launches)
        return cls(trace, launches, sound, (*trace.findings, *duplicates, *ambiguities, *damages))

    @cached_property
    def kernels(self) -> Bools:
        """Mark the device work that is a kernel."""
        kernels: Bools = self.trace.device_work.kind == KERNEL
        return kernels

    @cached_property
    def linked(self) -> Bools:
        """Mark the device work whose launch call is in the file."""
        linked: Bools = self.launches.call != MISSING
        return linked

    @cached_property
    def kernel_launches(self) -> Bools:
        """Mark the kernel launch calls, nested ones included: they own one or say so by name."""
        names = kernel_launch_names(self.trace)
        by_name = names[self.trace.calls.name] if len(names) else self.launches.owns_kernel
        return self.launches.owns_kernel | by_name

    @cached_property
    def sync_calls(self) -> Bools:
        """Mark the API calls that wait for the device."""
        names = np.array(
            ["Synchronize" in name or name in _HOST_WAITS for name in self.trace.names], np.bool_
        )
        return names[self.trace.calls.name] if len(names) else np.zeros(0, np.bool_)

    @cached_property
    def waits(self) -> tuple[Int64s, Int64s, Int64s]:
        """Rows of calls with the start and end of their waiting.

        A call that synchronises waits from start to end; a copy call that returns only after its
        copy has ended waits from there on. A graph launch is no copy call, whatever it copies.
        """
        calls, work = self.trace.calls, self.trace.device_work
        copies = (work.kind == MEMCPY) & self.linked & self.sound.placed
        copied_ns = reduce_groups(
            np.maximum,
            work.end_ns[copies],
            self.launches.call[copies],
            len(calls),
            empty=UNKNOWN_NS,
        )
        copying = (copied_ns != UNKNOWN_NS) & ~self.launches.owns_kernel
        blocking = np.flatnonzero(copying & self.sound.calls & (copied_ns < calls.end_ns))
        whole = np.flatnonzero(self.sync_calls & self.sound.calls)
        rows = np.concatenate((whole, blocking))
        return rows, np.maximum(calls.start_ns, copied_ns)[rows], calls.end_ns[rows]

    @cached_property
    def queue_ns(self) -> Int64s:
        """How long each piece waited, launched, while its stream was busy with earlier work.

        `UNKNOWN_NS` where the latency is unknown or negative.
        """
        work = self.trace.device_work
        queue_ns = np.full(len(work), UNKNOWN_NS, np.int64)
        rows = np.flatnonzero(self.sound.timed & (self.sound.latency_ns >= 0))
        streams, lanes, busy = self.streams
        begin = work.start_ns[rows]
        queue_ns[rows] = lanes.lengths_within_ns(
            busy, slots=streams[rows], starts=begin - self.sound.latency_ns[rows], ends=begin
        )
        return queue_ns

    @cached_property
    def steady_latency(self) -> Bools:
        """Mark the pieces whose latency enters statistics.

        The first piece of each launch call, where neither the launch nor the clock is in doubt.
        """
        return self.launches.first_of_call & self.sound.timed & (self.sound.latency_ns >= 0)

    @cached_property
    def streams(self) -> tuple[Int64s, Line, Intervals]:
        """Each piece's stream (a stream id is unique per device), all as lanes, and when busy."""
        work, placed = self.trace.device_work, self.sound.placed
        streams, count = group(work.process, work.device, work.stream)
        running = _slices(work, streams, placed)
        lanes = Line.fitted(count, running)
        return streams, lanes, lanes.place(running)

    @cached_property
    def threads(self) -> HostThreads:
        """Host threads as lanes, and what happened on each."""
        trace = self.trace
        records = (trace.calls, trace.ops, trace.annotations)
        codes, count = group(
            np.concatenate([r.process for r in records]),
            np.concatenate([r.thread for r in records]),
        )
        of_call, of_op, of_annotation = np.split(codes, np.cumsum([len(r) for r in records])[:-1])
        ops = _slices(trace.ops, of_op, self.sound.ops)
        rows, starts, ends = self.waits
        waits = Slices(of_call[rows], starts, ends)
        lanes = Line.fitted(count, ops, waits)
        return HostThreads(
            of_call=of_call,
            of_op=of_op,
            of_annotation=of_annotation,
            count=count,
            lanes=lanes,
            ops=lanes.place(ops),
            waits=lanes.place(waits),
        )

    @cached_property
    def extent(self) -> tuple[int, int]:
        """First to last instant of any host, API or device record that has a place in time."""
        starts, ends = [], []
        for records, rows in (
            (self.trace.device_work, self.sound.placed),
            (self.trace.calls, self.sound.calls),
            (self.trace.ops, self.sound.ops),
            (self.trace.annotations, self.sound.annotations),
        ):
            if rows.any():
                starts.append(int(records.start_ns[rows].min()))
                ends.append(int(records.end_ns[rows].max()))
        return (min(starts), max(ends)) if starts else (0, 0)

    def union(self, rows: Bools) -> Intervals:
        """Return when any of these pieces of device work ran, as far as they have a place."""
        rows = rows & self.sound.placed
        work = self.trace.device_work
        return Intervals.of(work.start_ns[rows], work.end_ns[rows])

    def calls_union(self, rows: Bools) -> Intervals:
        """Return when any of these API calls ran."""
        rows = rows & self.sound.calls
        return Intervals.of(self.trace.calls.start_ns[rows], self.trace.calls.end_ns[rows])


@dataclass(frozen=True, slots=True, eq=False)
class HostThreads:
    """The host threads of a trace: one lane each, over the whole trace."""

    of_call: Int64s
    of_op: Int64s
    of_annotation: Int64s
    count: int
    lanes: Line
    ops: Intervals
    """When each thread was inside a framework op."""
    waits: Intervals
    """When each thread waited for the device."""


def _slices(records: Records, slots: Int64s, rows: Bools) -> Slices:
    return Slices(slots[rows], records.start_ns[rows], records.end_ns[rows])
