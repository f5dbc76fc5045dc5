"""A copy of a trace to attach to an issue: without what is private, and small enough."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from msgspec import Raw

from tracelens.errors import ExportError
from tracelens.formats.chrome_anew import events_anew, header_anew
from tracelens.formats.chrome_copy import ChromeCopy, UncopyableError
from tracelens.formats.chrome_writing import SEPARATOR
from tracelens.formats.decimals import nanoseconds
from tracelens.formats.redacted_events import Fields, RedactedEvents, entries, texts_of
from tracelens.formats.redaction import Redactor
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES, read_trace
from tracelens.model.dossier import Attachment
from tracelens.model.intervals import Intervals
from tracelens.model.quantity import spell_ns
from tracelens.model.trace import UNKNOWN_NS

LIMIT_BYTES = 25_000_000
"""What GitHub takes as one attached file: 25 MB."""

_GZIP = 31  # zlib's `wbits`: a gzip header, the largest window
_LEVEL = 6
_MARGIN = 0.9
_MOST_TRIES = 8
_EDGE_NS = 1_000
"""What begins or ends as near to a window is kept: the two clocks of a trace are as far apart."""

_STACKS = b'"python_function"'
_ANEW = "only device work, API calls, ops and annotations: no other events could be copied"
_CUT = "its file is damaged"
_HINT = "Write the issue without it: --no-trace."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """Which events stay: those that touch these intervals, or all; with Python's stack or not."""

    windows: Intervals | None = None
    of_windows: Intervals = field(default_factory=Intervals.none)
    stacks: bool = True

    def shortened(self, share: float) -> _Choice:
        """Keep the first part of the windows, so that as much of their time is left."""
        whole = self.of_windows if self.windows is None else self.windows
        left_ns = max(int(whole.length_ns * share), 1)
        used_ns = np.cumsum(whole.ends - whole.starts)
        kept = int(np.searchsorted(used_ns, left_ns, side="right"))
        if kept:
            return replace(self, windows=Intervals(whole.starts[:kept], whole.ends[:kept]))
        return replace(self, windows=Intervals(whole.starts[:1], whole.starts[:1] + left_ns))


@dataclass(slots=True)
class _Written:
    size: int = 0
    events: int = 0
    kept: int = 0
    stacks: int = 0
    anew: bool = False
    """Whether it was written from what was read, for the file's own events cannot be copied."""
    cut: str | None = None
    """Where the source ends early."""


def write_shrunk_trace(
    target: Path,
    *,
    source: Path,
    windows: Sequence[tuple[int, int]],
    redactor: Redactor,
    limit_bytes: int = LIMIT_BYTES,
) -> Attachment:
    """Write a trace to a new gzip file of at most `limit_bytes`, redacted.

    Where all of it is too large, events outside `windows` (`[start, end)` in ns) are dropped first,
    then Python's stack, then the last windows; the attachment says which. Raises ExportError where
    the file cannot be written or made small enough, TraceError where the source cannot be read.
    """
    starts, ends = zip(*windows, strict=True) if windows else ((), ())
    choice = _Choice(of_windows=Intervals.of(starts, ends))
    try:
        for _ in range(_MOST_TRIES):
            counted = redactor.counts.copy(), redactor.found.copy()
            written = _write(target, source, choice, redactor)
            if written.size <= limit_bytes:
                return _attachment(target, written, choice)
            redactor.counts, redactor.found = counted  # that file is not the one that leaves
            choice = _smaller(choice, _MARGIN * limit_bytes / written.size)
    except OSError as reason:
        why = reason.strerror or reason
        raise ExportError(f"{target}: cannot be written: {why}", _HINT) from None
    target.unlink()
    raise ExportError(f"{source} cannot be made smaller than {limit_bytes:,} bytes", _HINT)


def trace_texts(path: Path) -> tuple[str, ...]:
    """Return every string of a trace once, sorted: all that its file tells in words."""
    found: set[str] = set()
    copy = ChromeCopy(path, max_expanded_bytes=MAX_EXPANDED_BYTES)
    for block in copy:
        for fields in entries(block):
            for value in fields.values():
                found.update(texts_of(bytes(value)))
    for key, text in copy.header.items():
        found.update((key.decode(errors="replace"), *texts_of(text)))
    return tuple(sorted(found))


