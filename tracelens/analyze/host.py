"""Where the host was during a call: self time by framework op and by kind of API call."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tracelens.analyze.grouping import opening_order
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.report import Column, Section, Table

_ALLOCATING = ("Malloc", "Free", "MemAlloc", "HostAlloc", "MemPool", "HostRegister")
"""Parts of the names of calls that take or give memory, in CUDA's and HIP's spelling."""

_OUTSIDE = ("outside framework ops", "python, libraries, the op's own code")

_COLUMNS = (
    Column(name="layer"),
    Column(name="name"),
    Column(name="self_ns", unit="ns"),
    Column(name="share", unit="ratio"),
)


Key = tuple[str, str]
"""Layer and name."""


def host(timeline: Timeline, windows: Windows) -> Section:
    """Table the host time of the call windows: the median per call, nested time counted once.

    Each instant of the window's own thread belongs to the innermost record that is open. It was
    taken with the profiler on: it says where the time goes, not how much of it there is without.
    """
    walk = _Walk(timeline)
    per_window = [walk.through(windows, index) for index in range(len(windows))]
    keys = sorted({key for times in per_window for key in times})
    typical = {key: median([times.get(key, 0) for times in per_window]) or 0 for key in keys}
    whole = sum(typical.values())
    rows = sorted(typical.items(), key=lambda item: (-item[1], item[0]))
    table = Table(
        tag="host",
        columns=_COLUMNS,
        rows=tuple(
            (layer, name, self_ns, self_ns / whole)
            for (layer, name), self_ns in rows
            if self_ns > 0
        ),
    )
    return Section(title="Host time by layer, profiler on", tables=(table,))


class _Walk:
    """The ops and API calls of every host thread, in order, to walk a window's thread once."""

    def __init__(self, timeline: Timeline) -> None:
        trace, sound, threads = timeline.trace, timeline.sound, timeline.threads
        calls, ops = np.flatnonzero(sound.calls), np.flatnonzero(sound.ops)
        starts = np.concatenate((trace.calls.start_ns[calls], trace.ops.start_ns[ops]))
        ends = np.concatenate((trace.calls.end_ns[calls], trace.ops.end_ns[ops]))
        thread = np.concatenate((threads.of_call[calls], threads.of_op[ops]))
        order = opening_order(thread, starts, ends - starts)
        self._timeline = timeline
        self._starts, self._ends, self._thread = starts[order], ends[order], thread[order]
        self._rows = np.concatenate((calls, ops))[order]
        self._is_op = order >= len(calls)

    def through(self, windows: Windows, index: int) -> dict[Key, int]:
        """Return the self time of each key in one window, in ns; they sum to its wall."""
        times: dict[Key, int] = defaultdict(int)
        end_ns = int(windows.ends[index])
        at_ns = int(windows.starts[index])
        stack: list[tuple[int, Key]] = [(end_ns, _OUTSIDE)]
        for begins_ns, closes_ns, key in self._within(windows, index):
            while stack[-1][0] <= begins_ns:
                closed_ns, closed = stack.pop()
                times[closed] += max(closed_ns - at_ns, 0)
                at_ns = max(at_ns, closed_ns)
            times[stack[-1][1]] += begins_ns - at_ns
            at_ns = begins_ns
            stack.append((min(closes_ns, stack[-1][0]), key))
        while stack:
            closed_ns, closed = stack.pop()
            times[closed] += closed_ns - at_ns
            at_ns = closed_ns
        return times

    def _within(self, windows: Windows, index: int) -> list[tuple[int, int, Key]]:
        thread = windows.threads[index]
        low = int(np.searchsorted(self._thread, thread, side="left"))
        high = int(np.searchsorted(self._thread, thread, side="right"))
        starts = self._starts[low:high]
        first = low + int(np.searchsorted(starts, windows.starts[index], side="left"))
        last = low + int(np.searchsorted(starts, windows.ends[index], side="left"))
        keys = [self._key(at) for at in range(first, last)]
        times = self._starts[first:last].tolist(), self._ends[first:last].tolist()
        return list(zip(*times, keys, strict=True))

    def _key(self, at: int) -> Key:
        trace, row = self._timeline.trace, int(self._rows[at])
        if self._is_op[at]:
            return "framework op", trace.names[trace.ops.name[row]]
        return _layer(self._timeline, row), trace.names[trace.calls.name[row]]


def _layer(timeline: Timeline, call: int) -> str:
    if timeline.kernel_launches[call]:
        return "launch"
    if timeline.sync_calls[call]:
        return "sync"
    name = timeline.trace.names[timeline.trace.calls.name[call]]
    return "allocator" if any(part in name for part in _ALLOCATING) else "runtime"
