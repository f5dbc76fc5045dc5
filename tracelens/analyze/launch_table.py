"""Every piece of device work with the call that launched it."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Ints
from tracelens.model.report import Cell, Column, Section, Table
from tracelens.model.trace import MISSING, UNKNOWN_NS

_COLUMNS = (
    Column(name="correlation"),
    Column(name="name"),
    Column(name="stream"),
    Column(name="device"),
    Column(name="start_ns", unit="ns"),
    Column(name="duration_ns", unit="ns"),
    Column(name="launch_start_ns", unit="ns"),
    Column(name="latency_ns", unit="ns"),
    Column(name="queue_ns", unit="ns"),
)


def launch_table(timeline: Timeline, _windows: Windows) -> Section:
    """List all device work in the order of the file. What a record lacks is null."""
    work, call = timeline.trace.device_work, timeline.launches.call
    launched_ns = np.full(len(work), UNKNOWN_NS, np.int64)
    launched_ns[timeline.linked] = timeline.trace.calls.start_ns[call[timeline.linked]]
    names = timeline.trace.names
    columns: tuple[list[Cell], ...] = (
        _known(work.correlation, MISSING),
        [names[name] for name in work.name],
        _known(work.stream, MISSING),
        _known(work.device, MISSING),
        _known(work.start_ns, UNKNOWN_NS),
        _known(work.duration_ns, UNKNOWN_NS),
        _known(launched_ns, UNKNOWN_NS),
        _known(timeline.sound.latency_ns, UNKNOWN_NS),
        _known(timeline.queue_ns, UNKNOWN_NS),
    )
    rows = tuple(zip(*columns, strict=True))
    return Section(title="Launches", tables=(Table(tag="launches", columns=_COLUMNS, rows=rows),))


def _known(column: Ints, missing: int) -> list[Cell]:
    cells: list[Cell] = column.tolist()
    for row in np.flatnonzero(column == missing):
        cells[row] = None
    return cells
