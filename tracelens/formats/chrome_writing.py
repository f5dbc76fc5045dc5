"""Events of the Chrome trace format as text, and tracks of ours in them.

Events come in blocks, so that a large trace is never held as text. Times are decimal microseconds
with three decimals, which is every nanosecond.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from tracelens.model.track import Track

BLOCK_EVENTS = 10_000
SEPARATOR = b",\n"

_PROCESS = 1 << 30
"""The id of the process that has our tracks: no operating system gives it."""

_ON_TOP = -1
"""Its place among the processes: the split reads best above what it splits."""


def track_events(tracks: Sequence[Track]) -> Iterator[bytes]:
    """Write tracks as the threads of a process of our own."""
    threads = [_PROCESS + place for place in range(1, len(tracks) + 1)]
    described = [
        _metadata("process_name", _PROCESS, {"name": "tracelens"}),
        _metadata("process_sort_index", _PROCESS, {"sort_index": _ON_TOP}),
    ]
    for thread, track in zip(threads, tracks, strict=True):
        described.append(_metadata("thread_name", thread, {"name": track.title}))
        described.append(_metadata("thread_sort_index", thread, {"sort_index": thread}))
    yield SEPARATOR.join(described)
    for thread, track in zip(threads, tracks, strict=True):
        for first in range(0, len(track.name), BLOCK_EVENTS):
            yield _slices(track, slice(first, first + BLOCK_EVENTS), thread)


def complete_event(fields: dict[str, Any], *, start_ns: int, duration_ns: int) -> bytes:
    """Return an event with a duration. Its fields are whatever it has beside its times."""
    text = orjson.dumps({"ph": "X", **fields})
    start, duration = _microseconds(start_ns), _microseconds(duration_ns)
    return b'%b,"ts":%b,"dur":%b}' % (text[:-1], start, duration)


def _slices(track: Track, chosen: slice, thread: int) -> bytes:
    columns = (track.name, track.window, track.start_ns, track.duration_ns)
    rows = zip(*(column[chosen].tolist() for column in columns), strict=True)
    lane = {"cat": "tracelens", "pid": _PROCESS, "tid": thread}
    return SEPARATOR.join(
        complete_event(
            {**lane, "name": track.names[name], "args": {"window": window}},
            start_ns=start_ns,
            duration_ns=duration_ns,
        )
        for name, window, start_ns, duration_ns in rows
    )


def _metadata(kind: str, thread: int, arguments: dict[str, str | int]) -> bytes:
    return orjson.dumps(
        {"ph": "M", "name": kind, "pid": _PROCESS, "tid": thread, "ts": 0, "args": arguments}
    )


def _microseconds(ns: int) -> bytes:
    whole, rest = divmod(abs(ns), 1_000)
    return b"%b%d.%03d" % (b"-" if ns < 0 else b"", whole, rest)
