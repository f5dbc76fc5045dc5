"""Small Nsight Systems exports, made row by row: what tests of their reader share."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tracelens.formats import read_trace

PROCESS, THREAD = 4321, 4330
MACHINE = 1 << 48

COLUMNS = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "TARGET_INFO_GPU": "id INTEGER, name TEXT, smCount INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER, shortName INTEGER, mangledName INTEGER, registersPerThread INTEGER,"
    " gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
    " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " graphId INTEGER, graphExecId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, eventClass INTEGER,"
    " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,"
    " endGlobalTid INTEGER, textId INTEGER, domainId INTEGER",
}
"""Tables as nsys 2025 writes them, less the columns that nobody here reads."""

STRINGS = (
    "void add<float>(float*)",
    "add",
    "cudaLaunchKernel_v7000",
    "cudaDeviceSynchronize_v3020",
)
ADD, SHORT_ADD, LAUNCH, SYNC = range(1, 5)
"""The ids of these strings."""


def process_id(process=PROCESS):
    return MACHINE | process << 24


def thread_id(process=PROCESS, thread=THREAD):
    return process_id(process) | thread


PLACE = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": process_id()}
NAMES = {"demangledName": ADD, "shortName": SHORT_ADD}
SHAPE = {"gridX": 8, "gridY": 2, "gridZ": 1, "blockX": 128, "blockY": 1, "blockZ": 1}
MEMORY = {"registersPerThread": 32, "staticSharedMemory": 48, "dynamicSharedMemory": 1024}


def kernel(start, end, *, by, **more):
    """A row of a kernel that a call of that correlation id launched."""
    return piece("KERNEL", start, end, by=by, **{**NAMES, **SHAPE, **MEMORY, **more})


def piece(sort, start, end, *, by, **more):
    """A row of a kernel, a copy, a set or a whole graph."""
    row = {"table": f"CUPTI_ACTIVITY_KIND_{sort}", "start": start, "end": end, "correlationId": by}
    return {**row, **PLACE, **more}


def call(start, end, *, called, name=LAUNCH, **more):
    """A row of an API call."""
    row = {"table": "CUPTI_ACTIVITY_KIND_RUNTIME", "start": start, "end": end, "nameId": name}
    return {**row, "correlationId": called, "globalTid": thread_id(), **more}


def nvtx(start, end, text="tracelens::call", **more):
    """A row of a range that was pushed and popped."""
    row = {"table": "NVTX_EVENTS", "start": start, "end": end, "text": text}
    return {**row, "eventType": 59, "globalTid": thread_id(), "domainId": 0, **more}


ROWS = (
    nvtx(1_000, 2_000),
    call(1_100, 1_200, called=1),
    kernel(1_500, 1_800, by=1),
    call(2_100, 2_300, called=2, name=SYNC),
)
"""A call window: one launch of one kernel, and a sync."""


def export(path: Path, *rows, columns=COLUMNS, strings=STRINGS) -> Path:
    """Write an export with those rows; like nsys, only with the tables that have any."""
    with closing(sqlite3.connect(path)) as database:
        for table in ("StringIds", *dict.fromkeys(row["table"] for row in rows)):
            database.execute(f"CREATE TABLE {table} ({columns[table]})")
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(strings, 1))
        for row in rows:
            fields = {name: value for name, value in row.items() if name != "table"}
            places = ", ".join("?" * len(fields))
            database.execute(
                f"INSERT INTO {row['table']} ({', '.join(fields)}) VALUES ({places})",
                [*fields.values()],
            )
        database.commit()
    return path


def read(folder: Path, *rows, recover=False, **options):
    """Read an export with those rows."""
    return read_trace(export(folder / "report.sqlite", *rows, **options), recover=recover)
