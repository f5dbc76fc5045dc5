"""The kernels that a run saw launched, by configuration, and what their tuners chose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tracelens.analyze.statistics import Samples
from tracelens.analyze.timeline import Timeline
from tracelens.model.intervals import Int64s
from tracelens.model.launched import Candidate, CompiledKernel, Launched, Tuning
from tracelens.model.report import Cell, Column, Table
from tracelens.model.trace import MISSING

_COLUMNS = (
    Column(name="name"),
    Column(name="compiler"),
    Column(name="settings"),
    Column(name="count", unit="count"),
    Column(name="total_ns", unit="ns"),
    Column(name="median_ns", unit="ns"),
    Column(name="grid"),
    Column(name="threads", unit="count"),
    Column(name="shared_memory_bytes", unit="bytes"),
    Column(name="registers"),
    Column(name="spills"),
    Column(name="target"),
    Column(name="candidates", unit="count"),
    Column(name="ops"),
    Column(name="source"),
)
_TUNING_COLUMNS = (
    Column(name="name"),
    Column(name="settings"),
    Column(name="outcome"),
    Column(name="tuner_ns", unit="ns"),
)
_MOST_CANDIDATES = 1_000
"""Rows of one tuner: a generated list of candidates can have no end."""


def compiled_tables(
    timeline: Timeline, rows: Int64s, compiled: Int64s, launched: Launched
) -> tuple[Table, ...]:
    """Table each configuration that was launched, and each candidate of a tuner.

    `compiled` (shape: rows) says which kernel of `launched` each row of device work is. A kernel
    that no row is has the count 0: the profiled calls did not launch it.
    """
    count = len(launched.kernels)
    known = compiled != MISSING
    sound = known & timeline.sound.summed[rows]
    durations = Samples.of(
        timeline.trace.device_work.duration_ns[rows[sound]], compiled[sound], count
    )
    figures = zip(
        np.bincount(compiled[known], minlength=count).tolist(),
        durations.totals(),
        durations.median(),
        strict=True,
    )
    lines = [_line(kernel, *ran) for kernel, ran in zip(launched.kernels, figures, strict=True)]
    tuned = [line for kernel in launched.kernels for line in _candidates(kernel)]
    found = [Table(tag="compiled_kernels", columns=_COLUMNS, rows=tuple(lines))]
    if tuned:
        distinct = tuple(dict.fromkeys(tuned))  # one tuner, for several grids
        found.append(Table(tag="tuning", columns=_TUNING_COLUMNS, rows=distinct))
    return tuple(found)


def _line(
    kernel: CompiledKernel, count: int, total_ns: int | None, median_ns: int | None
) -> tuple[Cell, ...]:
    source = kernel.source
    return (
        kernel.name,
        kernel.compiler,
        _spell(kernel.settings),
        count,
        total_ns,
        median_ns,
        list(kernel.grid) if kernel.grid else None,
        kernel.threads,
        kernel.shared_memory,
        kernel.registers,
        kernel.spills,
        kernel.target,
        len(kernel.tuning.candidates) if kernel.tuning else None,
        ", ".join(kernel.ops) or None,
        None if source is None else f"{source.file}:{source.line or 1}",
    )


def _candidates(kernel: CompiledKernel) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each candidate, the fastest by the tuner's clock first."""
    if kernel.tuning is None:
        return
    tuning = kernel.tuning
    places = sorted(range(len(tuning.candidates)), key=lambda at: _speed(tuning.candidates[at]))
    for at in places[:_MOST_CANDIDATES]:
        candidate = tuning.candidates[at]
        yield kernel.name, _spell(candidate.settings), _outcome(tuning, at), candidate.time_ns


def _speed(candidate: Candidate) -> tuple[bool, int]:
    return candidate.time_ns is None, candidate.time_ns or 0


def _outcome(tuning: Tuning, at: int) -> str | None:
    if at == tuning.chosen:
        return "chosen"
    return "failed" if tuning.candidates[at].failed else None


def _spell(settings: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in settings.items())
