"""The bytes of a file as they come, from a disk or a pipe, plain or gzip, a few MiB at a time."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from tracelens.errors import TraceError

CHUNK_BYTES = 2 << 20
_COMPRESSED_BYTES = CHUNK_BYTES >> 4  # traces shrink to about a sixteenth
_MOST_EXPANDED_BYTES = 4 * CHUNK_BYTES  # of one step, whatever a bomb would expand to
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_ONLY = 31  # zlib's `wbits`: a gzip header, the largest window


class Chunks:
    """The expanded bytes of a file, once through, in order. No seeking: it may be a pipe.

    Iterating raises `TraceError` where a gzip file expands to more than `max_expanded_bytes`.
    After the last chunk `damage` says why a gzip file has no more, or is None where it ended well.
    """

    def __init__(self, file: BinaryIO, *, max_expanded_bytes: int) -> None:
        self.damage: str | None = None
        self._file = file
        self._max_expanded_bytes = max_expanded_bytes

    def __iter__(self) -> Iterator[bytes]:
        head = self._file.read(_COMPRESSED_BYTES)
        if head.startswith(_GZIP_MAGIC):
            yield from self._expanded(head)
            return
        while head:
            yield head
            head = self._file.read(CHUNK_BYTES)

    def past(self, count: int) -> Iterator[bytes]:
        """Iterate over the bytes that follow the first `count`."""
        for chunk in self:
            if len(chunk) > count:
                yield chunk[count:]
            count -= min(count, len(chunk))

    def _expanded(self, compressed: bytes) -> Iterator[bytes]:
        member = zlib.decompressobj(_GZIP_ONLY)
        expanded = position = 0
        while compressed:
            sound = member.copy()
            try:
                text = member.decompress(compressed, _MOST_EXPANDED_BYTES)
            except zlib.error as error:
                self.damage = f"its gzip data is damaged after byte {position:,} ({error})"
                yield from _salvaged(sound, compressed)
                return
            expanded += len(text)
            if expanded > self._max_expanded_bytes:
                raise TraceError(
                    f"it expands to more than {self._max_expanded_bytes:,} bytes",
                    "Raise max_expanded_bytes (--max-expanded-bytes) if you trust the file.",
                )
            if text:
                yield text
            rest = member.unused_data if member.eof else member.unconsumed_tail
            position += len(compressed) - len(rest)
            if member.eof:
                rest = rest.lstrip(b"\0") or self._next_member()
                if not rest:
                    return
                member = zlib.decompressobj(_GZIP_ONLY)
            compressed = rest or self._file.read(_COMPRESSED_BYTES)
        self.damage = f"its gzip data ends early, after byte {position:,}"

    def _next_member(self) -> bytes:
        """Return what follows a whole gzip member and its padding of zeros, if anything does."""
        while block := self._file.read(_COMPRESSED_BYTES):
            if padded := block.lstrip(b"\0"):
                return padded
        return b""


def _salvaged(member: zlib._Decompress, compressed: bytes) -> Iterator[bytes]:
    """Expand byte by byte up to the damage: zlib gives out nothing of a step that fails."""
    text = bytearray()
    with suppress(zlib.error):
        for byte in compressed:
            text += member.decompress(bytes((byte,)))
    if text:
        yield bytes(text)


def told_bytes(descriptor: int) -> tuple[int, bool]:
    """Return the size of a file's expanded bytes, as far as it tells, and whether it is gzip.

    A gzip file tells the size of its last member, modulo 4 GiB. Leaves the file's position alone.
    """
    size = os.fstat(descriptor).st_size
    if os.pread(descriptor, 2, 0) != _GZIP_MAGIC:
        return size, False
    return int.from_bytes(os.pread(descriptor, 4, max(0, size - 4)), "little"), True
