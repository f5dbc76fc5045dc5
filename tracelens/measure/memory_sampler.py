"""A sampler that runs no code in the process it samples: another process reads its memory."""

from __future__ import annotations

import ctypes
import json
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import IO, Any

from tracelens.measure.device import Unavailable
from tracelens.measure.layout import thread_address
from tracelens.measure.memory import words_at
from tracelens.measure.sampler import PAUSE_NS, Counted, Line, call_in_a_row
from tracelens.model.functions import SamplingWay

_PR_SET_PTRACER = 0x59616D61
"""prctl(2): which process may read this one's memory, where the Yama security module asks."""
_ANSWERED_WITHIN_S = 10.0
_MOST_REFERENCES = 2**32
"""More than any live object has: the memory of a freed one holds a pointer there."""

_SHIM = "<shim>"

_START = (
    "import sys; sys.path.append(sys.argv[1]); "  # behind the standard library: no file shadows it
    "from tracelens.measure.watcher import main; main()"
)


class MemorySampler:
    """Asks a watcher. Nothing happens in this process, and nothing waits for its interpreter."""

    way: SamplingWay = "memory"

    def __init__(self, watcher: subprocess.Popen[bytes]) -> None:
        self._watcher = watcher
        self._unread = 0

    def begin(self) -> None:
        """Let the watcher read the stack of this thread, and see that it reads what is there.

        Raises Unavailable where it may not, or does not.
        """
        self._ask(
            {
                "pid": os.getpid(),
                "thread": thread_address(),
                "code_type": id(CodeType),
                "none": id(None),
                "below": id(call_in_a_row.__code__),
                "pause_ns": PAUSE_NS,
            }
        )
        read = [tuple(line) for line in self._answer()["stack"]]
        if not _is_here(read):
            raise Unavailable(
                "the stack that another process reads is not the one that is here", ""
            )

    def resume(self) -> None:
        """Begin to sample."""
        self._say(b"on\n")

    def pause(self) -> Counted:
        """Sample no longer; the watcher then waits to be asked."""
        self._say(b"off\n")
        return Counted(**self._answer())

    def stacks(self) -> dict[tuple[Line, ...], int]:
        """Return how often each stack was found. Code that is gone by now has no line."""
        self._say(b"end\n")
        codes: dict[int, CodeType | None] = {}
        counts: Counter[tuple[Line, ...]] = Counter()
        for count, lines in self._answer()["stacks"]:
            for address, _ in lines:
                if address not in codes:
                    codes[address] = _code_at(address)
            found = ((codes[address], offset) for address, offset in reversed(lines))
            counts[tuple((code, offset) for code, offset in found if code is not None)] += count
        return counts

    def _ask(self, question: dict[str, int]) -> None:
        self._say(json.dumps(question).encode() + b"\n")

    def _say(self, line: bytes) -> None:
        try:
            os.write(_pipe(self._watcher.stdin), line)
        except OSError as error:
            raise _gone() from error

    def _answer(self) -> Any:
        pipe, line = _pipe(self._watcher.stdout), b""
        while not line.endswith(b"\n"):
            if not select.select([pipe], [], [], _ANSWERED_WITHIN_S)[0]:
                raise _gone()
            piece = os.read(pipe, 1 << 20)
            if not piece:
                raise _gone()
            line += piece
        answer = json.loads(line)
        if "error" in answer:
            raise Unavailable(answer["error"], "")
        return answer


@contextmanager
def memory_sampler() -> Iterator[MemorySampler]:
    """Start a watcher of this thread. Raises Unavailable where it cannot read this process."""
    package = Path(__file__).parents[2]
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _START, str(package)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        with _readable_by(watcher.pid):
            sampler = MemorySampler(watcher)
            sampler.begin()
            yield sampler
    finally:
        watcher.kill()
        watcher.communicate()


@contextmanager
def _readable_by(pid: int) -> Iterator[None]:
    """Allow one process to read this one's memory."""
    prctl = None
    with suppress(AttributeError, OSError):
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_PTRACER, pid, 0, 0, 0)  # an error says that nothing asks for it
    try:
        yield
    finally:
        if prctl is not None:
            prctl(_PR_SET_PTRACER, 0, 0, 0, 0)


def _is_here(read: list[tuple[int, int]]) -> bool:
    """Say whether these lines, innermost first, are those of the functions that called this.

    Whoever waited for them has returned meanwhile, so only its callers are where they were. Frames
    that Python does not show are the interpreter's own.
    """
    here: list[tuple[int, int]] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        here.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    shown = {code for code, _ in here}
    return bool(here) and [line for line in read if line[0] in shown][-len(here) :] == here


def _code_at(address: int) -> CodeType | None:
    """Return a code object by its address; None where none lives there any more, or no function's.

    Python 3.12 puts code of its own between C code and what that calls.
    """
    references, kind = words_at(os.getpid(), address, 2) or (0, 0)
    if kind != id(CodeType) or not 0 < references < _MOST_REFERENCES:
        return None
    code: CodeType = ctypes.cast(address, ctypes.py_object).value
    return None if code.co_filename == _SHIM else code


def _pipe(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise AssertionError("a watcher is started with pipes")
    return stream.fileno()


def _gone() -> Unavailable:
    return Unavailable("the process that samples has ended, or does not answer", "Run it again.")
