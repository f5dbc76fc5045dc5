"""The host as the device: calls return when their work is done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch

from tracelens.measure.clock import now_ns
from tracelens.measure.device import (
    FlushWay,
    Replay,
    Timeline,
    Unavailable,
    WorkRecords,
    Yardstick,
)
from tracelens.measure.timeline import torch_timeline
from tracelens.model.card import CardReading
from tracelens.model.ceiling import CeilingKind


class Cpu:
    """The CPU: it has a host timeline, and neither graphs nor device work."""

    name = "cpu"
    asynchronous = False
    now_ns = staticmethod(now_ns)

    def synchronize(self) -> None:
        """Return: there is nothing to wait for."""

    def wait_current(self) -> None:
        """Return: there is nothing to wait for."""

    def aside(self) -> AbstractContextManager[object]:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no streams.", "Run the op on a CUDA device.")

    def other_stream(self) -> Callable[[], AbstractContextManager[object]]:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no streams.", "Run the op on a CUDA device.")

    def capture(self, call: Callable[[], object]) -> Replay:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no CUDA graphs.", "Run the op on a CUDA device.")

    def timeline(self) -> AbstractContextManager[Timeline]:
        """Start the profiler with host activities alone."""
        return torch_timeline(cuda=False)

    def work_records(self) -> AbstractContextManager[WorkRecords]:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no device work.", "Run the op on a CUDA device.")

    def flush(self, way: FlushWay) -> Callable[[], object]:
        """Raise Unavailable."""
        raise Unavailable("The CPU's caches are not flushed.", "Run the op on a CUDA device.")

    def yardstick(self, kind: CeilingKind, dtype: torch.dtype) -> Yardstick:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no device time.", "Run the op on a CUDA device.")

    def read_card(self, stage: str) -> CardReading:
        """Raise Unavailable."""
        raise Unavailable("The CPU is no card.", "Run the op on a CUDA device.")
