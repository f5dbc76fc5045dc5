"""The cores that calls are spread over: each is as fast as what else the machine does with it.

Two processes that time one small call on two cores differ by a fifth, whatever they measure. One
that goes from core to core has the same mixture in its samples as the next.
"""

from __future__ import annotations

import ctypes
import math
import os
from contextlib import suppress
from pathlib import Path

_MOST_CORES = 8
_GOLDEN = (math.sqrt(5) - 1) / 2
_NODES = Path("/sys/devices/system/node")


class Tour:
    """Moves this thread from core to core, the same cores in the same order in every process."""

    def __init__(self) -> None:
        self.long_calls = False
        """Whether a call takes so long that what it meets on a new core is no part of it to see."""
        self._allowed = allowed_cores()
        self.cores = chosen(sorted(self._allowed & node_cores()))
        self._visits = 0

    def move(self) -> bool:
        """Go to the next core; return whether there is one to go to.

        The thread is left free to move: what it starts may run anywhere.
        """
        if len(self.cores) < 2:
            return False
        core = self.cores[self._visits % len(self.cores)]
        self._visits += 1
        try:
            os.sched_setaffinity(0, {core})
        except OSError:  # a sandbox forbids it, or the core is gone
            return False
        with suppress(OSError):
            os.sched_setaffinity(0, self._allowed)
        return True


def allowed_cores() -> set[int]:
    """Return the cores that this thread may run on; none where the system cannot say."""
    with suppress(AttributeError, OSError):  # another system, or a sandbox forbids it
        return os.sched_getaffinity(0)
    return set()


def node_cores() -> set[int]:
    """Return the cores that have this thread's memory at hand: those of another node are slower."""
    here = _here()
    for listed in _NODES.glob("node*/cpulist"):
        with suppress(OSError, ValueError):
            cores = read_cores(listed.read_text())
            if here in cores:
                return cores
    return allowed_cores()


def read_cores(text: str) -> set[int]:
    """Read a list as Linux writes it, such as `0-3,8`. Raises ValueError."""
    cores: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cores.update(range(int(first), int(last or first) + 1))
    return cores


def chosen(cores: list[int]) -> tuple[int, ...]:
    """Choose from all over the list, neighbours apart in time: two may be one core's halves."""
    count = len(cores)
    steps = range(max(round(count * _GOLDEN), 1), count)
    step = next((step for step in steps if math.gcd(step, count) == 1), 1)
    return tuple(cores[at * step % count] for at in range(min(count, _MOST_CORES)))


def _here() -> int | None:
    try:
        return int(ctypes.CDLL(None).sched_getcpu())
    except (OSError, AttributeError, TypeError):  # another system's C library
        return None
