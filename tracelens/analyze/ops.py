"""Kernel time by the framework op that launched it."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.grouping import first_of_group
from tracelens.analyze.line import Slices
from tracelens.analyze.nesting import Nest
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.report import Cell, Column, Section, Table
from tracelens.model.trace import MISSING

_COLUMNS = (
    Column(name="name"),
    Column(name="kernel_count", unit="count"),
    Column(name="kernel_sum_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="calls", unit="count"),
)


def ops(timeline: Timeline, _windows: Windows) -> Section:
    """Table the ops that launch kernels, longest kernel sum first.

    A kernel belongs to the innermost framework op that is open on the launching thread when its
    launch call begins; where its launch is not in the file, to the op of its own External id.
    Kernels that no op launched (a Triton launcher called directly) stand in a row without a name.
    """
    return Section(title="Kernels by framework op", tables=(_table(timeline),))


def _table(timeline: Timeline) -> Table:
    work, names = timeline.trace.device_work, timeline.trace.ops.name
    pieces = np.flatnonzero(timeline.kernels)
    row = op_of_each(timeline, pieces)
    name = np.where(row == MISSING, MISSING, names[row] if len(names) else MISSING)
    order = np.lexsort((row, name))
    pieces, row, name = pieces[order], row[order], name[order]
    heads = np.flatnonzero(first_of_group(name))
    tails = np.concatenate((heads[1:], [len(name)]))[: len(heads)]
    durations = np.where(timeline.sound.summed[pieces], work.duration_ns[pieces], 0)
    until = np.concatenate((np.zeros(1, np.int64), np.cumsum(durations)))
    distinct = np.concatenate((np.zeros(1, np.int64), np.cumsum(first_of_group(row))))
    whole = int(until[-1])
    lines: list[tuple[int, tuple[Cell, ...]]] = []
    for head, tail in zip(heads.tolist(), tails.tolist(), strict=True):
        total = int(until[tail] - until[head])
        known = name[head] != MISSING
        row_of_table: tuple[Cell, ...] = (
            timeline.trace.names[name[head]] if known else None,
            tail - head,
            total,
            total / whole if whole else None,
            int(distinct[tail] - distinct[head]) if known else None,
        )
        lines.append((total, row_of_table))
    lines.sort(key=lambda line: (-line[0], str(line[1][0])))
    rows = tuple(row for _, row in lines)
    return Table(tag="ops", columns=_COLUMNS, rows=rows)


def op_of_each(timeline: Timeline, pieces: Int64s) -> Int64s:
    """Return the row of the op that each piece belongs to, or MISSING."""
    calls, launches = timeline.trace.calls, timeline.launches
    call = launches.call[pieces]
    linked = call != MISSING
    op = np.full(len(pieces), MISSING, np.int64)
    op[linked] = _innermost(
        timeline, timeline.threads.of_call[call[linked]], calls.start_ns[call[linked]]
    )
    alone = np.flatnonzero(~linked)
    op[alone] = _by_external_id(timeline, timeline.trace.device_work.external_id[pieces[alone]])
    return op


def _innermost(timeline: Timeline, threads: Int64s, instants: Int64s) -> Int64s:
    """Return the row of the innermost op open on a thread at an instant, or MISSING."""
    ops, of_op = timeline.trace.ops, timeline.threads.of_op
    rows = np.flatnonzero(timeline.sound.ops)
    records = Slices(of_op[rows], ops.start_ns[rows], ops.end_ns[rows])
    nest = Nest.of(records, timeline.threads.count)
    place = nest.innermost(threads, instants)
    found = np.full(len(place), MISSING, np.int64)
    found[place != MISSING] = rows[nest.rows[place[place != MISSING]]]
    return found


def _by_external_id(timeline: Timeline, external_ids: Int64s) -> Int64s:
    ids = timeline.trace.ops.external_id
    order = np.argsort(ids, kind="stable")
    at = np.searchsorted(ids[order], external_ids, side="left")
    found = np.full(len(external_ids), MISSING, np.int64)
    inside = (at < len(ids)) & (external_ids != MISSING)
    row = order[np.minimum(at, max(len(ids) - 1, 0))] if len(ids) else found
    hit = inside & (ids[row] == external_ids) if len(ids) else inside & False
    found[hit] = row[hit]
    return found