def _smaller(choice: _Choice, share: float) -> _Choice:
    """Return the next choice: the windows alone, then without stacks, then fewer windows."""
    if choice.windows is None and len(choice.of_windows):
        return replace(choice, windows=choice.of_windows)
    if choice.stacks:
        return replace(choice, stacks=False)
    return choice.shortened(share) if len(choice.of_windows) else choice


def _write(target: Path, source: Path, choice: _Choice, redactor: Redactor) -> _Written:
    copy = ChromeCopy(source, max_expanded_bytes=MAX_EXPANDED_BYTES)
    try:
        written = _written(target, copy, copy.header, choice, redactor)
        return replace(written, cut=copy.cut)
    except UncopyableError:
        trace = read_trace(source, recover=True)
        written = _written(target, events_anew(trace), header_anew(trace), choice, redactor)
        return replace(written, anew=True, cut=None if trace.complete else _CUT)


def _written(
    target: Path,
    blocks: Iterable[bytes],
    header: dict[bytes, bytes],
    choice: _Choice,
    redactor: Redactor,
) -> _Written:
    written = _Written()
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    with target.open("wb") as file:
        for text in _document(blocks, header, choice, written, RedactedEvents(redactor)):
            written.size += file.write(packing.compress(text))
        written.size += file.write(packing.flush())
    return written


def _document(
    blocks: Iterable[bytes],
    header: dict[bytes, bytes],
    choice: _Choice,
    written: _Written,
    events: RedactedEvents,
) -> Iterator[bytes]:
    """Return the text of a trace. `header` is looked at after the last block."""
    before = b'{"traceEvents":[\n'
    for block in blocks:
        chosen = _chosen(list(entries(block)), choice, written)
        if chosen:
            yield before + SEPARATOR.join(map(events.event, chosen))
            before = SEPARATOR
    yield b"\n]" if before == SEPARATOR else before + b"]"
    for key, value in events.header(header):
        yield b',\n"%b":%b' % (key, value)
    yield b"}\n"


def _chosen(found: list[Fields], choice: _Choice, written: _Written) -> list[Fields]:
    chosen = found
    if not choice.stacks:
        chosen = [event for event in chosen if bytes(event.get("cat", b"")) != _STACKS]
        written.stacks += len(found) - len(chosen)
    if choice.windows is not None:
        chosen = _touching(chosen, choice.windows)
    written.events += len(found)
    written.kept += len(chosen)
    return chosen


def _touching(found: list[Fields], windows: Intervals) -> list[Fields]:
    """Keep the events that touch a window, and those without a time, which name things."""
    empty = Raw(b"")
    starts = nanoseconds([event.get("ts", empty) for event in found])
    durations = nanoseconds([event.get("dur", empty) for event in found])
    ends = starts + np.where(durations == UNKNOWN_NS, 0, durations)
    following = np.searchsorted(windows.ends, starts - _EDGE_NS, side="right")
    inside = following < len(windows)
    touches = np.zeros(len(found), np.bool_)
    touches[inside] = windows.starts[following[inside]] <= ends[inside] + _EDGE_NS
    return [
        event
        for event, touching in zip(found, touches.tolist(), strict=True)
        if touching or bytes(event.get("ph", empty)) == b'"M"'
    ]


def _attachment(target: Path, written: _Written, choice: _Choice) -> Attachment:
    omitted = []
    if choice.windows is not None:
        kept_ns, all_ns = choice.windows.length_ns, choice.of_windows.length_ns
        omitted.append(
            f"{written.events - written.kept:,} of {written.events:,} events were dropped to fit "
            f"an attachment: kept are those of {len(choice.windows)} of {len(choice.of_windows)} "
            f"windows, {spell_ns(kept_ns)} of {spell_ns(all_ns)}"
        )
    if written.cut is not None:
        omitted.append(f"what the recorded file lacks: {written.cut}")
    if written.anew:
        omitted.append(_ANEW)
    if written.stacks:
        omitted.append(f"{written.stacks:,} of them are Python's stack (python_function)")
    return Attachment(
        name=target.name,
        size=written.size,
        holds=f"{written.kept:,} events, as Chrome trace (Perfetto opens it)",
        omitted=tuple(omitted),
    )
