"""Traces typed by hand, in whole nanoseconds: what a test's reader sees on one screen."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tracelens.model.trace import (
    KERNEL,
    MEMCPY,
    MEMSET,
    MISSING,
    UNKNOWN_NS,
    Arguments,
    Calls,
    DeviceWork,
    Flows,
    Ops,
    Spans,
    Trace,
)

MAIN = 1
"""The host thread, and the process, of a record that names none."""

DEVICE = 0
"""The process that device work stands in, in the file."""


UNKNOWN = UNKNOWN_NS
"""A start or an end that the file does not state."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One record: `[start, end)` in ns."""

    sort: str
    start: int
    end: int
    name: str
    process: int = MAIN
    thread: int = MAIN
    correlation: int = MISSING
    external_id: int = MISSING
    device: int = 0
    stream: int = 7
    kind: int = KERNEL
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (32, 1, 1)
    registers: int = 16
    shared_memory: int = 0
    sizes: tuple[tuple[int, ...], ...] = ()
    """Of the arguments that an op was called with."""

    @property
    def duration(self) -> int:
        return UNKNOWN if UNKNOWN in (self.start, self.end) else self.end - self.start


def kernel(start: int, end: int, *, by: int = MISSING, name: str = "k", **more: Any) -> Event:
    more = {"process": DEVICE, **more}
    return Event(sort="work", start=start, end=end, name=name, correlation=by, **more)


def copy(start: int, end: int, *, by: int = MISSING, **more: Any) -> Event:
    return kernel(start, end, by=by, name="Memcpy HtoD", kind=MEMCPY, **more)


def fill(start: int, end: int, *, by: int = MISSING, **more: Any) -> Event:
    return kernel(start, end, by=by, name="Memset", kind=MEMSET, **more)


def launch(
    start: int, end: int, *, called: int, name: str = "cudaLaunchKernel", **more: Any
) -> Event:
    return Event(sort="call", start=start, end=end, name=name, correlation=called, **more)


def sync(start: int, end: int, **more: Any) -> Event:
    return Event(sort="call", start=start, end=end, name="cudaDeviceSynchronize", **more)


def op(start: int, end: int, *, name: str = "aten::add", **more: Any) -> Event:
    return Event(sort="op", start=start, end=end, name=name, **more)


def window(start: int, end: int, *, name: str = "tracelens::call", **more: Any) -> Event:
    return Event(sort="annotation", start=start, end=end, name=name, **more)


def overhead(start: int, end: int, *, name: str = "Activity Buffer Request") -> Event:
    return Event(sort="overhead", start=start, end=end, name=name)


def leaves(at: int, *, id: int, **more: Any) -> Event:  # noqa: A002 - what the format calls it
    """The begin of an arrow, on a host thread."""
    return Event(sort="flow", start=at, end=at, name="ac2g", correlation=id, **more)


def arrives(at: int, *, id: int) -> Event:  # noqa: A002 - what the format calls it
    """The end of an arrow, on the device."""
    return Event(sort="flow", start=at, end=at, name="ac2g", correlation=id, process=DEVICE)


def timeline_of(*events: Event) -> Trace:
    """Return the trace that holds these events, columns and all."""
    names = sorted({event.name for event in events})
    processes = sorted({event.process for event in events})
    threads = sorted({event.thread for event in events})
    sizes = sorted({event.sizes for event in events if event.sizes})
    of = {
        sort: [e for e in events if e.sort == sort]
        for sort in ("work", "call", "op", "annotation", "overhead", "flow")
    }

    def columns(kind: type[Any], rows: list[Event]) -> Any:
        values = {
            "name": [names.index(e.name) for e in rows],
            "start_ns": [e.start for e in rows],
            "duration_ns": [e.duration for e in rows],
            "process": [processes.index(e.process) for e in rows],
            "thread": [threads.index(e.thread) for e in rows],
            "correlation": [e.correlation for e in rows],
            "external_id": [e.external_id for e in rows],
            "device": [e.device for e in rows],
            "stream": [e.stream for e in rows],
            "kind": [e.kind for e in rows],
            "grid": [e.grid for e in rows],
            "block": [e.block for e in rows],
            "id": [e.correlation for e in rows],
            "finish": [e.process == DEVICE for e in rows],
            "registers": [e.registers for e in rows],
            "shared_memory": [e.shared_memory for e in rows],
            "arguments": [sizes.index(e.sizes) if e.sizes else MISSING for e in rows],
            "bytes_moved": [MISSING] * len(rows),
        }
        shapes = {"grid": (-1, 3), "block": (-1, 3)}
        wide = ("start_ns", "duration_ns", "correlation", "external_id", "stream", "bytes_moved")
        types = {"kind": np.uint8, "finish": np.bool_} | dict.fromkeys((*wide, "id"), np.int64)
        return kind(
            **{
                f.name: np.array(values[f.name], types.get(f.name, np.int32)).reshape(
                    shapes.get(f.name, (-1,))
                )
                for f in fields(kind)
            }
        )

    return Trace(
        device_work=columns(DeviceWork, of["work"]),
        calls=columns(Calls, of["call"]),
        ops=columns(Ops, of["op"]),
        annotations=columns(Spans, of["annotation"]),
        overheads=columns(Spans, of["overhead"]),
        flows=columns(Flows, of["flow"]),
        names=tuple(names),
        processes=tuple(str(p) for p in processes),
        threads=tuple(str(t) for t in threads),
        event_count=len(events),
        arguments=tuple(Arguments(one, ("",) * len(one)) for one in sizes),
    )
