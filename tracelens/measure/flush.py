"""Making a card's L2 cache cold, by the driver and never by a framework's op."""

from __future__ import annotations

from collections.abc import Callable

from tracelens.measure.device import FlushWay
from tracelens.measure.driver import Driver
from tracelens.measure.probes import PROBES

_TIMES_L2 = 2
"""A cache that does not replace the oldest line first needs more than its size."""
_THREADS = 512
_BLOCKS = 1024
_WORD_BYTES = 16
"""What a thread reads at once."""


class Flush:
    """A call that fills the L2 with other data: queued on one stream, not waited for.

    Its memory, twice the L2, is held as long as the process lasts.

    `write` is the driver's memset: afterwards the L2 is full of lines that must still be written
    back, as behind a kernel that wrote much. `read` reads as much, and leaves none of them.
    """

    def __init__(self, driver: Driver, *, way: FlushWay, l2_bytes: int, stream: int) -> None:
        self.size = _TIMES_L2 * l2_bytes // _WORD_BYTES * _WORD_BYTES
        self._driver = driver
        self._address = driver.allocate(self.size + _WORD_BYTES)
        driver.fill(self._address, self.size + _WORD_BYTES, stream=stream)
        self._queue: Callable[[], None] = (
            self._reading(stream) if way == "read" else self._writing(stream)
        )

    def __call__(self) -> None:
        """Queue it."""
        self._queue()

    def _writing(self, stream: int) -> Callable[[], None]:
        return lambda: self._driver.fill(self._address, self.size, stream=stream)

    def _reading(self, stream: int) -> Callable[[], None]:
        return self._driver.kernel(
            self._driver.load(PROBES),
            "tracelens_read",
            self._address,
            self.size,
            self._address + self.size,
            blocks=_BLOCKS,
            threads=_THREADS,
            stream=stream,
        )
