"""Reads what Nsight Systems exports with `nsys export --type sqlite` into a `Trace`."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np

from tracelens.errors import TraceError
from tracelens.formats.nsight_columns import (
    CALLS,
    COPIES,
    GRAPHS,
    KERNELS,
    RANGES,
    SETS,
    NsightColumns,
    apart,
    owners_within,
)
from tracelens.formats.nsight_database import Database, Texts, open_database
from tracelens.formats.nsight_findings import nsight_findings
from tracelens.formats.trace_findings import lost_findings, mended_findings
from tracelens.model.intervals import Bools, Int64s
from tracelens.model.trace import (
    MISSING,
    Calls,
    Device,
    DeviceWork,
    Flows,
    Ops,
    Spans,
    Trace,
    joined,
)

SQLITE_MAGIC = b"SQLite format 3\0"

_ACTIVITY = "CUPTI_ACTIVITY_KIND_"
_GRAPHS = f"{_ACTIVITY}GRAPH_TRACE"
_DEVICE_WORK = (
    (f"{_ACTIVITY}KERNEL", KERNELS, NsightColumns.kernels),
    (f"{_ACTIVITY}MEMCPY", COPIES, NsightColumns.copies),
    (f"{_ACTIVITY}MEMSET", SETS, NsightColumns.sets),
    (_GRAPHS, GRAPHS, NsightColumns.graphs),
)
_CALLS = (f"{_ACTIVITY}RUNTIME", f"{_ACTIVITY}DRIVER")  # newer exports have both in the first
_RANGES = "NVTX_EVENTS"
_STRINGS = "StringIds"
_GPUS = "TARGET_INFO_GPU"
_EXPORT = "META_DATA_EXPORT"
_VERSIONS = {
    "EXPORT_PRODUCT_VERSION": "nsight_systems",
    "EXPORT_SCHEMA_VERSION": "nsight_systems_schema",
}
_CORRELATIONS = 1 << 32
_TABLES_SHOWN = 5

RecordsT = TypeVar("RecordsT", DeviceWork, Calls)


def read_nsight_sqlite(file: BinaryIO, *, recover: bool, max_expanded_bytes: int) -> Trace:
    """Read the trace that an open SQLite file holds. Raises and recovers as `read_trace` says.

    Records of synchronisation are not read: they are no device work, and the calls that wait are
    among the calls. `max_expanded_bytes` has no use here: nothing in the file is compressed.
    """
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise TraceError("it is an SQLite database in a pipe", "Write it to a file first.")
    with open_database(Path(file.name), recover=recover) as database:
        _check_origin(database)
        trace = _trace(database)
    if trace.event_count == 0:
        raise TraceError("it holds no events", "Record with `nsys profile --trace=cuda,nvtx`.")
    return trace


def _check_origin(database: Database) -> None:
    if _STRINGS not in database.tables:
        shown = ", ".join(repr(name[:40]) for name in sorted(database.tables)[:_TABLES_SHOWN])
        raise TraceError(
            f"it is an SQLite database without Nsight Systems' table {_STRINGS}; "
            f"its tables: {shown or 'none'}",
            "Pass what `nsys export --type sqlite report.nsys-rep` writes.",
        )


def _trace(database: Database) -> Trace:
    columns = NsightColumns(_strings(database))
    work, contexts, whole = _device_work(database, columns)
    calls = joined(
        [columns.calls(r) for table in _CALLS for r, _ in database.batches(table, CALLS)]
    )
    ranges = joined([columns.ranges(*b) for b in database.batches(_RANGES, RANGES, text="text")])
    event_count = len(work) + len(calls) + len(ranges)
    places = np.column_stack((work.process, work.device))
    work = replace(work, stream=apart(work.stream, owners_within(places, contexts)))
    work, calls, shared = _told_apart(work, calls, columns.processes.texts)
    repeated = whole & np.isin(work.correlation, work.correlation[~whole])
    repeated &= work.correlation != MISSING
    work = work.take(~repeated)
    names = columns.names.texts
    return Trace(
        device_work=work,
        calls=calls,
        ops=_no_ops(),
        annotations=ranges,
        overheads=_no_spans(),
        flows=_no_flows(),
        names=names,
        processes=columns.processes.texts,
        threads=columns.threads.texts,
        event_count=event_count,
        devices=_devices(database),
        versions=_versions(database),
        complete=database.cut is None,
        findings=(
            *mended_findings(database.damage),
            *lost_findings(database.cut, unreadable=0),
            *nsight_findings(
                whole_graphs=int((whole & ~repeated).sum()),
                shared_ids=shared,
                unnamed=sum(_unnamed(r.name, names) for r in (work, calls, ranges)),
            ),
        ),
    )


def _strings(database: Database) -> dict[int, str]:
    return {
        number: text
        for rows, texts in database.batches(_STRINGS, ("id",), text="value")
        for number, text in zip(rows["id"].tolist(), texts, strict=True)
        if text is not None
    }


def _device_work(database: Database, columns: NsightColumns) -> tuple[DeviceWork, Int64s, Bools]:
    """Read device work, the context of each row, and which rows are whole graphs."""
    blocks, contexts, whole = [], [], []
    for table, names, read in _DEVICE_WORK:
        for rows, _ in database.batches(table, names):
            blocks.append(read(columns, rows))
            contexts.append(rows["contextId"])
            whole.append(np.full(len(rows["start"]), table == _GRAPHS))
    return joined(blocks), np.concatenate(contexts), np.concatenate(whole)


def _told_apart(
    work: DeviceWork, calls: Calls, processes: tuple[str, ...]
) -> tuple[DeviceWork, Calls, int]:
    """Give each process ids of its own, for each counts them from 1; say how many had to.

    Where a record does not say its process, or an id is no id, all are left as they are.
    """
    owners = np.unique(np.concatenate((work.process, calls.process)))
    known = all(processes[owner] for owner in owners)
    largest = max(int(r.correlation.max(initial=0)) for r in (work, calls))
    if len(owners) < 2 or not known or largest >= _CORRELATIONS:
        return work, calls, 0

    def raised(records: RecordsT) -> RecordsT:
        owner = np.searchsorted(owners, records.process)
        return replace(records, correlation=apart(records.correlation, owner))

    return raised(work), raised(calls), len(owners)


def _unnamed(numbers: np.ndarray[tuple[int], np.dtype[np.int32]], names: tuple[str, ...]) -> int:
    return int((numbers == names.index("")).sum()) if "" in names else 0


def _devices(database: Database) -> tuple[Device, ...]:
    return tuple(
        Device(
            id=number,
            name=name or None,
            multiprocessors=multiprocessors if multiprocessors > 0 else None,
        )
        for rows, names in database.batches(_GPUS, ("id", "smCount"), text="name")
        for number, multiprocessors, name in zip(
            rows["id"].tolist(), rows["smCount"].tolist(), names, strict=True
        )
    )


def _versions(database: Database) -> dict[str, str]:
    # of a damaged table, one column may end earlier than the other
    stated = zip(_texts(database, "name"), _texts(database, "value"), strict=False)
    return {_VERSIONS[name]: value for name, value in stated if name in _VERSIONS and value}


def _texts(database: Database, column: str) -> Texts:
    return [text for _, texts in database.batches(_EXPORT, (), text=column) for text in texts]


def _no_spans() -> Spans:
    ids, times = np.empty(0, np.int32), np.empty(0, np.int64)
    return Spans(
        name=ids, start_ns=times, duration_ns=times, process=ids, thread=ids, external_id=times
    )


def _no_ops() -> Ops:
    return Ops.of(_no_spans(), np.empty(0, np.int32))


def _no_flows() -> Flows:
    ids, times = np.empty(0, np.int32), np.empty(0, np.int64)
    return Flows(id=times, start_ns=times, process=ids, thread=ids, finish=np.empty(0, np.bool_))
