"""One CUDA device, by way of torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial

import torch

from tracelens.measure.clock import now_ns
from tracelens.measure.cupti import cupti_records
from tracelens.measure.device import (
    FlushWay,
    Replay,
    Timeline,
    Unavailable,
    WorkRecords,
    Yardstick,
)
from tracelens.measure.driver import open_driver
from tracelens.measure.failure import spell_error
from tracelens.measure.flush import Flush
from tracelens.measure.power import Card, card_id, open_card
from tracelens.measure.timeline import TorchTimeline, torch_timeline
from tracelens.measure.yardsticks import card_yardstick
from tracelens.model.card import CardReading
from tracelens.model.ceiling import CeilingKind

_synchronize = torch.cuda.synchronize  # bound before any op file can put another in its place

_ASIDE_CYCLES = 2_000_000
"""About a millisecond: longer than any op takes to queue its work."""

_CALLS_BEFORE_CAPTURE = 3
"""What torch's notes on CUDA graphs ask for, on the side stream: libraries set up workspaces."""


class Cuda:
    """A CUDA device; making one makes it torch's current device."""

    asynchronous = True
    now_ns = staticmethod(now_ns)

    def __init__(self, index: int) -> None:
        self.name = f"cuda:{index}"
        self._index = index
        self._card: Card | None = None
        torch.cuda.set_device(index)

    def synchronize(self) -> None:
        """Wait until all streams of the device are idle."""
        _synchronize(self._index)

    def wait_current(self) -> None:
        """Wait for torch's current stream alone."""
        torch.cuda.current_stream(self._index).synchronize()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Make a stream of its own the current one, with a spin kernel at its head."""
        self.synchronize()
        with torch.cuda.stream(_stream()):
            torch.cuda._sleep(_ASIDE_CYCLES)  # type: ignore[no-untyped-call]  # torch's own tests use it
            yield
        self.synchronize()

    def other_stream(self) -> Callable[[], AbstractContextManager[object]]:
        """Return a context in which a new stream is current."""
        return partial(torch.cuda.stream, _stream())

    def capture(self, call: Callable[[], object]) -> Replay:
        """Capture one call in a CUDA graph and return its replay.

        The captured result's memory belongs to the graph: it lives as long as the replay does.
        Raises Unavailable, with torch's stream as it was before, where the call does something
        that a graph cannot hold.
        """
        stream = torch.cuda.current_stream()
        attempt = _Attempt(call)
        try:
            return self._captured(attempt)
        except Exception as error:
            torch.cuda.set_stream(stream)  # torch leaves the capture's stream in place
            self._put_generator_back()
            raise _not_capturable(attempt.error or error) from error

    def timeline(self) -> AbstractContextManager[Timeline]:
        """Start the profiler with host and device activities."""
        return torch_timeline(cuda=True)

    def work_records(self) -> AbstractContextManager[WorkRecords]:
        """Record device work by CUPTI alone.

        Raises Unavailable where it is not installed, and after a session of torch's profiler, which
        leaves its own clock with CUPTI: records were then seen two microseconds off the host's.
        """
        if TorchTimeline.opened:
            raise Unavailable(
                "torch's profiler has run in this process, and kernel records follow its clock.",
                "Measure the op in a process of its own: `tracelens profile op.py`.",
            )
        return cupti_records(self.synchronize)

    def flush(self, way: FlushWay) -> Callable[[], object]:
        """Return a call that fills the L2 with other data, on torch's current stream.

        Raises Unavailable where the driver cannot be called or has no memory left.
        """
        self.synchronize()  # makes torch's context the one of this thread
        l2_bytes = torch.cuda.get_device_properties(self._index).L2_cache_size
        stream = torch.cuda.current_stream(self._index).cuda_stream
        return _flush(self._index, way, l2_bytes, stream)

    def yardstick(self, kind: CeilingKind, dtype: torch.dtype) -> Yardstick:
        """Return a copy, or a product of matrices. Raises Unavailable, or as torch does."""
        return card_yardstick(self._index, kind, dtype)

    def read_card(self, stage: str) -> CardReading:
        """Ask NVML. Raises Unavailable where it is not there."""
        if self._card is None:
            self._card = open_card(card_id(self.name))
        return self._card.read(stage)

    def _captured(self, call: Callable[[], object]) -> Replay:
        side = _stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_CALLS_BEFORE_CAPTURE):
                call()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            result = call()
        replay = _Replay(graph, result)
        replay()
        self.synchronize()
        return replay

    def _put_generator_back(self) -> None:
        """Capture something that can be: only a capture that ends well ends torch's capture mode.

        Until then every random number of the device raises `Offset increment outside graph
        capture`, in whatever the op does next.
        """
        with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=_stream()):
            torch.zeros((), device=self.name)


class _Attempt:
    """A call that keeps its own error: the end of a failed capture raises another over it."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self.error: Exception | None = None

    def __call__(self) -> object:
        try:
            return self._call()
        except Exception as error:
            self.error = error
            raise


class _Replay:
    """A graph together with what it writes."""

    def __init__(self, graph: torch.cuda.CUDAGraph, result: object) -> None:
        self.result = result
        self._replay = graph.replay

    def __call__(self) -> None:
        self._replay()


@cache
def _flush(index: int, way: FlushWay, l2_bytes: int, stream: int) -> Flush:
    """Make one for each card, way and stream: all variants of an op share its memory."""
    return Flush(open_driver(), way=way, l2_bytes=l2_bytes, stream=stream)


def _stream() -> torch.cuda.Stream:
    return torch.cuda.Stream()  # type: ignore[no-untyped-call]  # torch does not type it


def _not_capturable(error: BaseException) -> Unavailable:
    return Unavailable(
        f"The op cannot be captured in a CUDA graph: {spell_error(error)}.",
        "A captured call must not wait for the device (.item(), .cpu(), synchronize) or let the "
        "host decide by device data; keep such steps outside op().",
    )
