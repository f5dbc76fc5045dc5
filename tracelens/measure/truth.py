"""Work of known length, on a card and on the host: what instruments are calibrated against."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tracelens.measure.clock import now_ns
from tracelens.measure.driver import Driver, open_driver
from tracelens.measure.probes import PROBES

_WORD_BYTES = 8
_NS_A_MS = 1_000_000


def spin_host(length_ns: int) -> None:
    """Keep the host busy for that long by its own clock."""
    end_ns = now_ns() + length_ns
    while now_ns() < end_ns:
        pass


class CardTruth:
    """Kernels of known length on one card, the driver's own. `index` becomes the current device.

    Raises Unavailable where the driver does not take them.
    """

    def __init__(self, index: int) -> None:
        torch.cuda.set_device(index)
        torch.cuda.synchronize(index)  # makes the card's context the one of this thread
        self._driver: Driver = open_driver()
        self._module = self._driver.load(PROBES)
        self._word = self._driver.allocate(_WORD_BYTES)
        self.empty = self._driver.kernel(self._module, "tracelens_empty")

    def spin(self, length_ns: int) -> Callable[[], None]:
        """Return a launch of a kernel that runs that long by the card's global timer."""
        return self._driver.kernel(self._module, "tracelens_spin", length_ns, self._word)

    def spun_ns(self) -> int:
        """Wait, and return how long the last spin ran by its own reading."""
        return self._driver.read_word(self._word)

    def cycle(self, cycles: int) -> Callable[[], None]:
        """Return a launch of a kernel that runs for that many clocks of a multiprocessor."""
        return self._driver.kernel(self._module, "tracelens_cycles", cycles)

    def fill(self, size: int) -> Callable[[], None]:
        """Return a call that queues a memset of that many bytes; the memory is never given back."""
        address = self._driver.allocate(size)
        return lambda: self._driver.fill(address, size, stream=0)

    def between_events(self, call: Callable[[], object]) -> int:
        """Return the ns between two CUDA events around a call."""
        begin, end = _event(), _event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        elapsed_ms: float = begin.elapsed_time(end)
        return round(elapsed_ms * _NS_A_MS)


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]  # torch does not type it
