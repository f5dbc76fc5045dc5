"""Every piece of device work with the call that launched it."""

from __future__ import annotations

from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Ints
from tracelens.model.report import Column, Section, Table
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
    work, calls = timeline.trace.device_work, timeline.trace.calls
    names = timeline.trace.names
    launch_starts = [
        None if row == MISSING else int(calls.start_ns[row]) for row in timeline.launches.call
    ]
    rows = zip(
        _known(work.correlation, MISSING),
        (names[i] for i in work.name),
        _known(work.stream, MISSING),
        _known(work.device, MISSING),
        _known(work.start_ns, UNKNOWN_NS),
        _known(work.duration_ns, UNKNOWN_NS),
        launch_starts,
        _known(timeline.sound.latency_ns, UNKNOWN_NS),
        _known(timeline.queue_ns, UNKNOWN_NS),
        strict=True,
    )
    return Section(
        title="Launches", tables=(Table(tag="launches", columns=_COLUMNS, rows=tuple(rows)),)
    )


def _known(column: Ints, missing: int) -> list[int | None]:
    return [None if value == missing else value for value in column.tolist()]
