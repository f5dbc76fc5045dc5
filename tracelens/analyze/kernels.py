"""What ran on the device, by kernel name."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.compiled_kernels import compiled_tables
from tracelens.analyze.grouping import first_rows, rank
from tracelens.analyze.kernel_reading import kernel_findings
from tracelens.analyze.names.config import spell_configs
from tracelens.analyze.readings import NOTHING, Known, Readings, read_kernels
from tracelens.analyze.statistics import HIGH, LOW, Samples
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.report import Cell, Column, Section, Table
from tracelens.model.trace import MISSING, Int32s

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


def kernels(timeline: Timeline, windows: Windows) -> Section:
    """List every kernel name, longest total first. A grid or block that varies is null."""
    return _section(timeline, np.flatnonzero(timeline.kernels), windows, title="Kernels")


def kernels_of(timeline: Timeline, windows: Windows, *, known: Known = NOTHING) -> Section:
    """List the kernels that these windows own, over all of the windows.

    `known` is what the run knows of them beside their names.
    """
    owned = np.zeros(len(timeline.kernels), np.bool_)
    owned[windows.piece] = True
    rows = np.flatnonzero(owned & timeline.kernels)
    title = f"Kernels of {len(windows)} calls"
    return _section(timeline, rows, windows, title=title, known=known)


def _section(
    timeline: Timeline, rows: Int64s, windows: Windows, *, title: str, known: Known = NOTHING
) -> Section:
    readings = read_kernels(timeline, rows, windows, known)
    table = kernel_table(timeline, rows, readings)
    compiled = known.launched and compiled_tables(timeline, rows, readings.compiled, known.launched)
    return Section(
        title=title,
        tables=(table, *(compiled or ())),
        findings=(*kernel_findings(timeline, table, readings), *readings.findings),
    )


def kernel_table(timeline: Timeline, rows: Int64s, readings: Readings) -> Table:
    """Table these pieces of device work, which were read, by name.

    The configurations of a name that has several stand side by side.
    """
    work = timeline.trace.device_work
    names, count = rank(work.name[rows])
    first = rows[first_rows(names, count)]
    summed = timeline.sound.summed[rows]
    durations = Samples.of(work.duration_ns[rows[summed]], names[summed], count)
    steady = timeline.steady_latency[rows]
    latencies = Samples.of(timeline.sound.latency_ns[rows[steady]], names[steady], count)
    totals = durations.totals()
    whole = sum(total for total in totals if total is not None)
    spelled = [timeline.trace.names[name] for name in work.name[first]]
    by_name = readings.by_name()
    decoded = [by_name[name] for name in spelled]
    columns: list[list[Cell]] = [
        list(spelled),
        [kernels[0].family for kernels in decoded],
        [spell_configs(kernels) or None for kernels in decoded],
        np.bincount(names, minlength=count).tolist(),
        list(totals),
        [total / whole if total is not None and whole else None for total in totals],
        list(durations.median()),
        list(durations.quantile(LOW)),
        list(durations.quantile(HIGH)),
        _shapes(work.grid[rows], names, work.grid[first]),
        _shapes(work.block[rows], names, work.block[first]),
        list(latencies.median()),
    ]
    lines = zip(*columns, strict=True)
    longest_first = sorted(zip(totals, lines, strict=True), key=_longest_first)
    return Table(tag="kernels", columns=_COLUMNS, rows=tuple(line for _, line in longest_first))


def _longest_first(entry: tuple[int | None, tuple[Cell, ...]]) -> tuple[int, str]:
    total, line = entry
    return -(total or 0), str(line[0])


def _shapes(shapes: Int32s, names: Int64s, firsts: Int32s) -> list[Cell]:
    """Return the one launch shape of all rows of a name, or None where they differ or have none."""
    one = (firsts != MISSING).any(axis=1)
    one[names[(shapes != firsts[names]).any(axis=1)]] = False
    return [
        sizes if only else None for sizes, only in zip(firsts.tolist(), one.tolist(), strict=True)
    ]
