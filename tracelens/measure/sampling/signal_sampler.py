"""A sampler for where no other process may look: a timer's signal runs a handler in this one.

Python runs the handler at its next check for signals, which are the calls and the turns of a loop:
the time of an operator or an attribute is counted for what runs after it.
"""

from __future__ import annotations

import opcode
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

from tracelens.measure.device import Unavailable
from tracelens.measure.sampling.sampler import (
    PAUSE_NS,
    Counted,
    Line,
    call_in_a_row,
    outermost_code,
)
from tracelens.model.functions import SamplingWay

_PAUSE_NS = 200_000
"""Least mean time between two samples: the handler takes about a twentieth of it."""
_NEVER_S = 0.0
_ENTRY = opcode.opmap.get("RESUME")


class SignalSampler:
    """Counts the stack that each signal finds. It must be made in the main thread."""

    way: SamplingWay = "signal"

    def __init__(self) -> None:
        self._counts: Counter[tuple[Line, ...]] = Counter()
        self._sampling = False
        self._pause_s = 0.0
        self._root = outermost_code()

    def resume(self, *, pause_ns: int = PAUSE_NS) -> None:
        """Begin to sample, that far apart, or its own least: the handler runs in the calls."""
        self._sampling = True
        self._pause_s = max(pause_ns, _PAUSE_NS) / 1e9
        self._wait()

    def pause(self) -> Counted:
        """Sample no longer."""
        self._sampling = False
        signal.setitimer(signal.ITIMER_REAL, _NEVER_S)
        return Counted(samples=sum(self._counts.values()))

    def stacks(self) -> dict[tuple[Line, ...], int]:
        """Return how often each stack was found, with what was found at its entry put back.

        A function is checked as it is entered: what the signal waited for was its caller's.
        """
        entries: dict[CodeType, frozenset[int]] = {}
        found: Counter[tuple[Line, ...]] = Counter()
        for lines, count in self._counts.items():
            if lines:
                code, offset = lines[-1]
                if code not in entries:
                    entries[code] = _entries(code)
                lines = lines[:-1] if offset in entries[code] else lines  # noqa: PLW2901
            found[lines] += count
        return found

    def take(self, number: int, frame: FrameType | None) -> None:
        """Count the stack of a frame, and wait for the next signal."""
        lines: list[Line] = []
        while frame is not None and frame.f_code is not call_in_a_row.__code__:
            lines.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        if frame is not None or (lines and lines[-1][0] is not self._root):
            self._counts[tuple(reversed(lines))] += 1
        if self._sampling:
            self._wait()

    def _wait(self) -> None:
        # At random, for a steady beat falls in step with calls of a steady length.
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.1, 1.9) * self._pause_s)


@contextmanager
def signal_sampler() -> Iterator[SignalSampler]:
    """Take the alarm signal, and its timer, for as long as the context lasts.

    Raises Unavailable outside the main thread, which alone handles signals.
    """
    sampler = SignalSampler()
    try:
        before = signal.signal(signal.SIGALRM, sampler.take)
    except (ValueError, AttributeError):
        raise Unavailable(
            "signals arrive in the main thread alone, and this is another",
            "Call it from the main thread, or profile an op file.",
        ) from None
    timer = signal.setitimer(signal.ITIMER_REAL, _NEVER_S)
    signal.siginterrupt(signal.SIGALRM, False)  # let the system calls of a driver go on
    try:
        yield sampler
    finally:
        signal.setitimer(signal.ITIMER_REAL, _NEVER_S)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def _entries(code: CodeType) -> frozenset[int]:
    """Return the offsets at which a function is checked as it is entered."""
    if _ENTRY is None:  # before Python 3.11, which has an instruction for it
        return frozenset({-1})
    return frozenset(at for at in range(0, len(code.co_code), 2) if code.co_code[at] == _ENTRY)
