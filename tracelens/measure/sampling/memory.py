"""Another process's memory, read without stopping it. Linux alone has the call."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache

WORD = 8
"""Bytes of a pointer. Every platform that torch runs CUDA on has as many."""

MOST_PIECES = 1024
"""How many pieces one call reads at the most (IOV_MAX)."""


class _Piece(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("address", ctypes.c_void_p), ("size", ctypes.c_size_t))


class Pieces:
    """Some pieces of one process's memory, read again and again by one system call each.

    `words` holds what the last reading found, the pieces one behind the other, in the order given.
    The words of a piece that is not there any more are 0.
    """

    def __init__(self, pid: int, pieces: Sequence[tuple[int, int]]) -> None:
        """Take pieces as address and number of bytes, whole words."""
        self._pid = pid
        self._sizes = [size for _, size in pieces]
        self._size = sum(self._sizes)
        self._bytes = (ctypes.c_char * self._size)()
        self.words = memoryview(self._bytes).cast("B").cast("Q")
        self._call = _read_call()
        self._start = ctypes.addressof(self._bytes)
        self._here = _Piece(self._start, self._size)
        self._there = (_Piece * len(pieces))(*(_Piece(*piece) for piece in pieces))
        self._whole = (pid, ctypes.byref(self._here), 1, self._there, len(pieces), 0)

    def read(self) -> bool:
        """Read all pieces; False where the process, or the first of them, is not there."""
        got = self._call(*self._whole)
        return got == self._size or (got > 0 and self._read_on(got))

    def _read_on(self, done: int) -> bool:
        """Go on behind each piece at which the call stopped."""
        for number, size in enumerate(self._sizes):
            start = sum(self._sizes[:number])
            if start + size > done:
                ctypes.memset(self._start + start, 0, size)
                rest = self._size - start - size
                here = _Piece(self._start + start + size, rest)
                there = ctypes.byref(self._there, (number + 1) * ctypes.sizeof(_Piece))
                left = len(self._sizes) - number - 1
                got = self._call(self._pid, ctypes.byref(here), 1, there, left, 0) if left else 0
                done = start + size + max(got, 0)
        return True


def words_at(pid: int, address: int, count: int) -> tuple[int, ...]:
    """Return words from one place; none where nothing can be read there."""
    buffer = (ctypes.c_char * (WORD * count))()
    here, there = _Piece(ctypes.addressof(buffer), len(buffer)), _Piece(address, len(buffer))
    got = _read_call()(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return struct.unpack(f"={count}Q", buffer.raw) if got == len(buffer) else ()


@cache
def _read_call() -> Callable[..., int]:
    """Return process_vm_readv(2). Raises LookupError where there is none."""
    try:
        call = ctypes.CDLL(None).process_vm_readv
    except (AttributeError, OSError, TypeError):
        raise LookupError("this system has no call to read another process's memory") from None
    pieces, count = ctypes.c_void_p, ctypes.c_ulong
    call.argtypes = (ctypes.c_int, pieces, count, pieces, count, ctypes.c_ulong)
    call.restype = ctypes.c_ssize_t
    found: Callable[..., int] = call
    return found
