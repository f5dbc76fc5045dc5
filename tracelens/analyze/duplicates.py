"""Records that stand in the file twice: exact duplicates count once."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from tracelens.analyze.grouping import first_of_group, first_rows, group
from tracelens.model.report import Finding
from tracelens.model.trace import KERNEL, Records, Trace

RecordsT = TypeVar("RecordsT", bound=Records)


def remove_duplicates(trace: Trace) -> tuple[Trace, tuple[Finding, ...]]:
    """Return the trace with every record that equals another in all fields counted once."""
    work = _distinct(trace.device_work)
    calls = _distinct(trace.calls)
    ops = _distinct(trace.ops)
    annotations = _distinct(trace.annotations)
    removed = {
        "kernel": int(
            (trace.device_work.kind == KERNEL).sum() - (work.kind == KERNEL).sum(),
        ),
        "copy or set": int((trace.device_work.kind != KERNEL).sum() - (work.kind != KERNEL).sum()),
        "API": len(trace.calls) - len(calls),
        "framework op": len(trace.ops) - len(ops),
        "annotation": len(trace.annotations) - len(annotations),
    }
    if not any(removed.values()):
        return trace, ()
    listed = " and ".join(
        f"{count} duplicated {what} record{'s' if count > 1 else ''}"
        for what, count in removed.items()
        if count
    )
    finding = Finding(
        tag="records/duplicates",
        severity="warning",
        fact=f"{listed} removed: equal in every field to another record",
        advice="check whether one session was exported or merged twice",
    )
    once = replace(trace, device_work=work, calls=calls, ops=ops, annotations=annotations)
    return once, (finding,)


def _distinct(records: RecordsT) -> RecordsT:
    order = np.argsort(records.start_ns, kind="stable")
    tied = np.flatnonzero(~first_of_group(records.start_ns[order]))
    if len(tied) == 0:
        return records
    suspected = np.zeros(len(records), np.bool_)
    suspected[order[tied]] = suspected[order[tied - 1]] = True
    suspects = np.flatnonzero(suspected)
    columns = [
        getattr(records, f.name)[suspects].reshape(len(suspects), -1) for f in fields(records)
    ]
    groups, count = group(*np.concatenate(columns, axis=1).astype(np.int64).T)
    if count == len(suspects):
        return records
    keep = ~suspected
    keep[suspects[first_rows(groups, count)]] = True
    return records.take(keep)
