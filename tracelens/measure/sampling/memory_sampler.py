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
from tracelens.measure.sampling.callers import Stack, with_callers
from tracelens.measure.sampling.layout import thread_address
from tracelens.measure.sampling.live_code import live_codes
from tracelens.measure.sampling.sampler import (
    PAUSE_NS,
    Counted,
    Line,
    call_in_a_row,
    outermost_code,
)
from tracelens.model.functions import SamplingWay

_PR_SET_PTRACER = 0x59616D61
"""prctl(2): which process may read this one's memory, where the Yama security module asks."""
_ANSWERED_WITHIN_S = 10.0

_START = (
    "import sys; sys.path.append(sys.argv[1]); "  # behind the standard library: no file shadows it
    "from tracelens.measure.sampling.watcher import main; main()"
)


class MemorySampler:
    """Asks a watcher. Nothing happens in this process, and nothing waits for its interpreter."""

    way: SamplingWay = "memory"

    def __init__(self, watcher: subprocess.Popen[bytes]) -> None:
        self._watcher = watcher

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
                "root": id(outermost_code()),
            }
        )
        read = [tuple(line) for line in self._answer()["stack"]]
        if not _is_here(read):
            raise Unavailable(
                "the stack that another process reads is not the one that is here", ""
            )

    def resume(self, *, pause_ns: int = PAUSE_NS) -> None:
        """Begin to sample, that far apart in the mean."""
        self._say(b"on %d\n" % pause_ns)

    def pause(self) -> Counted:
        """Sample no longer; the watcher then waits to be asked."""
        self._say(b"off\n")
        return Counted(**self._answer())

    def stacks(self) -> dict[tuple[Line, ...], int]:
        """Return how often each stack was found. Code that is gone by now has no line."""
        self._say(b"end\n")
        answered = self._answer()["stacks"]
        codes = live_codes({address for *_, lines in answered for address, _ in lines})
        whole: Counter[Stack] = Counter()
        apart: Counter[Stack] = Counter()
        for count, is_below, lines in answered:
            found = ((codes.get(address), offset) for address, offset in reversed(lines))
            stack = tuple((code, offset) for code, offset in found if code is not None)
            (whole if is_below else apart)[stack] += count
        return with_callers(whole, apart)

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
    watcher = _started()
    try:
        with _readable_by(watcher.pid):
            sampler = MemorySampler(watcher)
            sampler.begin()
            yield sampler
    finally:
        watcher.kill()
        watcher.communicate()


def _started() -> subprocess.Popen[bytes]:
    package = Path(__file__).parents[3]
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(package)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        reason = f"the process that samples cannot be started: {error.strerror}"
        raise Unavailable(reason, "") from error


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


def _pipe(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise AssertionError("a watcher is started with pipes")
    return stream.fileno()


def _gone() -> Unavailable:
    return Unavailable("the process that samples has ended, or does not answer", "Run it again.")
