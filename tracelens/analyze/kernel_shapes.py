"""Kernels by launch configuration: one name can run as several kernels.

A Triton kernel's name holds neither its warps nor its stages; grid, block, registers and shared
memory tell its configurations apart.
"""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import group
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.report import Cell, Column, Finding, Section, Table
from tracelens.model.trace import MISSING, Int32s

_COLUMNS = (
    Column(name="name"),
    Column(name="grid"),
    Column(name="block"),
    Column(name="registers"),
    Column(name="shared_memory_bytes", unit="bytes"),
    Column(name="count", unit="count"),
    Column(name="total_ns", unit="ns"),
    Column(name="median_ns", unit="ns"),
)


def kernel_shapes(timeline: Timeline, _windows: Windows) -> Section:
    """Table every (name, grid, block, registers, shared memory), longest total first."""
    work = timeline.trace.device_work
    rows = np.flatnonzero(timeline.kernels)
    kept = work.take(rows)
    groups, count = group(
        kept.name, *kept.grid.T, *kept.block.T, kept.registers, kept.shared_memory
    )
    order = np.argsort(groups, kind="stable")
    members = np.split(rows[order], np.searchsorted(groups[order], np.arange(1, max(count, 1))))
    totals = [int(work.duration_ns[m[timeline.sound.summed[m]]].sum()) for m in members]
    longest_first = sorted(range(count), key=lambda i: (-totals[i], int(members[i][0])))
    lines = [_line(timeline, members[i]) for i in longest_first]
    return Section(
        title="Launch configurations",
        tables=(Table(tag="kernel_shapes", columns=_COLUMNS, rows=tuple(lines)),),
        findings=_varying(lines),
    )


def _line(timeline: Timeline, rows: Int64s) -> tuple[Cell, ...]:
    work = timeline.trace.device_work
    durations = work.duration_ns[rows[timeline.sound.summed[rows]]]
    first = rows[0]
    return (
        timeline.trace.names[work.name[first]],
        _shape(work.grid[first]),
        _shape(work.block[first]),
        _known(int(work.registers[first])),
        _known(int(work.shared_memory[first])),
        len(rows),
        int(durations.sum()),
        median(durations),
    )


def _varying(lines: list[tuple[Cell, ...]]) -> tuple[Finding, ...]:
    """Say which names ran with different blocks, registers or shared memory.

    A different grid alone is another problem size, not another kernel.
    """
    seen: dict[Cell, set[str]] = {}
    for line in lines:
        seen.setdefault(line[0], set()).add(str(line[2:5]))
    several = {name: len(kinds) for name, kinds in seen.items() if len(kinds) > 1}
    if not several:
        return ()
    name = max(several, key=lambda key: (several[key], str(key)))
    return (
        Finding(
            tag="kernels/several_configurations",
            severity="info",
            fact=f"{len(several)} kernel {'name runs' if len(several) == 1 else 'names run'} under "
            f"several configurations of block, registers or shared memory: {name!r} under "
            f"{several[name]}",
            advice="do not average over a name: look at the table of launch configurations",
        ),
    )


def _shape(sizes: Int32s) -> list[int] | None:
    return None if (sizes == MISSING).all() else [int(size) for size in sizes]


def _known(value: int) -> int | None:
    return None if value == MISSING else value
