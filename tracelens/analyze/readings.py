"""Kernels, read: what their names say, what the run knows of them, what their launches confirm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tracelens.analyze.gemm_sizes import gemm_sizes
from tracelens.analyze.grouping import first_rows, group, rank
from tracelens.analyze.launched_kernels import join_launched
from tracelens.analyze.names import Configs, decode
from tracelens.analyze.names.compiled import with_compiled
from tracelens.analyze.names.launch_check import (
    NEEDS_SIZES,
    Gemm,
    Launch,
    LaunchCheck,
    check_launch,
)
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.kernel_name import Field, KernelName
from tracelens.model.launched import Launched
from tracelens.model.measurement import SubjectRun
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING, DeviceWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a run knows of its kernels beside their names: nothing, where only a trace is read.

    `configs` names the template arguments of the op's own kernels: see `names.decode`.
    """

    configs: Configs | None = None
    launched: Launched | None = None

    @classmethod
    def of(cls, found: SubjectRun) -> Known:
        """Return what a subject of a run knows."""
        return cls(configs=found.stated.configs if found.stated else None, launched=found.launched)


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Some kernels of a timeline, read.

    `place` (shape: their rows) says which of `kernels` each is, `compiled` which of the run's
    `Launched.kernels`, or `MISSING`. One name can have several readings. `contradictions` are
    facts about launches that cannot be what their names say, by name.
    """

    kernels: tuple[KernelName, ...]
    place: Int64s
    compiled: Int64s
    contradictions: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def by_name(self) -> dict[str, list[KernelName]]:
        """Return the readings of each name."""
        found: dict[str, list[KernelName]] = {}
        for kernel in self.kernels:
            found.setdefault(kernel.name, []).append(kernel)
        return found


NOTHING = Known()


def read_kernels(
    timeline: Timeline, rows: Int64s, windows: Windows, known: Known = NOTHING
) -> Readings:
    """Read the kernels in these rows of device work, which are sorted.

    What a run saw launched is taken over, a split along K recovered from the grid and the sizes of
    the op, and each launch checked against what is read of it.
    """
    work = timeline.trace.device_work.take(rows)
    joined = join_launched(timeline, rows, windows, known.launched)
    gemms, gemm = _gemms(timeline, rows, work)
    shapes = (*work.grid.T, *work.block.T, work.registers, work.shared_memory)
    groups, count = group(work.name, joined.place, gemm, *shapes)
    kernels = _Distinct()
    contradictions: dict[str, str] = {}
    place = np.empty(count, np.int64)
    for number, row in enumerate(first_rows(groups, count).tolist()):
        kernel = decode(timeline.trace.names[work.name[row]], configs=known.configs)
        if known.launched is not None and joined.place[row] != MISSING:
            kernel = with_compiled(kernel, known.launched.kernels[joined.place[row]])
        product = gemms[gemm[row]] if gemm[row] != MISSING else None
        checked = _checked(timeline, work, row, kernel, product)
        if checked is not None and checked.verdict == "contradiction":
            contradictions.setdefault(kernel.name, checked.fact)
        elif checked is not None and checked.split_k is not None:
            kernel = _with_split(kernel, checked.split_k)
        place[number] = kernels.place(kernel)
    return Readings(
        tuple(kernels.all), place[groups], joined.place, contradictions, joined.findings
    )


class _Distinct:
    """Readings, each different one once."""

    def __init__(self) -> None:
        self.all: list[KernelName] = []
        self._places: dict[str, list[int]] = {}

    def place(self, kernel: KernelName) -> int:
        """Return the place of a reading, which is added where it is a new one."""
        places = self._places.setdefault(kernel.name, [])
        for place in places:
            if self.all[place] == kernel:
                return place
        places.append(len(self.all))
        self.all.append(kernel)
        return places[-1]


def _gemms(timeline: Timeline, rows: Int64s, work: DeviceWork) -> tuple[tuple[Gemm, ...], Int64s]:
    """Return the products of those kernels whose launch can be checked by one."""
    names, count = rank(work.name)
    first = first_rows(names, count)
    needed = np.array(
        [decode(timeline.trace.names[name]).family in NEEDS_SIZES for name in work.name[first]],
        np.bool_,
    )
    asked = np.flatnonzero(needed[names]) if count else np.empty(0, np.int64)
    gemms, of_asked = gemm_sizes(timeline, rows[asked])
    of = np.full(len(rows), MISSING, np.int64)
    of[asked] = of_asked
    return gemms, of


def _checked(
    timeline: Timeline, work: DeviceWork, row: int, kernel: KernelName, gemm: Gemm | None
) -> LaunchCheck | None:
    """Check one launch, where the trace records how it was made."""
    devices = timeline.trace.devices
    x, y, z = work.grid[row].tolist()
    i, j, k = work.block[row].tolist()
    if MISSING in (x, i):
        return None
    shared = int(work.shared_memory[row])
    launch = Launch(
        grid=(x, y, z),
        block=(i, j, k),
        shared_memory=None if shared == MISSING else shared,
        gemm=gemm,
        multiprocessors=devices[0].multiprocessors if devices else None,
    )
    return check_launch(kernel, launch)


def _with_split(kernel: KernelName, factor: int) -> KernelName:
    """Put the factor of a split along K in place of the mere fact; 1 is no split, and known."""
    split = Field(factor, "inferred")  # whoever states the name, the grid's rule is read off
    return replace(kernel, fields={**kernel.fields, "split_k": split})
