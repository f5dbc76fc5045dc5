"""What a device must be able to do to be measured. The drivers of measuring know nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from tracelens.model.card import CardReading
from tracelens.model.ceiling import CeilingKind
from tracelens.model.intervals import Int64s

if TYPE_CHECKING:
    import torch  # the parent of a measuring process knows devices, and never loads it

FlushWay = Literal["write", "read"]


class Unavailable(Exception):  # noqa: N818  # no error: an answer, which ends in the report
    """A quantity cannot be had here: why, and what to do about it."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTimes:
    """When pieces of device work ran: int64 ns on the host's clock, arrays of shape (n,).

    `uncertainty_ns` is how far the two clocks may be apart.
    """

    starts: Int64s
    ends: Int64s
    uncertainty_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Yardstick:
    """A call that queues work of a known amount: bytes read and written, or operations."""

    call: Callable[[], object]
    amount: int
    what: str


class Timeline(Protocol):
    """A profiler session in progress."""

    def window(self, name: str) -> AbstractContextManager[object]:
        """Name the stretch of host time that the context lasts for."""
        ...

    def write(self, path: Path) -> None:
        """Write what was recorded, after the session has ended."""
        ...


class WorkRecords(Protocol):
    """Records of device work alone, in progress. The device is idle whenever they are switched."""

    def pause(self) -> None:
        """Leave the calls that follow unrecorded and as they are without."""
        ...

    def resume(self) -> None:
        """Record again."""
        ...

    def times(self) -> DeviceTimes:
        """Return what was recorded, after recording has ended."""
        ...


class Replay(Protocol):
    """A captured call: calling it runs the graph, which writes `result` anew."""

    @property
    def result(self) -> object:
        """What the captured call returned; its memory is the graph's own."""
        ...

    def __call__(self) -> None:
        """Queue the graph."""
        ...


class Device(Protocol):
    """Where an op runs.

    `asynchronous` says that work is queued: only then are there graphs and a device timeline.
    """

    @property
    def name(self) -> str:
        """`cuda:0`, or `cpu`."""
        ...

    @property
    def asynchronous(self) -> bool:
        """Whether a call returns before its work is done."""
        ...

    def now_ns(self) -> int:
        """Read the host clock."""
        ...

    def synchronize(self) -> None:
        """Wait until all work of the device is done."""
        ...

    def wait_current(self) -> None:
        """Wait until the work of the current stream is done, and for no other."""
        ...

    def aside(self) -> AbstractContextManager[object]:
        """Make another stream the current one, busy for a while with nothing; wait at the end.

        What is queued inside runs late; work that does not wait for it runs too early. Raises
        Unavailable.
        """
        ...

    def other_stream(self) -> Callable[[], AbstractContextManager[object]]:
        """Return what makes a stream that nothing has used the current one. Raises Unavailable."""
        ...

    def capture(self, call: Callable[[], object]) -> Replay:
        """Return a replay of one call. Raises Unavailable where it cannot be captured."""
        ...

    def timeline(self) -> AbstractContextManager[Timeline]:
        """Start the profiler; it runs until the context ends."""
        ...

    def work_records(self) -> AbstractContextManager[WorkRecords]:
        """Record kernels without disturbing the calls. Raises Unavailable where that fails."""
        ...

    def flush(self, way: FlushWay) -> Callable[[], object]:
        """Return a call that queues what makes the L2 cache cold. Raises Unavailable."""
        ...

    def yardstick(self, kind: CeilingKind, dtype: torch.dtype) -> Yardstick:
        """Return work that the device does as fast as it can. Raises Unavailable, or as torch."""
        ...

    def read_card(self, stage: str) -> CardReading:
        """Look at clocks and power. It takes milliseconds. Raises Unavailable."""
        ...
