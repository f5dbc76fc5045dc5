"""What a call computes and moves, by its own statement, per second of the time that it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tracelens.analyze.statistics import median
from tracelens.model.ceiling import Ceiling
from tracelens.model.measurement import Measurement, Work
from tracelens.model.report import Finding, Metric

_BUSY, _FULL = "device/eager/busy", "full/eager"


def rates(
    work: Work | None,
    taken: Mapping[str, Measurement],
    ceilings: Sequence[Ceiling] = (),
    *,
    on_cpu: bool = False,
) -> Iterator[Metric]:
    """Yield bandwidth and throughput over the device's busy time, where the op file states work.

    A byte per ns is a GB/s; a thousand operations per ns are a TFLOP/s. Beside each stand what the
    card reached in the same run, and the share of it, where that was measured. A CPU works for as
    long as the call takes: the rate is over that, and has a tag of its own.
    """
    timed, words, end = (_FULL, "full call", "/full_call") if on_cpu else (_BUSY, "device busy", "")
    ns = median(taken[timed].samples_ns) if timed in taken else None
    if work is None or (on_cpu and not ns):
        return
    for kind, name, amount, per_unit, unit, what in (
        ("bandwidth", "bandwidth", work.bytes_moved, 1, "GB/s", "bytes_moved"),
        ("flops", "throughput", work.flops, 1000, "TFLOP/s", "flops"),
    ):
        if amount is None:
            continue
        reached = amount / ns / per_unit if ns else None
        yield Metric(
            tag=f"rate/{kind}{end}",
            name=name,
            value=reached,
            unit=unit,
            description=f"{what} of the op file, {amount}, / {words}, eager, median",
        )
        ceiling = next((c for c in ceilings if c.kind == kind), None)
        most_ns = median(ceiling.samples_ns) if ceiling else None
        if ceiling is not None and most_ns:
            most = ceiling.amount / most_ns / per_unit
            yield from _beside(f"rate/{kind}", name, reached, most, unit=unit, what=ceiling.what)


def unrated(
    work: Work | None, taken: Mapping[str, Measurement], *, on_cpu: bool = False
) -> tuple[Finding, ...]:
    """Say why there are no rates where the op file states work."""
    if work is None or _BUSY in taken or on_cpu:
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


def above_ceiling(metrics: Iterable[Metric]) -> Iterator[Finding]:
    """Say what it means where an op does more than the card can."""
    for metric in metrics:
        stem, _, figure = metric.tag.rpartition("/")
        if figure == "of_ceiling" and isinstance(metric.value, float) and metric.value > 1:
            yield _above(stem.removeprefix("rate/"), metric.value)


def _beside(
    tag: str, name: str, reached: float | None, most: float, *, unit: str, what: str
) -> Iterator[Metric]:
    yield Metric(
        tag=f"{tag}/ceiling",
        name=f"{name} of the card",
        value=most,
        unit=unit,
        description=f"measured in this run: {what}",
    )
    yield Metric(
        tag=f"{tag}/of_ceiling",
        name=f"{name}, share of the card's",
        value=reached / most if reached is not None else None,
        unit="ratio",
        description=f"{tag} / {tag}/ceiling",
    )


def _above(kind: str, share: float) -> Finding:
    cause = {
        "bandwidth": "caches are warm, so the data may have stayed in the L2",
        "flops": "the product that it is held against may run in another precision",
    }
    return Finding(
        tag=f"rate/{kind}/above_ceiling",
        severity="info",
        fact=f"the op does {share:.2f} times what the card did at most in this run: {cause[kind]}, "
        "or the op does less than its file states",
        advice="look at the times with a cold L2, and at what the op file states",
    )
