"""The later half of a large trace, read by a second process while the first reads the rest.

Both know of the same place: the first past a given byte where one event seems to end and the next
to begin. The first process proves it, when the block that it cuts there decodes, and takes over
what the second has read. In every other case, damage and odd layouts among them, the first process
reads on by itself: the second then costs time, never an event.
"""

from __future__ import annotations

import os
import pickle
import signal
import stat
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from select import select
from typing import BinaryIO, NoReturn

from tracelens.formats.chrome_blocks import EVENT_AND_NEXT, End, EventArray, Later, LaterPart
from tracelens.formats.chrome_columns import TraceColumns
from tracelens.formats.chrome_entries import Damage
from tracelens.formats.chunks import Chunks, told_bytes
from tracelens.formats.json_window import Window

LARGE_BYTES = 64 << 20
"""JSON from which a second process pays: below, it saves less than a tenth of a second."""

PATIENCE_S = 5.0
"""How long to wait for the other process, beyond the time that it has had: it may be stuck."""

_HANDED_BYTES = 1 << 20
"""The most text after the events that is handed over."""


@contextmanager
def later_half(file: BinaryIO, *, max_expanded_bytes: int) -> Iterator[Later | None]:
    """Let another process read the later half of a file. None where that cannot be or does not pay.

    The process is killed on the way out, whatever it is at.
    """
    middle = _middle(file)
    forked = None if middle is None else _forked()
    if middle is None or forked is None:
        yield None
        return
    child, receiving, sending = forked
    if child == 0:
        _send_and_exit(sending, file.fileno(), middle, max_expanded_bytes)
    os.close(sending)
    try:
        yield Later(middle, partial(_received, receiving, time.monotonic()))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(receiving)


def _middle(file: BinaryIO) -> int | None:
    """Choose the byte of the text from which the other process reads, so that both end together."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return None
    if threading.active_count() > 1:  # a lock that another thread holds stays locked in a fork
        return None
    try:
        descriptor = file.fileno()
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    size, compressed = told_bytes(descriptor)
    if size < LARGE_BYTES:
        return None
    # the other has all of a gzip file to expand, which takes a quarter of the time to read it
    return size * 9 // 16 if compressed else size // 2


def _forked() -> tuple[int, int, int] | None:
    """Fork. Returns the child's id, or 0 in the child, and a pipe's ends to read and to write."""
    receiving, sending = os.pipe()
    try:
        with warnings.catch_warnings():
            # Python warns of the threads of numpy's linear algebra, of which the child has no need
            warnings.simplefilter("ignore", DeprecationWarning)
            return os.fork(), receiving, sending
    except OSError:
        os.close(receiving)
        os.close(sending)
        return None


def _send_and_exit(sending: int, shared: int, middle: int, max_expanded_bytes: int) -> NoReturn:
    """Be the other process: read, send what was read, and leave without a word."""
    try:
        # the same file whatever its path leads to by now, at a position of its own
        with Path(f"/proc/self/fd/{shared}").open("rb") as file:
            part = _read_from(middle, Chunks(file, max_expanded_bytes=max_expanded_bytes))
        with open(sending, "wb") as pipe:
            pickle.dump(part, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)


def _received(receiving: int, start: float) -> LaterPart | None:
    """Return what the other process sends; None where it has nothing, or nothing yet."""
    had_s = time.monotonic() - start
    if not select([receiving], [], [], had_s + PATIENCE_S)[0]:
        return None
    with open(receiving, "rb", closefd=False) as pipe, suppress(EOFError, pickle.PickleError):
        part: LaterPart | None = pickle.load(pipe)
        return part
    return None


def _read_from(middle: int, chunks: Chunks) -> LaterPart | None:
    """Read events from a byte to the end of their array; None where anything is out of the way."""
    window = Window(chunks.past(middle), start=middle)
    while (cut := EVENT_AND_NEXT.search(window.text)) is None:
        if window.ended:
            return None
        window.extend()
    start = window.position + cut.start() + 1
    window.drop(cut.end() - 1)
    damage = Damage()
    columns = TraceColumns()
    array = EventArray(window, damage, recover=False)
    for entries in array:
        columns.add(entries)
    columns.finish()
    while not window.ended and len(window.text) < _HANDED_BYTES:
        window.extend()
    part = columns.part()
    whole = array.end in (End.CLOSED, End.OPEN)
    if part is None or not whole or not window.ended or chunks.damage:
        return None
    bracket = b"]" if array.end is End.CLOSED else b""
    return LaterPart(
        start, part, damage.mended, window.position - len(bracket), bracket + window.text
    )
