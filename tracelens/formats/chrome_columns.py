"""Decoded entries to the columns of a trace: which category is what, which field goes where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from operator import attrgetter

import numpy as np
from msgspec import Raw

from tracelens.formats.chrome_arguments import ArgumentSets, Texts
from tracelens.formats.chrome_events import Event
from tracelens.formats.chrome_pairs import Pairs
from tracelens.formats.decimals import nanoseconds
from tracelens.formats.labels import Labels, int32s, int64s
from tracelens.model.intervals import Int64s
from tracelens.model.trace import (
    KERNEL,
    MEMCPY,
    MEMSET,
    MISSING,
    Calls,
    Columns,
    DeviceWork,
    Flows,
    Ops,
    Spans,
    UInt8s,
    joined,
)

_DEVICE_WORK = {
    "kernel": KERNEL,
    "gpu_memcpy": MEMCPY,
    "gpu_memset": MEMSET,
    "Kernel": KERNEL,  # writers of 2021 begin with a capital
    "Memcpy": MEMCPY,
    "Memset": MEMSET,
    "mtia_ccp_events": KERNEL,  # all of MTIA's device work
}
_MTIA_COPY = "dma_request"
"""In the name of what moves memory on MTIA."""

_CALLS = (
    "cuda_runtime",  # HIP's too
    "cuda_driver",
    "xpu_runtime",
    "xpu_driver",
    "mtia_runtime",
    "Runtime",
)
_OPS = ("cpu_op",)
_OLD_OPS = ("Operator",)
"""Of 2021: framework ops, and the profiler's steps among them."""
_STEP = "ProfilerStep#"
_ANNOTATIONS = ("user_annotation",)
_OVERHEADS = ("overhead",)
_FLOWS = ("ac2g", "async_gpu", "async_cpu_to_gpu", "async")
"""Arrows from a call to its device work, the newest writer's first."""

_SORTS = ("device_work", "calls", "ops", "annotations", "overheads", "flows")

_NAME, _PID, _TID = attrgetter("name"), attrgetter("pid"), attrgetter("tid")


@dataclass(frozen=True, slots=True)
class Part:
    """The columns of some later events, with labels of their own."""

    columns: dict[str, Columns]
    names: tuple[str, ...]
    processes: tuple[str, ...]
    threads: tuple[str, ...]
    arguments: tuple[Texts, ...]
    event_count: int
    last: tuple[str, bytes]
    """Name and time of the last event."""


