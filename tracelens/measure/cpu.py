"""The host as the device: calls return when their work is done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from tracelens.measure.clock import now_ns
from tracelens.measure.device import Timeline, Unavailable, WorkRecords
from tracelens.measure.timeline import torch_timeline


class Cpu:
    """The CPU: it has a host timeline, and neither graphs nor device work."""

    name = "cpu"
    asynchronous = False
    now_ns = staticmethod(now_ns)

    def synchronize(self) -> None:
        """Return: there is nothing to wait for."""

    def capture(self, call: Callable[[], object]) -> Callable[[], object]:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no CUDA graphs.", "Run the op on a CUDA device.")

    def timeline(self) -> AbstractContextManager[Timeline]:
        """Start the profiler with host activities alone."""
        return torch_timeline(cuda=False)

    def work_records(self) -> AbstractContextManager[WorkRecords]:
        """Raise Unavailable."""
        raise Unavailable("The CPU has no device work.", "Run the op on a CUDA device.")
