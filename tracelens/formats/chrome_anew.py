"""A trace from anywhere as events of a Chrome trace, as torch.profiler would write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import orjson

from tracelens.formats.chrome_writing import BLOCK_EVENTS, SEPARATOR, complete_event
from tracelens.model.intervals import Ints
from tracelens.model.trace import (
    KERNEL,
    MEMCPY,
    MEMSET,
    MISSING,
    UNKNOWN_NS,
    Calls,
    DeviceWork,
    Records,
    Spans,
    Trace,
)

_CATEGORIES = {KERNEL: "kernel", MEMCPY: "gpu_memcpy", MEMSET: "gpu_memset"}
_ARGUMENTS = {
    "device": "device",
    "stream": "stream",
    "correlation": "correlation",
    "External id": "external_id",
    "grid": "grid",
    "block": "block",
    "registers per thread": "registers",
    "shared memory": "shared_memory",
    "bytes": "bytes_moved",
}
"""What torch.profiler calls a column, in the order in which it writes them."""

_NOTHING = (MISSING, [MISSING] * 3)

RecordsT = TypeVar("RecordsT", bound=Records)


def events_anew(trace: Trace) -> Iterator[bytes]:
    """Write what a trace holds, in blocks. Records without a place in time are left out."""
    for work in _blocks(trace.device_work):
        yield SEPARATOR.join(_device_events(trace, work))
    for category, records in (
        ("cuda_runtime", trace.calls),
        ("cpu_op", trace.ops),
        ("user_annotation", trace.annotations),
        ("overhead", trace.overheads),
    ):
        for host in _blocks(records):
            yield SEPARATOR.join(_host_events(trace, host, category))


def header_anew(trace: Trace) -> dict[bytes, bytes]:
    """Return what a trace says of its devices, as torch.profiler does beside its events."""
    devices = [
        {"id": device.id, "name": device.name, "numSms": device.multiprocessors}
        for device in trace.devices
    ]
    return {b"deviceProperties": orjson.dumps(devices)} if devices else {}


def _blocks(records: RecordsT) -> Iterator[RecordsT]:
    placed = np.flatnonzero((records.start_ns != UNKNOWN_NS) & (records.duration_ns >= 0))
    for first in range(0, len(placed), BLOCK_EVENTS):
        yield records.take(placed[first : first + BLOCK_EVENTS])


def _device_events(trace: Trace, work: DeviceWork) -> Iterator[bytes]:
    categories = [_CATEGORIES[kind] for kind in work.kind.tolist()]
    # words for ids, as torch.profiler has them too: a viewer shows them as the names of its rows
    processes = [
        f"GPU {device} of process {trace.processes[process]}"
        for process, device in zip(work.process.tolist(), work.device.tolist(), strict=True)
    ]
    threads = [f"stream {stream}" for stream in work.stream.tolist()]
    return _events(trace, work, categories, processes, threads)


def _host_events(trace: Trace, host: Calls | Spans, category: str) -> Iterator[bytes]:
    processes = [_number(trace.processes[process]) for process in host.process.tolist()]
    threads = [_number(trace.threads[thread]) for thread in host.thread.tolist()]
    return _events(trace, host, [category] * len(host), processes, threads)


def _events(
    trace: Trace,
    records: Records,
    categories: list[str],
    processes: list[Any],
    threads: list[Any],
) -> Iterator[bytes]:
    rows = zip(
        categories,
        processes,
        threads,
        records.name.tolist(),
        _arguments(records),
        records.start_ns.tolist(),
        records.duration_ns.tolist(),
        strict=True,
    )
    for category, process, thread, name, arguments, start_ns, duration_ns in rows:
        fields = {"cat": category, "name": trace.names[name], "pid": process, "tid": thread}
        yield complete_event(
            {**fields, "args": arguments}, start_ns=start_ns, duration_ns=duration_ns
        )


def _arguments(records: Records) -> Iterator[dict[str, Any]]:
    """Return what each record has of the fields that torch.profiler writes, without the missing."""
    columns: dict[str, Ints] = {
        name: getattr(records, field)
        for name, field in _ARGUMENTS.items()
        if hasattr(records, field)
    }
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield {
            name: value for name, value in zip(columns, row, strict=True) if value not in _NOTHING
        }


def _number(label: str) -> int | str:
    """Return an id as the number that it is, if it is one."""
    return int(label) if label.isascii() and label.isdigit() and len(label) < 16 else label
