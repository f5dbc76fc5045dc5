"""Launch-bound runs: stretches in which each kernel came too late to follow the one before."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_of_group
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Cell, Column, Finding, Section, Table

_SHORTEST_RUN = 10
"""Kernels. A few late ones are the start of any work; ten in a row are a way of working."""

_LONGEST_TABLE = 100
"""Runs kept, by their time: a trace of millions of kernels can hold a hundred thousand."""

_MOSTLY_IDLE = 0.5
"""A run in which the device is busy for less than this share is worth a finding."""

_COLUMNS = (
    Column(name="process"),
    Column(name="device"),
    Column(name="stream"),
    Column(name="start_ns", unit="ns"),
    Column(name="kernels", unit="count"),
    Column(name="wall_ns", unit="ns"),
    Column(name="kernel_sum_ns", unit="ns"),
    Column(name="busy_share", unit="ratio"),
    Column(name="kernel_median_ns", unit="ns"),
)


def launch_runs(timeline: Timeline, _windows: Windows) -> Section:
    """Table runs of kernels whose launch call began when their stream had nothing left to do.

    Such a kernel waited for the host, not for the device: a longer queue, fewer launches or a graph
    would help, a faster kernel would not. Nodes of a graph are launched together and end a run.
    """
    runs = _runs(timeline)
    rows = tuple(_row(timeline, run) for run in runs[:_LONGEST_TABLE])
    return Section(
        title="Launch-bound runs",
        tables=(Table(tag="launch_runs", columns=_COLUMNS, rows=rows),) if rows else (),
        findings=_longest(timeline, runs),
    )


def _runs(timeline: Timeline) -> list[Int64s]:
    """Return the runs, longest in time first, each as rows of device work in order of time."""
    work, sound = timeline.trace.device_work, timeline.sound
    streams, _, _ = timeline.streams
    kernels = np.flatnonzero(timeline.kernels & sound.placed)
    kernels = kernels[np.lexsort((work.start_ns[kernels], streams[kernels]))]
    late = (timeline.queue_ns[kernels] == 0) & timeline.launches.first_of_call[kernels]
    breaks = first_of_group(streams[kernels]) | ~late
    heads = np.flatnonzero(breaks)
    bounds = np.concatenate((heads, [len(kernels)]))
    long = np.flatnonzero(np.diff(bounds) >= _SHORTEST_RUN)
    found = [kernels[bounds[i] : bounds[i + 1]] for i in long]
    found.sort(key=lambda run: -_wall(timeline, run))
    return found


def _row(timeline: Timeline, run: Int64s) -> tuple[Cell, ...]:
    work, first = timeline.trace.device_work, run[0]
    wall_ns, sum_ns = _wall(timeline, run), int(work.duration_ns[run].sum())
    return (
        timeline.trace.processes[work.process[first]],
        int(work.device[first]),
        int(work.stream[first]),
        int(work.start_ns[first]),
        len(run),
        wall_ns,
        sum_ns,
        sum_ns / wall_ns if wall_ns else None,
        median(work.duration_ns[run]),
    )


def _wall(timeline: Timeline, run: Int64s) -> int:
    work, first, last = timeline.trace.device_work, run[0], run[-1]
    return int(work.start_ns[last] + work.duration_ns[last] - work.start_ns[first])


def _longest(timeline: Timeline, runs: list[Int64s]) -> tuple[Finding, ...]:
    work = timeline.trace.device_work
    for run in runs:
        wall_ns = _wall(timeline, run)
        share = int(work.duration_ns[run].sum()) / max(wall_ns, 1)
        if share < _MOSTLY_IDLE:
            return (
                Finding(
                    tag="launch/bound_run",
                    severity="info",
                    fact=f"{len(run)} kernels in a row were each launched after the one before "
                    f"had ended: the stream was busy {spell_share(share)} of {spell_ns(wall_ns)}",
                    advice="launch fewer kernels, or capture the stretch in a graph",
                ),
            )
    return ()
