"""What a run saw launched, joined with the device's records by the launch.

A name alone does not tell: one Triton kernel runs in several configurations under one name. Grid,
block, registers and shared memory tell most of them apart; where they do not, as for two that
differ in a constant, the order of the launches in a call does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tracelens.analyze.grouping import group
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.cut import cut
from tracelens.model.intervals import Int64s
from tracelens.model.launched import CompiledKernel, Launched
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING, DeviceWork

_LONGEST_NAME = 80

_FEWEST_REGISTERS = 16
"""Per thread, in a trace: a kernel of 14 registers is recorded with 16 (H200, torch 2.11)."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Which of `Launched.kernels` each row is (shape: the rows), or `MISSING`."""

    place: Int64s
    findings: tuple[Finding, ...] = ()


def join_launched(
    timeline: Timeline, rows: Int64s, windows: Windows, launched: Launched | None
) -> Joined:
    """Say which compiled kernel each of these rows of device work is; the rows are sorted."""
    place = np.full(len(rows), MISSING, np.int64)
    if launched is None:
        return Joined(place)
    work = timeline.trace.device_work.take(rows)
    groups, count = group(
        work.name, *work.grid.T, *work.block.T, work.registers, work.shared_memory
    )
    strangers: list[str] = []
    unordered: list[str] = []
    for number in range(count):
        members = np.flatnonzero(groups == number)
        name = timeline.trace.names[work.name[members[0]]]
        named = [at for at, kernel in enumerate(launched.kernels) if kernel.name == name]
        fitting = [at for at in named if _fits(launched.kernels[at], work, int(members[0]))]
        if len(fitting) == 1:
            place[members] = fitting[0]
        elif fitting:
            order = [at for at in launched.order if at in fitting]
            ordered = _by_order(timeline, windows, rows, members, order)
            place[members] = ordered
            unordered += [name] * bool((ordered == MISSING).any())
        else:
            strangers += [name] * bool(named)
    return Joined(place, (*_strange(strangers), *_unordered(unordered)))


def _fits(kernel: CompiledKernel, work: DeviceWork, row: int) -> bool:
    """Say whether a kernel can be what the device ran, by all that both of them know."""
    clusters = kernel.num_ctas or 1  # Triton lays the blocks of a cluster along x
    grid = None if kernel.grid is None else (kernel.grid[0] * clusters, *kernel.grid[1:])
    ran = work.grid[row].tolist(), work.block[row].tolist()
    pairs: tuple[tuple[object, object], ...] = (
        (grid, None if MISSING in ran[0] else tuple(ran[0])),
        (kernel.threads, None if MISSING in ran[1] else prod(ran[1])),
        (
            kernel.registers and max(kernel.registers, _FEWEST_REGISTERS),
            _known(int(work.registers[row])),
        ),
        (kernel.shared_memory, _known(int(work.shared_memory[row]))),
    )
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def _known(size: int) -> int | None:
    return None if size == MISSING else size


def _by_order(
    timeline: Timeline, windows: Windows, rows: Int64s, members: Int64s, order: Sequence[int]
) -> Int64s:
    """Tell members apart that look alike: call by call, in the order in which they were launched.

    A call that launches another number of them than the watched one tells nothing.
    """
    calls, launches = timeline.trace.calls, timeline.launches
    found = np.full(len(members), MISSING, np.int64)
    window = np.full(len(timeline.trace.device_work), MISSING, np.int64)
    window[windows.piece] = windows.piece_window
    of_window = window[rows[members]]
    call = launches.call[rows[members]]
    begun = np.where(call == MISSING, 0, calls.start_ns[call] if len(calls) else 0)
    started = timeline.trace.device_work.start_ns[rows[members]]
    for one in np.unique(of_window[of_window != MISSING]):
        mine = np.flatnonzero(of_window == one)
        if len(mine) == len(order):
            found[mine[np.lexsort((started[mine], begun[mine]))]] = order
    return found


def _strange(names: list[str]) -> tuple[Finding, ...]:
    if not names:
        return ()
    return (
        Finding(
            tag="kernel/launched_otherwise",
            severity="warning",
            fact=f"{len(names)} kinds of launches in the profiled calls are not those of the "
            f"watched call, such as one of {cut(names[0], _LONGEST_NAME)}: its configuration is "
            "unknown",
            advice="let op() launch the same kernels in the same way in every call",
        ),
    )


def _unordered(names: list[str]) -> tuple[Finding, ...]:
    if not names:
        return ()
    return (
        Finding(
            tag="kernel/not_told_apart",
            severity="info",
            fact=f"{cut(names[0], _LONGEST_NAME)} was launched in several configurations that look "
            "alike, and not as often in every call: which launch is which is unknown",
            advice="let op() launch the same kernels in the same order in every call",
        ),
    )
