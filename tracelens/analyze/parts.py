"""The split of each window as slices of time, in tracks that a timeline viewer can show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from tracelens.analyze.line import Line
from tracelens.analyze.sight import Sight
from tracelens.analyze.split import placed_parts
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.window_table import PARTS
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.track import Track

_PART_NAMES = tuple(name for _, name, _ in PARTS[1:])  # the first is the wall, their sum


def split_tracks(timeline: Timeline, windows: Windows) -> tuple[Track, ...]:
    """Return each window and, inside it, the slices of its six parts.

    Of each window the slices of a part sum to that part of its split, and all of them to its wall.
    Windows of one host thread share a track; those that overlap are kept apart.
    """
    line = Line.of(windows.starts, windows.ends)
    parts = [line.lift(part) for part in placed_parts(Sight(timeline, windows, line))]
    every = np.arange(len(windows))
    owner = np.concatenate((every, *(part.slots for part in parts)))
    start = np.concatenate((windows.starts, *(part.starts for part in parts)))
    end = np.concatenate((windows.ends, *(part.ends for part in parts)))
    names = (*_PART_NAMES, *windows.names)
    name = np.repeat(
        np.arange(len(parts) + 1) - 1, [len(windows), *(len(part.slots) for part in parts)]
    )
    name[: len(windows)] = len(_PART_NAMES) + every

    track, first_windows = _tracks(windows)
    order = np.lexsort((name < len(_PART_NAMES), start, track[owner]))
    ends = np.searchsorted(track[owner][order], np.arange(len(first_windows)), side="right")
    titles = _titles(timeline, windows, first_windows)
    return tuple(
        Track(
            title=title,
            names=names,
            name=name[rows].astype(np.int32),
            start_ns=start[rows],
            duration_ns=end[rows] - start[rows],
            window=owner[rows],
        )
        for title, rows in zip(titles, np.split(order, ends[:-1]), strict=True)
    )


def _tracks(windows: Windows) -> tuple[Int64s, list[int]]:
    """Give each window the first free track of its thread; return the first window of each."""
    track = np.zeros(len(windows), np.int64)
    first_windows: list[int] = []
    taken: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    free: defaultdict[int, list[int]] = defaultdict(list)
    columns = (windows.threads, windows.starts, windows.ends)
    for window, (thread, start, end) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        while taken[thread] and taken[thread][0][0] <= start:
            heappush(free[thread], heappop(taken[thread])[1])
        if free[thread]:
            place = heappop(free[thread])
        else:
            place = len(first_windows)
            first_windows.append(window)
        heappush(taken[thread], (end, place))
        track[window] = place
    return track, first_windows


def _titles(timeline: Timeline, windows: Windows, first_windows: list[int]) -> Iterator[str]:
    trace, of_annotation = timeline.trace, timeline.threads.of_annotation
    codes, rows = np.unique(of_annotation, return_index=True)
    row_of = dict(zip(codes.tolist(), rows.tolist(), strict=True))
    for window in first_windows:
        title = windows.names[window].partition("#")[0]
        row = row_of.get(int(windows.threads[window]))
        if row is not None:
            thread = trace.threads[trace.annotations.thread[row]]
            process = trace.processes[trace.annotations.process[row]]
            title += f" (thread {thread} of process {process})"
        yield title
