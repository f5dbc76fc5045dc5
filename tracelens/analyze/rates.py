"""What a call computes and moves, by its own statement, per second of device time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracelens.analyze.statistics import median
from tracelens.model.measurement import Measurement, Work
from tracelens.model.report import Finding, Metric

_BUSY = "device/eager/busy"


def rates(work: Work | None, taken: Mapping[str, Measurement]) -> Iterator[Metric]:
    """Yield bandwidth and throughput over the device's busy time, where the op file states work.

    A byte per ns is a GB/s; a thousand operations per ns are a TFLOP/s.
    """
    if work is None:
        return
    busy_ns = median(taken[_BUSY].samples_ns) if _BUSY in taken else None
    for tag, name, amount, per_unit, unit, what in (
        ("rate/bandwidth", "bandwidth", work.bytes_moved, 1, "GB/s", "bytes_moved"),
        ("rate/flops", "throughput", work.flops, 1000, "TFLOP/s", "flops"),
    ):
        if amount is not None:
            yield Metric(
                tag=tag,
                name=name,
                value=amount / busy_ns / per_unit if busy_ns else None,
                unit=unit,
                description=f"{what} of the op file, {amount}, / device busy, eager, median",
            )


def unrated(work: Work | None, taken: Mapping[str, Measurement]) -> tuple[Finding, ...]:
    """Say why there are no rates where the op file states work."""
    if work is None or _BUSY in taken:
        return ()
    return (
        Finding(
            tag="rate/no_device_time",
            severity="info",
            fact="the op file states flops or bytes_moved, but there is no device time to divide "
            "them by",
            advice="profile it on a CUDA device",
        ),
    )
