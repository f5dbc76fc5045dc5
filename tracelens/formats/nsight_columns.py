"""Rows of an Nsight Systems export to the columns of a trace.

Names and ids as the exporter's schema reference gives them:
https://docs.nvidia.com/nsight-systems/UserGuide/index.html#sqlite-schema-reference
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tracelens.formats.labels import Labels, int32s
from tracelens.formats.nsight_database import ABSENT, Integers, Texts
from tracelens.model.intervals import Bools, Int64s, Ints
from tracelens.model.trace import (
    KERNEL,
    MEMCPY,
    MEMSET,
    MISSING,
    UNKNOWN_NS,
    Calls,
    DeviceWork,
    Int32s,
    Spans,
)

_TIMES = ("start", "end")
_PLACE = (*_TIMES, "deviceId", "contextId", "streamId", "correlationId", "globalPid")
_GRID, _BLOCK = ("gridX", "gridY", "gridZ"), ("blockX", "blockY", "blockZ")
_NAMES = ("demangledName", "shortName", "mangledName")  # the fullest first
_SHARED = ("staticSharedMemory", "dynamicSharedMemory")

KERNELS = (*_PLACE, *_NAMES, *_GRID, *_BLOCK, "registersPerThread", *_SHARED)
COPIES = (*_PLACE, "bytes", "copyKind")
SETS = (*_PLACE, "bytes")
GRAPHS = (*_PLACE, "graphId")
CALLS = (*_TIMES, "globalTid", "correlationId", "nameId")
RANGES = (*_TIMES, "eventType", "globalTid", "textId")
"""The columns of each table that are read."""

_RANGE_TYPES = (59, 60)  # push and pop; start and end
_ID_BITS = 24
"""A global id is a machine, a process of 24 bits and, of a thread, a thread of 24 bits."""

_COPY_KINDS = dict(
    enumerate(("HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"), 1)
) | {11: "unified HtoD", 12: "unified DtoH", 13: "unified DtoD"}
"""CUpti_ActivityMemcpyKind, and the exporter's own kinds for pages of unified memory."""


class NsightColumns:
    """Turns batches of rows into columns. A name that `strings` does not hold is empty."""

    def __init__(self, strings: Mapping[int, str]) -> None:
        self.names = Labels()
        self.processes = Labels()
        self.threads = Labels()
        self._strings = strings
        self._machine: int | None = None

    def kernels(self, rows: Integers) -> DeviceWork:
        """Return kernels, as many as rows."""
        name = rows[_NAMES[0]]
        for other in _NAMES[1:]:
            name = np.where(name == ABSENT, rows[other], name)
        return replace(
            self._work(rows, kind=KERNEL, name=self._named(name)),
            grid=_triples(rows, _GRID),
            block=_triples(rows, _BLOCK),
            registers=int32s(rows["registersPerThread"]),
            shared_memory=int32s(_sum(rows[_SHARED[0]], rows[_SHARED[1]])),
        )

    def copies(self, rows: Integers) -> DeviceWork:
        """Return copies, as many as rows."""
        name = _labelled(self.names, rows["copyKind"], _copy_name)
        return self._work(rows, kind=MEMCPY, name=name)

    def sets(self, rows: Integers) -> DeviceWork:
        """Return sets, as many as rows."""
        name = _labelled(self.names, np.zeros_like(rows["start"]), lambda _: "Memset")
        return self._work(rows, kind=MEMSET, name=name)

    def graphs(self, rows: Integers) -> DeviceWork:
        """Return whole executions of graphs, as many as rows."""
        name = _labelled(self.names, rows["graphId"], _graph_name)
        return self._work(rows, kind=KERNEL, name=name)

    def calls(self, rows: Integers) -> Calls:
        """Return API calls, as many as rows."""
        return Calls(
            name=self._named(rows["nameId"]),
            start_ns=rows["start"],
            duration_ns=_durations(rows),
            process=self._process(rows["globalTid"]),
            thread=self._thread(rows["globalTid"]),
            correlation=_known(rows["correlationId"]),
            external_id=np.full(len(rows["start"]), MISSING, np.int64),
        )

    def ranges(self, rows: Integers, texts: Texts) -> Spans:
        """Return the ranges among the rows: marks and what names a domain are none."""
        chosen = np.flatnonzero(np.isin(rows["eventType"], _RANGE_TYPES))
        rows = {name: column[chosen] for name, column in rows.items()}
        name = self._named(rows["textId"])
        for place, row in enumerate(chosen):
            if (text := texts[row]) is not None:
                name[place] = self.names[text]
        return Spans(
            name=name,
            start_ns=rows["start"],
            duration_ns=_durations(rows),
            process=self._process(rows["globalTid"]),
            thread=self._thread(rows["globalTid"]),
            external_id=np.full(len(chosen), MISSING, np.int64),
        )

    def _work(self, rows: Integers, *, kind: int, name: Int32s) -> DeviceWork:
        none = np.full(len(name), MISSING, np.int32)
        no_shape = np.full((len(name), 3), MISSING, np.int32)
        return DeviceWork(
            kind=np.full(len(name), kind, np.uint8),
            name=name,
            start_ns=rows["start"],
            duration_ns=_durations(rows),
            process=self._process(rows["globalPid"]),
            device=int32s(rows["deviceId"]),
            stream=_known(rows["streamId"]),
            correlation=_known(rows["correlationId"]),
            external_id=none.astype(np.int64),
            grid=no_shape,
            block=no_shape,
            registers=none,
            shared_memory=none,
            bytes_moved=_known(rows["bytes"]) if "bytes" in rows else none.astype(np.int64),
        )

    def _named(self, ids: Int64s) -> Int32s:
        return _labelled(self.names, ids, lambda number: self._strings.get(number, ""))

    def _process(self, global_ids: Int64s) -> Int32s:
        return _labelled(self.processes, global_ids >> _ID_BITS, self._process_name)

    def _process_name(self, process: int) -> str:
        if process == ABSENT >> _ID_BITS:
            return ""
        machine, number = process >> _ID_BITS, process & ((1 << _ID_BITS) - 1)
        if self._machine is None:
            self._machine = machine
        return str(number) if machine == self._machine else f"{number} (machine {machine})"

    def _thread(self, global_ids: Int64s) -> Int32s:
        numbers = np.where(global_ids == ABSENT, ABSENT, global_ids & ((1 << _ID_BITS) - 1))
        return _labelled(self.threads, numbers, lambda n: "" if n == ABSENT else str(n))


