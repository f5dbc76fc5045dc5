"""Trace files of any format: what a file holds is told by how it begins, not by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from tracelens.errors import TraceError
from tracelens.formats.chrome_trace import read_chrome_trace
from tracelens.formats.nsight_sqlite import SQLITE_MAGIC, read_nsight_sqlite
from tracelens.model.trace import Trace

MAX_EXPANDED_BYTES = 16 << 30
"""What a compressed trace may expand to unless told otherwise: 16 GiB, about 50 million events."""


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """A format: the bytes its files begin with, or none where they may be any, and its reader.

    The reader takes the open file, none of it read, and the options of `read_trace`.
    """

    magic: bytes
    read: Callable[..., Trace]


_FORMATS = (
    TraceFormat(SQLITE_MAGIC, read_nsight_sqlite),
    TraceFormat(b"", read_chrome_trace),
)
"""The first that fits reads the file, so the one that fits any file stands last."""

_PACKED = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"\xfd7zXZ": "xz data",
    b"BZh": "bzip2 data",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


def read_trace(
    path: Path, *, recover: bool = False, max_expanded_bytes: int = MAX_EXPANDED_BYTES
) -> Trace:
    """Read a trace from a file, a link to one, or a pipe, plain or gzip.

    Damage that can be mended without touching a number is mended; the trace's findings count it.
    Raises `TraceError` where there is no trace to read or where it expands to more than
    `max_expanded_bytes`, and `TruncatedTraceError` where events are lost, unless `recover` is set:
    then what is left is returned with `complete=False`.
    """
    try:
        if path.is_dir():
            raise TraceError("it is a directory", "Pass the trace file inside it.")
        with path.open("rb") as file:
            return _read(file, recover=recover, max_expanded_bytes=max_expanded_bytes)
    except OSError as error:
        raise TraceError(
            f"{path}: cannot be read: {error.strerror or error}", "Check the path."
        ) from error
    except TraceError as error:
        raise type(error)(f"{path}: {error.fact}", error.hint) from error


def _read(file: BufferedReader, *, recover: bool, max_expanded_bytes: int) -> Trace:
    head = file.peek(16)[:16]
    for magic, what in _PACKED.items():
        if head.startswith(magic):
            raise TraceError(f"it is {what}", "Turn it into UTF-8 JSON, plain or gzip.")
    fitting = next(f for f in _FORMATS if head.startswith(f.magic))
    return fitting.read(file, recover=recover, max_expanded_bytes=max_expanded_bytes)


def is_trace(path: Path) -> bool:
    """Say whether a file begins like a trace of some format: JSON, gzip or a known magic.

    Raises OSError where it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(64)
    known = tuple(f.magic for f in _FORMATS if f.magic)
    return head.startswith((b"\x1f\x8b", *known)) or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (
        b"{",
        b"[",
    )