class TraceColumns:
    """The columns of a trace while its entries are still coming in, a block at a time.

    Each is a list of blocks: see `joined`. An event of two marks stands where its end mark does.
    `event_count` counts all entries, read or not; `last` is the last that is an event.
    """

    def __init__(self) -> None:
        self.event_count = 0
        self.last: Event | None = None
        self.names = Labels()
        self.processes = Labels()
        self.threads = Labels()
        self.arguments = ArgumentSets()
        self._streams = Labels()
        self._devices = Labels()
        self._pairs = Pairs()
        self.device_work: list[DeviceWork] = []
        self.calls: list[Calls] = []
        self.ops: list[Ops] = []
        self.annotations: list[Spans] = []
        self.overheads: list[Spans] = []
        self.flows: list[Flows] = []

    def add(self, events: Sequence[Event] | Part) -> None:
        """Append the events that are read, in their order, and leave out all others."""
        if isinstance(events, Part):
            self._extend(events)
            return
        self.event_count += len(events)
        self.last = next((event for event in reversed(events) if event.ph), self.last)
        self._append(self._pairs.closed(events))

    def _extend(self, part: Part) -> None:
        numbers = {
            "name": self.names.of(part.names, len(part.names)),
            "process": self.processes.of(part.processes, len(part.processes)),
            "thread": self.threads.of(part.threads, len(part.threads)),
        }
        for sort, columns in part.columns.items():
            mine = {f.name for f in fields(columns)} & numbers.keys()
            renumbered = {name: numbers[name][getattr(columns, name)] for name in mine}
            if isinstance(columns, Ops):
                renumbered["arguments"] = self.arguments.renumbered(
                    columns.arguments, part.arguments
                )
            getattr(self, sort).append(replace(columns, **renumbered))
        self.event_count += part.event_count
        name, ts = part.last
        self.last = Event(name=name, ts=Raw(ts))

    def part(self) -> Part | None:
        """Return all columns as a part, once finished; None where they hang on earlier events."""
        if self.last is None or self._pairs.met or self._streams or self._devices:
            return None
        return Part(
            columns={sort: joined(getattr(self, sort)) for sort in _SORTS},
            names=self.names.texts,
            processes=self.processes.texts,
            threads=self.threads.texts,
            arguments=tuple(self.arguments),
            event_count=self.event_count,
            last=(self.last.name, bytes(self.last.ts)),
        )

    def finish(self) -> None:
        """Append what began and never ended. Without any event this makes the columns empty."""
        self._append(self._pairs.unfinished())

    def _append(self, events: Sequence[Event]) -> None:
        work: list[Event] = []
        calls: list[Event] = []
        ops: list[Event] = []
        old_ops: list[Event] = []
        annotations: list[Event] = []
        overheads: list[Event] = []
        flows: list[Event] = []
        unread: list[Event] = []
        rows_of = {
            **dict.fromkeys(_DEVICE_WORK, work),
            **dict.fromkeys(_CALLS, calls),
            **dict.fromkeys(_OPS, ops),
            **dict.fromkeys(_OLD_OPS, old_ops),
            **dict.fromkeys(_ANNOTATIONS, annotations),
            **dict.fromkeys(_OVERHEADS, overheads),
            **dict.fromkeys(_FLOWS, flows),
        }
        for event in events:
            rows_of.get(event.cat, unread).append(event)
        for event in old_ops:
            (annotations if _is_step(event) else ops).append(event)
        self.device_work.append(self._device_work(_complete(work)))
        self.calls.append(self._calls(_complete(calls)))
        self.ops.append(self._ops(_complete(ops)))
        self.annotations.append(self._spans(_complete(annotations)))
        self.overheads.append(self._spans(_complete(overheads)))
        self.flows.append(self._flows([event for event in flows if event.ph in ("s", "f")]))

    def _device_work(self, rows: Sequence[Event]) -> DeviceWork:
        arguments = [event.args for event in rows]
        streams = [e.tid if (stream := e.args.stream) is None else stream for e in rows]
        devices = [e.pid if (device := e.args.device) is None else device for e in rows]
        return DeviceWork(
            kind=_kinds(rows),
            name=self.names.of(map(_NAME, rows), len(rows)),
            start_ns=nanoseconds([event.ts for event in rows]),
            duration_ns=nanoseconds([event.dur for event in rows]),
            process=self.processes.of(map(_PID, rows), len(rows)),
            device=int32s(int64s(devices, words=self._devices)),
            stream=int64s(streams, words=self._streams),
            correlation=int64s([a.correlation for a in arguments]),
            external_id=_external_ids(rows),
            grid=int32s(int64s([*chain.from_iterable([a.grid for a in arguments])])).reshape(-1, 3),
            block=int32s(int64s([*chain.from_iterable([a.block for a in arguments])])).reshape(
                -1, 3
            ),
            registers=int32s(int64s([a.registers for a in arguments])),
            shared_memory=int32s(int64s([a.shared_memory for a in arguments])),
            bytes_moved=_filled(
                int64s([a.bytes_moved for a in arguments]),
                int64s([a.bytes_moved_2021 for a in arguments]),
            ),
        )

    def _calls(self, rows: Sequence[Event]) -> Calls:
        return Calls(
            name=self.names.of(map(_NAME, rows), len(rows)),
            start_ns=nanoseconds([event.ts for event in rows]),
            duration_ns=nanoseconds([event.dur for event in rows]),
            process=self.processes.of(map(_PID, rows), len(rows)),
            thread=self.threads.of(map(_TID, rows), len(rows)),
            correlation=int64s([event.args.correlation for event in rows]),
            external_id=_external_ids(rows),
        )

    def _spans(self, rows: Sequence[Event]) -> Spans:
        return Spans(
            name=self.names.of(map(_NAME, rows), len(rows)),
            start_ns=nanoseconds([event.ts for event in rows]),
            duration_ns=nanoseconds([event.dur for event in rows]),
            process=self.processes.of(map(_PID, rows), len(rows)),
            thread=self.threads.of(map(_TID, rows), len(rows)),
            external_id=_external_ids(rows),
        )

    def _ops(self, rows: Sequence[Event]) -> Ops:
        return Ops.of(self._spans(rows), self.arguments.of(rows, len(rows)))

    def _flows(self, rows: Sequence[Event]) -> Flows:
        return Flows(
            id=int64s([event.id for event in rows]),
            start_ns=nanoseconds([event.ts for event in rows]),
            process=self.processes.of(map(_PID, rows), len(rows)),
            thread=self.threads.of(map(_TID, rows), len(rows)),
            finish=np.array([event.ph == "f" for event in rows], np.bool_),
        )


def _complete(events: Sequence[Event]) -> list[Event]:
    """Keep what has a duration of its own: no instants, counters or marks."""
    return [event for event in events if event.ph == "X"]


def _kinds(rows: Sequence[Event]) -> UInt8s:
    kinds = np.array([_DEVICE_WORK[event.cat] for event in rows], np.uint8)
    copies = [event.cat == "mtia_ccp_events" and _MTIA_COPY in event.name for event in rows]
    kinds[copies] = MEMCPY
    return kinds


def _external_ids(rows: Sequence[Event]) -> Int64s:
    ids = int64s([event.args.external_id for event in rows])
    if (ids != MISSING).all():
        return ids
    return _filled(ids, int64s([event.args.external_id_2021 for event in rows]))


def _filled(numbers: Int64s, others: Int64s) -> Int64s:
    """Take a number from another writer's field where the usual field has none."""
    return np.where(numbers == MISSING, others, numbers)


def _is_step(event: Event) -> bool:
    return isinstance(event.name, str) and event.name.startswith(_STEP)
