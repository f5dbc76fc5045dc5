"""A device with a scripted clock: every time that is measured on it has a known truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tracelens.measure.device import DeviceTimes, Unavailable


class FakeDevice:
    """Time passes only where a call, a wait or a kernel says so. `log` holds what happened."""

    name = "fake:0"
    asynchronous = True

    def __init__(self, *, wait_ns: int = 0, capturable: bool = True, records: bool = True) -> None:
        self.log: list[str] = []
        self._wait_ns = wait_ns
        self._capturable = capturable
        self._records = records
        self._time_ns = 1_000_000
        self._idle_from_ns = 0
        self._kernels: list[tuple[int, int]] = []

    def op(self, *, host_ns: int, kernel_ns: int) -> Callable[[], object]:
        """Return a call that keeps the host that long and then queues a kernel of that length."""

        def call() -> object:
            self.log.append("call")
            self._time_ns += host_ns
            start_ns = max(self._time_ns, self._idle_from_ns)
            self._idle_from_ns = start_ns + kernel_ns
            self._kernels.append((start_ns, self._idle_from_ns))
            return "result"

        return call

    def now_ns(self) -> int:
        self.log.append("clock")
        return self._time_ns

    def synchronize(self) -> None:
        self.log.append("wait")
        self._time_ns = max(self._time_ns, self._idle_from_ns) + self._wait_ns

    def capture(self, call: Callable[[], object]) -> Callable[[], object]:
        if not self._capturable:
            raise Unavailable("It waits for the device.", "Let it not wait.")
        self.log.append("capture")
        return self.op(host_ns=1_000, kernel_ns=20_000)

    @contextmanager
    def timeline(self) -> Iterator[FakeTimeline]:
        self.log.append("profiler on")
        yield FakeTimeline(self.log)
        self.log.append("profiler off")

    @contextmanager
    def work_records(self) -> Iterator[FakeDevice]:
        if not self._records:
            raise Unavailable("There is no CUPTI.", "Install it.")
        self._kernels.clear()
        yield self

    def times(self) -> DeviceTimes:
        starts, ends = np.array(self._kernels, np.int64).reshape(-1, 2).T
        return DeviceTimes(starts, ends, uncertainty_ns=30)


class FakeTimeline:
    def __init__(self, log: list[str]) -> None:
        self._log = log

    @contextmanager
    def window(self, name: str) -> Iterator[None]:
        self._log.append(f"open {name}")
        yield
        self._log.append("close")

    def write(self, path: Path) -> None:
        self._log.append(f"write {path.name}")
