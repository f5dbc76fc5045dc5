"""Lists of kernel names: a name per line, or the names that a trace holds."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

from tracelens.errors import TracelensError
from tracelens.formats.trace_file import is_trace, read_trace
from tracelens.model.trace import KERNEL

_MOST_BYTES = 256 << 20
"""A list longer than this is no list of kernel names."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # it begins as the next one does
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF32_BE, "utf-32"),
)
"""What begins a text that is not UTF-8: PowerShell's `>` writes UTF-16."""
_MOST_NULS = 0.25
"""The share of bytes that are zero, past which a text without a mark is of such a kind too."""


def is_file(source: str) -> bool:
    """Say whether this text names a file rather than a kernel; a kernel's name can be anything."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def read_names(path: Path) -> list[str]:
    """Return the kernel names of a file, in its order.

    A trace gives each of its kernel names once; any other file is taken as a name per line. Raises
    TraceError where a trace cannot be read, TracelensError where a list cannot.
    """
    try:
        if is_trace(path):
            trace = read_trace(path)
            kernels = trace.device_work.name[trace.device_work.kind == KERNEL]
            return [trace.names[index] for index in dict.fromkeys(kernels.tolist())]
        with path.open("rb") as file:
            return read_name_lines(file, source=str(path))
    except OSError as error:
        raise TracelensError(
            f"{path}: cannot be read: {error.strerror or error}",
            "pass a file with one name a line, a trace, or the names themselves",
        ) from error


def read_name_lines(stream: BinaryIO, *, source: str) -> list[str]:
    """Return the lines of a stream that are not empty; a byte order mark is none of them.

    It says whether they are UTF-16 or UTF-32; without one, bytes that are not UTF-8 become U+FFFD.
    Raises TracelensError where there are too many, or it is UTF-16 without a mark, or a trace.
    """
    data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise TracelensError(
            f"{source}: holds more than {_MOST_BYTES >> 20} MiB: a list of names was expected",
            "pass one kernel name a line",
        )
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if encoding is None and data.count(0) > _MOST_NULS * len(data):
        raise TracelensError(
            f"{source}: {data.count(0)} of its {len(data)} bytes are zero, as in UTF-16 without a "
            "byte order mark: UTF-8 was expected",
            "save the list as UTF-8, one kernel name a line",
        )
    text = data.decode(encoding or "utf-8-sig", "replace")
    if encoding is not None and text.lstrip().startswith(("{", "[")):
        raise TracelensError(
            f"{source}: it is {encoding.upper()} text and begins as JSON does",
            "turn a trace into UTF-8 JSON, plain or gzip",
        )
    lines = text.split("\n")
    return [line for line in (line.removesuffix("\r") for line in lines) if line.strip()]
