"""Kernels by launch configuration: one name can run as several kernels.

A Triton kernel's name holds neither its warps nor its stages; grid, block, registers and shared
memory tell its configurations apart.
"""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_rows, group
from tracelens.analyze.statistics import Samples
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.cut import cut
from tracelens.model.report import Cell, Column, Finding, Section, Table
from tracelens.model.trace import MISSING, Int32s

_LONGEST_NAME = 80

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
    rows = np.flatnonzero(timeline.kernels)
    kept = timeline.trace.device_work.take(rows)
    shapes, count = group(
        kept.name, *kept.grid.T, *kept.block.T, kept.registers, kept.shared_memory
    )
    first = first_rows(shapes, count)
    summed = timeline.sound.summed[rows]
    durations = Samples.of(kept.duration_ns[summed], shapes[summed], count)
    totals = durations.totals()
    columns: tuple[list[Cell], ...] = (
        [timeline.trace.names[name] for name in kept.name[first]],
        _shapes(kept.grid[first]),
        _shapes(kept.block[first]),
        _known(kept.registers[first]),
        _known(kept.shared_memory[first]),
        np.bincount(shapes, minlength=count).tolist(),
        list(totals),
        list(durations.median()),
    )
    by_shape = list(zip(*columns, strict=True))
    longest_first = sorted(range(count), key=lambda shape: (-(totals[shape] or 0), first[shape]))
    lines = [by_shape[shape] for shape in longest_first]
    return Section(
        title="Launch configurations",
        tables=(Table(tag="kernel_shapes", columns=_COLUMNS, rows=tuple(lines)),),
        findings=_varying(lines),
    )


def _varying(lines: list[tuple[Cell, ...]]) -> tuple[Finding, ...]:
    """Say which names ran with different blocks, registers or shared memory.

    A different grid alone is another problem size, not another kernel. A launch that was not
    recorded, whose block is unknown, is no configuration.
    """
    seen: dict[Cell, set[str]] = {}
    for line in lines:
        if line[2] is not None:
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
            f"several configurations of block, registers or shared memory: "
            f"{cut(str(name), _LONGEST_NAME)!r} under "
            f"{several[name]}",
            advice="do not average over a name: look at the table of launch configurations",
        ),
    )


def _shapes(sizes: Int32s) -> list[Cell]:
    return [None if shape == [MISSING] * 3 else shape for shape in sizes.tolist()]


def _known(sizes: Int32s) -> list[Cell]:
    return [None if size == MISSING else size for size in sizes.tolist()]
