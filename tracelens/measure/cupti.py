"""Kernel records by CUPTI alone: they leave the calls that are timed as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tracelens.measure.clock import now_ns
from tracelens.measure.device import DeviceTimes, Unavailable

_BUFFER_BYTES = 16 << 20
"""Holds a hundred thousand records, so that no buffer is delivered inside a timed call."""
_CLOCK_READS = 100
_FLUSH_FORCED = 1


class CuptiRecords:
    """Device work as CUPTI records it, on the host's clock."""

    def __init__(self, cupti: Any) -> None:
        self._cupti = cupti
        self._kinds = (
            cupti.ActivityKind.CONCURRENT_KERNEL,
            cupti.ActivityKind.MEMCPY,
            cupti.ActivityKind.MEMSET,
        )
        self._spans: list[tuple[int, int]] = []
        self._pairs: list[tuple[int, int, int]] = []
        self._recording = False

    def begin(self) -> None:
        """Start recording."""
        self._cupti.activity_register_callbacks(lambda: (_BUFFER_BYTES, 0), self._take)
        self.resume()
        self._pairs.append(self._pair_clocks())

    def end(self) -> None:
        """Stop recording and collect."""
        self._pairs.append(self._pair_clocks())
        self._cupti.activity_flush_all(_FLUSH_FORCED)
        self.pause()

    def resume(self) -> None:
        """Record the work that is queued from here on."""
        if not self._recording:
            for kind in self._kinds:
                self._cupti.activity_enable(kind)
        self._recording = True

    def pause(self) -> None:
        """Record no more; what was recorded stays."""
        if self._recording:
            for kind in self._kinds:
                self._cupti.activity_disable(kind)
        self._recording = False

    def times(self) -> DeviceTimes:
        """Return every record's start and end, in order of start, and the clocks' uncertainty."""
        (host_a, cupti_a, width_a), (host_b, cupti_b, width_b) = self._pairs
        spans = np.array(sorted(self._spans), np.int64).reshape(-1, 2)
        # Nanoseconds since an epoch have 19 digits: only differences fit a float.
        rate = ((host_b - host_a) - (cupti_b - cupti_a)) / max(cupti_b - cupti_a, 1)
        since = spans - cupti_a
        host = host_a + since + np.rint(since * rate).astype(np.int64)
        uncertainty_ns = (max(width_a, width_b) + 1) // 2
        return DeviceTimes(host[:, 0], host[:, 1], uncertainty_ns)

    def _take(self, activities: list[Any]) -> None:
        self._spans.extend((int(a.start), int(a.end)) for a in activities if a.kind in self._kinds)

    def _pair_clocks(self) -> tuple[int, int, int]:
        """Return one instant on both clocks, and how far apart the host reads around it were."""
        reads = []
        for _ in range(_CLOCK_READS):
            before = now_ns()
            theirs = int(self._cupti.get_timestamp())
            after = now_ns()
            reads.append((after - before, before, theirs))
        width, before, theirs = min(reads)
        return before + width // 2, theirs, width


@contextmanager
def cupti_records(synchronize: Callable[[], None]) -> Iterator[CuptiRecords]:
    """Record until the context ends. Raises Unavailable where CUPTI cannot be used."""
    try:
        from cupti import cupti  # noqa: PLC0415  # an extra, which may not be there
    except ImportError as error:
        raise Unavailable(
            "The package cupti-python is not installed.",
            "Install it with `pip install 'tracelens-gpu[cupti]'`.",
        ) from error
    records = CuptiRecords(cupti)
    try:
        records.begin()
    except Exception as error:
        raise Unavailable(
            f"CUPTI cannot record kernels here: {error}.",
            "Check that the driver lets this user profile and that no other profiler is attached.",
        ) from error
    try:
        yield records
    finally:
        synchronize()
        records.end()
