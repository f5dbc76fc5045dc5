"""A recorded timeline, columnar: a million events are a dozen arrays, not a million objects.

Strings are interned: a `name`, `process` or `thread` column holds indices into the trace's tables.
Times are int64 nanoseconds as recorded; `UNKNOWN_NS` where the file has none. Ids that a record
does not carry are `MISSING`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tracelens.model.intervals import Bools, Int64s
from tracelens.model.report import Finding

Int32s = npt.NDArray[np.int32]
UInt8s = npt.NDArray[np.uint8]

MISSING = -1
"""The id, size or count of a record that carries none."""

UNKNOWN_NS = int(np.iinfo(np.int64).min)
"""The time of a record that carries none, or none that is a number."""

KERNEL, MEMCPY, MEMSET = 0, 1, 2
"""Kinds of device work, in `DeviceWork.kind`."""

ColumnsT = TypeVar("ColumnsT", bound="Columns")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows of one sort of record, an array per field, all of one length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def take(self: ColumnsT, rows: Bools | Int64s) -> ColumnsT:
        """Return the rows that a mask or an array of row numbers names."""
        return type(self)(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


def joined(blocks: list[ColumnsT]) -> ColumnsT:
    """Return the rows of all blocks as one, and empty the list: both do not fit for long."""
    record = type(blocks[0])
    columns = {f.name: np.concatenate([getattr(b, f.name) for b in blocks]) for f in fields(record)}
    blocks.clear()
    return record(**columns)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Records(Columns):
    """What every timed record has, whoever made it."""

    name: Int32s
    start_ns: Int64s
    duration_ns: Int64s
    process: Int32s

    @property
    def end_ns(self) -> Int64s:
        """Start plus duration. Meaningless where either is unknown or negative."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DeviceWork(Records):
    """Kernels, copies and sets as the device ran them. One row each, in the order of the file.

    `process` is the row's `pid` in the file: the device's own, or a rank's, not the host process.
    """

    kind: UInt8s
    device: Int32s
    stream: Int64s
    correlation: Int64s
    external_id: Int64s
    grid: Int32s
    """Blocks in x, y, z: shape (n, 3)."""
    block: Int32s
    """Threads in x, y, z: shape (n, 3)."""
    registers: Int32s
    """Registers per thread."""
    shared_memory: Int32s
    """Bytes per block."""
    bytes_moved: Int64s
    """Bytes of a copy or set."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calls(Records):
    """API calls on the host: CUDA or HIP runtime, driver, XPU and MTIA."""

    thread: Int32s
    correlation: Int64s
    external_id: Int64s


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Spans(Records):
    """Named stretches of host time: framework ops, annotations, profiler overhead."""

    thread: Int32s
    external_id: Int64s


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ops(Spans):
    """Framework ops, with what they were called with."""

    arguments: Int32s
    """The row of `Trace.arguments`, or `MISSING` where the file records none."""

    @classmethod
    def of(cls, spans: Spans, arguments: Int32s) -> Ops:
        """Make ops of spans and what each was called with."""
        columns = {f.name: getattr(spans, f.name) for f in fields(spans)}
        return cls(**columns, arguments=arguments)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The sizes and the types of an op's arguments, one each, in the order of its call.

    `sizes` are empty for what is no single tensor; `types` are spelled as in the file, such as
    `c10::BFloat16`. Many calls share one of these.
    """

    sizes: tuple[tuple[int, ...], ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Flows(Columns):
    """Arrow ends of the category that ties a call (`ph` s) to its device work (`ph` f)."""

    id: Int64s
    start_ns: Int64s
    process: Int32s
    thread: Int32s
    finish: Bools


@dataclass(frozen=True, slots=True)
class Device:
    """What a trace's header says of one device. What it leaves out is None."""

    id: int
    name: str | None = None
    multiprocessors: int | None = None
    compute_capability: str | None = None
    """Such as `9.0`."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One recorded timeline.

    `event_count` counts every event of the file, used or not. `complete` is False where events
    were lost and the caller asked for what is left: every sum is then a lower bound. `findings`
    say what the reader mended or met on the way.
    """

    device_work: DeviceWork
    calls: Calls
    ops: Ops
    """Framework ops (`cpu_op`)."""
    annotations: Spans
    """Stretches that the user named on a host thread (`user_annotation`)."""
    overheads: Spans
    """What the profiler itself cost, by its own account."""
    flows: Flows
    names: tuple[str, ...]
    processes: tuple[str, ...]
    threads: tuple[str, ...]
    event_count: int
    arguments: tuple[Arguments, ...] = ()
    """Every different set of arguments that an op was called with, once."""
    devices: tuple[Device, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    """Versions that the header states: `cuda_driver`, `cuda_runtime`, `cupti`, `torch` ..."""
    complete: bool = True
    findings: tuple[Finding, ...] = ()
