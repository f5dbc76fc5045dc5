"""A device with a scripted clock: every time that is measured on it has a known truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from tracelens.measure.device import DeviceTimes, FlushWay, Unavailable, Yardstick
from tracelens.model.card import CardReading
from tracelens.model.ceiling import CeilingKind

Work = Callable[[], object]


class FakeDevice:
    """Time passes only where a call, a wait or a kernel says so. `log` holds what happened."""

    name = "fake:0"
    asynchronous = True

    def __init__(
        self,
        *,
        wait_ns: int = 0,
        capturable: bool = True,
        records: bool = True,
        record_ns: int = 0,
        miss_ns: int = 0,
        readings: Sequence[CardReading] | None = (),
    ) -> None:
        """Make one: each recorded call costs `record_ns`, a kernel behind a flush `miss_ns` more.

        `readings` is what the card says, one a look and then the last again; None is no answer.
        """
        self.log: list[str] = []
        self._queues: dict[str, list[Work]] = {}
        self._later: list[Work] = []
        self._stream = "main"
        self._captured: list[Work] | None = None
        self._record_ns = record_ns
        self._recording = False
        self._miss_ns = miss_ns
        self._flushed = False
        self._readings = None if readings is None else list(readings)
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
            self._time_ns += host_ns + self._record_ns * self._recording
            start_ns = max(self._time_ns, self._idle_from_ns)
            self._idle_from_ns = start_ns + kernel_ns + self._miss_ns * self._flushed
            self._flushed = False
            if self._recording:
                self._kernels.append((start_ns, self._idle_from_ns))
            return "result"

        return call

    def spin(self, length_ns: int) -> None:
        """Keep the host that long."""
        self._time_ns += length_ns

    def now_ns(self) -> int:
        self.log.append("clock")
        return self._time_ns

    def synchronize(self) -> None:
        self.log.append("wait")
        self._time_ns = max(self._time_ns, self._idle_from_ns) + self._wait_ns
        for stream in list(self._queues):
            self._run(stream)
        self._queues, self._later = {"main": self._later}, []

    def launch(self, work: Work, *, on: str | None = None) -> None:
        """Queue work, which is done when its stream is waited for; a capture keeps it instead."""
        if self._captured is not None:
            self._captured.append(work)
        else:
            self._queues.setdefault(on or self._stream, []).append(work)

    def defer(self, work: Work) -> None:
        """Queue work only behind the next wait, as a thread of the host may."""
        self._later.append(work)

    def capturing(self) -> bool:
        return self._captured is not None

    def wait_current(self) -> None:
        self._run(self._stream)

    @contextmanager
    def aside(self) -> Iterator[None]:
        self._stream = "aside"
        yield
        self._stream = "main"
        self.synchronize()

    def other_stream(self) -> Callable[[], AbstractContextManager[None]]:
        @contextmanager
        def current() -> Iterator[None]:
            self._stream = "other"
            yield
            self._stream = "main"

        return current

    def _run(self, stream: str) -> None:
        for work in self._queues.pop(stream, []):
            work()

    def capture(self, call: Callable[[], object]) -> FakeReplay:
        if not self._capturable:
            raise Unavailable("It waits for the device.", "Let it not wait.")
        self.log.append("capture")
        self._captured = captured = []
        result = call()
        self._captured = None
        return FakeReplay(self, captured, result)

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
        self._recording = True
        yield self
        self._recording = False

    def pause(self) -> None:
        self._recording = False

    def resume(self) -> None:
        self._recording = True

    def flush(self, way: FlushWay) -> Callable[[], object]:
        def queue() -> None:
            self.log.append(f"flush by {way}")
            self._idle_from_ns = max(self._time_ns, self._idle_from_ns) + 70_000
            self._flushed = True

        return queue

    def yardstick(self, kind: CeilingKind, dtype: torch.dtype) -> Yardstick:
        if kind == "flops":
            raise Unavailable("There is no product.", "Have one.")
        copy = self.op(host_ns=1_000, kernel_ns=10_000)
        return Yardstick(call=copy, amount=40_000, what="a copy")

    def read_card(self, stage: str) -> CardReading:
        self.log.append("look")
        if self._readings is None:
            raise Unavailable("There is no NVML.", "Install it.")
        if not self._readings:
            return CardReading(stage=stage)
        reading = self._readings.pop(0) if len(self._readings) > 1 else self._readings[0]
        return replace(reading, stage=stage)

    def times(self) -> DeviceTimes:
        starts, ends = np.array(self._kernels, np.int64).reshape(-1, 2).T
        return DeviceTimes(starts, ends, uncertainty_ns=30)


class FakeReplay:
    """A graph of captured work that keeps the host for 1 us and the device for 20."""

    def __init__(self, device: FakeDevice, captured: list[Work], result: object) -> None:
        self.result = result
        self._device = device
        self._captured = captured
        self._pass_time = device.op(host_ns=1_000, kernel_ns=20_000)

    def __call__(self) -> None:
        self._pass_time()
        for work in self._captured:
            self._device.launch(work)


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
