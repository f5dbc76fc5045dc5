"""What ran on the device, by kernel name."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_of_group
from tracelens.analyze.statistics import HIGH, LOW, median, quantile
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.report import Cell, Column, Section, Table
from tracelens.model.trace import MISSING, UNKNOWN_NS, Int32s

_COLUMNS = (
    Column(name="name"),
    Column(name="family"),
    Column(name="config"),
    Column(name="count", unit="count"),
    Column(name="total_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="median_ns", unit="ns"),
    Column(name="q20_ns", unit="ns"),
    Column(name="q80_ns", unit="ns"),
    Column(name="grid"),
    Column(name="block"),
    Column(name="launch_latency_median_ns", unit="ns"),
)


def kernels(timeline: Timeline, _windows: Windows) -> Section:
    """List every kernel name, longest total first. A grid or block that varies is null."""
    return Section(
        title="Kernels", tables=(kernel_table(timeline, np.flatnonzero(timeline.kernels)),)
    )


def kernels_of(timeline: Timeline, windows: Windows) -> Section:
    """List the kernels that these windows own, over all of the windows."""
    own = np.unique(windows.piece[timeline.kernels[windows.piece]])
    return Section(title=f"Kernels of {len(windows)} calls", tables=(kernel_table(timeline, own),))


def kernel_table(timeline: Timeline, rows: Int64s) -> Table:
    """Table these pieces of device work by name."""
    work = timeline.trace.device_work
    order = rows[np.argsort(work.name[rows], kind="stable")]
    bounds = np.flatnonzero(first_of_group(work.name[order]))
    summed = timeline.sound.summed
    whole = int(work.duration_ns[rows[summed[rows]]].sum())
    groups = np.split(order, bounds[1:]) if len(order) else []
    lines = [_line(timeline, group, whole) for group in groups]
    lines.sort(key=lambda line: (-_number(line[4]), str(line[0])))
    return Table(tag="kernels", columns=_COLUMNS, rows=tuple(lines))


def _number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _line(timeline: Timeline, rows: Int64s, whole: int) -> tuple[Cell, ...]:
    work, sound = timeline.trace.device_work, timeline.sound
    durations = work.duration_ns[rows[sound.summed[rows]]]
    latencies = sound.latency_ns[rows[timeline.launches.first_of_call[rows]]]
    known = latencies[(latencies != UNKNOWN_NS) & (latencies >= 0)]
    total = int(durations.sum()) if len(durations) else None
    return (
        timeline.trace.names[work.name[rows[0]]],
        None,
        None,
        len(rows),
        total,
        total / whole if total is not None and whole else None,
        median(durations),
        quantile(durations, LOW),
        quantile(durations, HIGH),
        _only(work.grid[rows]),
        _only(work.block[rows]),
        median(known),
    )


def _only(shapes: Int32s) -> list[int] | None:
    """Return the one launch shape of all rows, or None where they differ or carry none."""
    if (shapes != shapes[0]).any() or (shapes[0] == MISSING).all():
        return None
    return [int(size) for size in shapes[0]]
