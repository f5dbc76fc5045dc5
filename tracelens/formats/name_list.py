"""Lists of kernel names: a name per line, or the names that a trace holds."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from tracelens.errors import TracelensError
from tracelens.formats.trace_file import is_trace, read_trace
from tracelens.model.trace import KERNEL

_MOST_BYTES = 256 << 20
"""A list longer than this is no list of kernel names."""


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

    Bytes that are not UTF-8 become U+FFFD. Raises TracelensError where there are too many.
    """
    data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise TracelensError(
            f"{source}: holds more than {_MOST_BYTES >> 20} MiB: a list of names was expected",
            "pass one kernel name a line",
        )
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return [line for line in (line.removesuffix("\r") for line in lines) if line.strip()]
