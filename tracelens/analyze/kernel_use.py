"""The kernels of one side: what each is, how it was launched, how often and how long per call."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import first_rows, group
from tracelens.analyze.names.config import spell_config
from tracelens.analyze.readings import NOTHING, Known, read_kernels
from tracelens.analyze.statistics import HIGH, LOW, Samples
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.kernel_name import KernelName
from tracelens.model.trace import MISSING

Shape = tuple[int, ...]

_PLAIN_ROLES = frozenset(
    {"gemm", "gemv", "convolution", "attention", "softmax", "normalization", "sort", "scan"}
)
"""Roles that say by themselves what is computed; a `fused` or `elementwise` kernel may be any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelUse:
    """One kernel in one launch configuration, over the windows of one side.

    `count` is launches per window. `median_ns`, and the quantiles beside it, are of one launch;
    None where no duration can be believed. `order` is the place of its first launch.
    """

    kernel: KernelName
    grid: Shape | None
    block: Shape | None
    registers: int | None
    shared_memory: int | None
    count: int | float
    median_ns: int | None
    spread_ns: int
    order: int

    @property
    def name(self) -> str:
        """The kernel's name as recorded."""
        return self.kernel.name

    @property
    def per_call_ns(self) -> int | None:
        """Median launch times launches per window: what the kernel adds to a call."""
        return None if self.median_ns is None else round(self.median_ns * self.count)

    @property
    def work(self) -> Hashable:
        """What stays of a name from build to build: Inductor numbers its kernels anew each time."""
        if self.kernel.family == "inductor":
            return (*self.job, self.kernel.value("category"))
        return self.name

    @property
    def job(self) -> tuple[Hashable, ...]:
        """What it computes, whoever made it and however it is configured.

        Ends with None where the name does not say: two such kernels may do different things.
        """
        stated = self.kernel.value("ops") or self.kernel.value("op")
        plain = self.kernel.role if self.kernel.role in _PLAIN_ROLES else None
        return self.kernel.role, stated or plain

    def configuration(self) -> dict[str, str]:
        """Return what the name states and how it was launched, each in a word."""
        shapes = {"grid": self.grid, "block": self.block}
        sizes = {"registers": self.registers, "shared memory": self.shared_memory}
        return {
            "family": self.kernel.family or "",
            "config": spell_config(self.kernel),
            **{name: "x".join(map(str, shape or ())) for name, shape in shapes.items()},
            **{name: "" if size is None else str(size) for name, size in sizes.items()},
        }


def kernel_uses(
    timeline: Timeline, windows: Windows, *, known: Known = NOTHING
) -> tuple[KernelUse, ...]:
    """Return every kernel and launch configuration that the windows own, in order of launch."""
    owned = np.unique(windows.piece)
    rows = owned[timeline.kernels[owned]]
    work = timeline.trace.device_work.take(rows)
    read = read_kernels(timeline, rows, windows, known)
    shapes = (*work.grid.T, *work.block.T, work.registers, work.shared_memory)
    uses, count = group(work.name, read.place, *shapes)
    first = first_rows(uses, count)
    summed = timeline.sound.summed[rows]
    durations = Samples.of(work.duration_ns[summed], uses[summed], count)
    medians, lows, highs = durations.median(), durations.quantile(LOW), durations.quantile(HIGH)
    counts = np.bincount(uses, minlength=count).tolist()
    found = [
        KernelUse(
            kernel=read.kernels[read.place[row]],
            grid=_shape(work.grid[row].tolist()),
            block=_shape(work.block[row].tolist()),
            registers=_size(int(work.registers[row])),
            shared_memory=_size(int(work.shared_memory[row])),
            count=_per_window(counts[use], len(windows)),
            median_ns=medians[use],
            spread_ns=(highs[use] or 0) - (lows[use] or 0),
            order=int(work.start_ns[row]),
        )
        for use, row in enumerate(first.tolist())
    ]
    return tuple(sorted(found, key=lambda use: use.order))


def _per_window(count: int, windows: int) -> int | float:
    return count // windows if count % windows == 0 else count / windows


def _shape(sizes: list[int]) -> Shape | None:
    return None if sizes == [MISSING] * 3 else tuple(sizes)


def _size(size: int) -> int | None:
    return None if size == MISSING else size
