"""Reads a Chrome trace, as torch.profiler and Kineto export it, into a `Trace`."""

from __future__ import annotations

import re
from typing import BinaryIO

from tracelens.errors import TraceError, TruncatedTraceError
from tracelens.formats.chrome_columns import TraceColumns
from tracelens.formats.chrome_document import ChromeDocument
from tracelens.formats.chrome_events import Event
from tracelens.formats.chrome_header import devices_of, versions_of
from tracelens.formats.chrome_later import later_half
from tracelens.formats.chunks import Chunks
from tracelens.formats.json_window import Window
from tracelens.formats.trace_findings import (
    lost_findings,
    mended_findings,
    open_findings,
)
from tracelens.model.trace import Trace, joined

_RECORD = "Record the trace again."
_NOT_A_TRACE = "Pass a trace that torch.profiler exported (export_chrome_trace)."
_RECOVER = "Record it again, or read what is left with --recover: sums are then lower bounds."
_NAME_TOLD = 80
_NUMBER = re.compile(rb'"?[0-9.eE+-]{1,40}"?')


def read_chrome_trace(file: BinaryIO, *, recover: bool, max_expanded_bytes: int) -> Trace:
    """Read the trace that a file holds. Raises and recovers as `read_trace` says."""
    with later_half(file, max_expanded_bytes=max_expanded_bytes) as later:
        chunks = Chunks(file, max_expanded_bytes=max_expanded_bytes)
        document = ChromeDocument(Window(chunks), recover=recover, later=later)
        columns = _columns(document, chunks)
    cut = chunks.damage or document.cut
    if columns.last is None:
        raise _without_events(columns.event_count, cut)
    if cut is not None:
        cut = f"{cut}; {_told(columns.last)}"
        if not recover:
            raise TruncatedTraceError(cut, _RECOVER)
    return _trace(columns, document, cut)


def _columns(document: ChromeDocument, chunks: Chunks) -> TraceColumns:
    columns = TraceColumns()
    try:
        for entries in document:
            columns.add(entries)
    except TraceError as error:
        if chunks.damage is None:
            raise
        raise TruncatedTraceError(f"{chunks.damage}; {error.fact}", _RECORD) from error
    columns.finish()
    return columns


def _trace(columns: TraceColumns, document: ChromeDocument, cut: str | None) -> Trace:
    damage = document.damage
    return Trace(
        device_work=joined(columns.device_work),
        calls=joined(columns.calls),
        ops=joined(columns.ops),
        annotations=joined(columns.annotations),
        overheads=joined(columns.overheads),
        flows=joined(columns.flows),
        names=columns.names.texts,
        processes=columns.processes.texts,
        threads=columns.threads.texts,
        event_count=columns.event_count,
        arguments=columns.arguments.decoded(),
        devices=devices_of(document.header),
        versions=versions_of(document.header),
        complete=cut is None and not damage.unreadable,
        findings=(
            *mended_findings(damage.mended),
            *lost_findings(cut, unreadable=len(damage.unreadable)),
            *open_findings(open_ended=document.open_ended and cut is None),
        ),
    )


def _told(event: Event) -> str:
    ts = bytes(event.ts)
    when = f" at ts {ts.decode()}" if _NUMBER.fullmatch(ts) else ""
    return f"the last whole event is {event.name[:_NAME_TOLD]!r}{when}"


def _without_events(entries: int, cut: str | None) -> TraceError:
    if cut:
        return TruncatedTraceError(f"{cut}; no whole event stands before", _RECORD)
    if entries:
        return TraceError(f"none of its {entries:,} entries is a trace event", _NOT_A_TRACE)
    return TraceError("it holds no events", _RECORD)