def apart(ids: Int64s, owner: Int64s) -> Int64s:
    """Return ids that no two owners share: those of owner `k` are raised by `k * 2**32`."""
    return np.where(ids == MISSING, MISSING, ids + (owner << 32))


def owners_within(places: Ints, owners: Int64s) -> Int64s:
    """Number the owners of each place from 0. `places` has a row of numbers per owner."""
    if len(owners) == 0 or (owners == owners[0]).all():
        return np.zeros(len(owners), np.int64)
    keys, key = np.unique(np.column_stack((places, owners)), axis=0, return_inverse=True)
    opens: Bools = np.ones(len(keys), np.bool_)
    opens[1:] = (keys[1:, :-1] != keys[:-1, :-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(opens, np.arange(len(keys)), 0))
    owner: Int64s = (np.arange(len(keys)) - first)[key.reshape(-1)]
    return owner


def _labelled(labels: Labels, values: Int64s, text: Callable[[int], str]) -> Int32s:
    """Return the numbers of labels, each spelled once however many rows have it."""
    distinct, place = np.unique(values, return_inverse=True)
    numbers = np.array([labels[text(value)] for value in distinct.tolist()], np.int32)
    return numbers[place]


def _copy_name(kind: int) -> str:
    return f"Memcpy {_COPY_KINDS[kind]}" if kind in _COPY_KINDS else "Memcpy"


def _graph_name(graph: int) -> str:
    return "CUDA graph" if graph == ABSENT else f"CUDA graph {graph}"


def _known(ids: Int64s) -> Int64s:
    return np.where(ids == ABSENT, MISSING, ids)


def _durations(rows: Integers) -> Int64s:
    """Return end minus start; unknown where one is, and where the difference exceeds int64."""
    start, end = rows["start"], rows["end"]
    durations = end - start
    wrapped = ((end ^ start) & (end ^ durations)) < 0
    unknown = (start == ABSENT) | (end == ABSENT) | wrapped
    return np.where(unknown, UNKNOWN_NS, durations)


def _triples(rows: Integers, names: tuple[str, str, str]) -> Int32s:
    return int32s(np.column_stack([rows[name] for name in names]))


def _sum(one: Int64s, other: Int64s) -> Int64s:
    return np.where((one == ABSENT) | (other == ABSENT), ABSENT, one + other)
