"""How busy each device and each of its streams was: the sum hides what ran beside what."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_rows, group, reduce_groups
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.report import Cell, Column, Section, Table
from tracelens.model.trace import MISSING

_BUSY = (
    Column(name="kernel_count", unit="count"),
    Column(name="kernel_sum_ns", unit="ns"),
    Column(name="kernel_busy_ns", unit="ns"),
    Column(name="memory_busy_ns", unit="ns"),
    Column(name="device_busy_ns", unit="ns"),
)
_PLACE = (Column(name="process"), Column(name="device"))
_STREAM = (*_PLACE, Column(name="stream"))


def streams(timeline: Timeline, _windows: Windows) -> Section:
    """Table every device and every stream. A stream id is unique only within its device.

    `process` is the row of the file that the records stand in: a rank's where ranks were merged.
    """
    work = timeline.trace.device_work
    by_device, devices = group(work.process, work.device)
    by_stream, lanes = group(by_device, work.stream)
    return Section(
        title="Devices and streams",
        tables=(
            Table(
                tag="devices",
                columns=(*_PLACE, *_BUSY),
                rows=_rows(timeline, by_device, devices, 2),
            ),
            Table(
                tag="streams", columns=(*_STREAM, *_BUSY), rows=_rows(timeline, by_stream, lanes, 3)
            ),
        ),
    )


def _rows(
    timeline: Timeline, groups: Int64s, count: int, keys: int
) -> tuple[tuple[Cell, ...], ...]:
    work, kernels, sound = timeline.trace.device_work, timeline.kernels, timeline.sound
    first = first_rows(groups, count)
    running, copying = (_running(timeline, groups, rows) for rows in (kernels, ~kernels))
    lanes = Line.fitted(count, running, copying)
    kernel_busy, memory_busy = lanes.place(running), lanes.place(copying)
    counts = np.bincount(groups[kernels], minlength=count)
    summed = kernels & sound.summed
    sums = reduce_groups(np.add, work.duration_ns[summed], groups[summed], count, empty=0)
    names = timeline.trace.processes
    places: list[list[Cell]] = [
        [names[i] for i in work.process[first]],
        [_known(value) for value in work.device[first].tolist()],
        [_known(value) for value in work.stream[first].tolist()],
    ]
    figures: list[list[Cell]] = [
        column.tolist()
        for column in (
            counts,
            sums,
            lanes.lengths_ns(kernel_busy),
            lanes.lengths_ns(memory_busy),
            lanes.lengths_ns(kernel_busy.union(memory_busy)),
        )
    ]
    return tuple(zip(*places[:keys], *figures, strict=True))


def _running(timeline: Timeline, groups: Int64s, rows: Bools) -> Slices:
    rows = rows & timeline.sound.placed
    work = timeline.trace.device_work
    return Slices(groups[rows], work.start_ns[rows], work.end_ns[rows])


def _known(value: int) -> int | None:
    return None if value == MISSING else value
