"""Samples of the Python stack while an op is called: what every way to take them is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from types import CodeType, FrameType
from typing import Protocol

from tracelens.model.functions import SamplingWay

Line = tuple[CodeType, int]
"""A code object, and the offset of the instruction that it was at, as `f_lasti` says it."""

PAUSE_NS = 110_000
"""Mean time between two samples of a caller that never waits: ten thousand in a second and a half.
Twice as often, and the cache lines that are fetched from its processor slow it by some percent."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many samples there are so far, and how many attempts were none."""

    samples: int
    unread: int = 0


class Sampler(Protocol):
    """Samples the thread that made it, at random instants, while it is in `call_in_a_row`.

    A stack that does not begin where the thread's does is one of its own, such as a greenlet's:
    what is called has switched to it.
    """

    way: SamplingWay

    def resume(self, *, pause_ns: int = PAUSE_NS) -> None:
        """Begin to sample, that far apart, or further where it would slow the calls."""
        ...

    def pause(self) -> Counted:
        """Sample no longer, and cost nothing from here on."""
        ...

    def stacks(self) -> dict[tuple[Line, ...], int]:
        """End, and return how often each stack was found: outermost first, from the op inwards."""
        ...


def call_in_a_row(call: Callable[[], object], count: int) -> None:
    """Call that often and drop each result. What it calls is what a sampler sees."""
    for _ in repeat(None, count):
        call()


def outermost_code() -> CodeType:
    """Return the code in which the stack of this thread begins."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code, frame = frame.f_code, frame.f_back
    return code
