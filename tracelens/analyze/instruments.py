"""What measuring cost, and how far two instruments agree on the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracelens.analyze.statistics import median, paired_ratio
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding, Metric

_COSTS = 1.03
"""Records that make a full call dearer than this do disturb it."""
_DIFFERS = 0.02
"""Two instruments further apart than this on kernel time: one of them is wrong."""

CLOCK_TAG = "clock/uncertainty"


def instruments(taken: Mapping[str, Measurement]) -> tuple[Metric, ...]:
    """Return the ratios between instruments, null where one of the two did not measure.

    Nothing where neither saw the device.
    """
    if not {"undisturbed/full", "device/eager/busy"} & taken.keys():
        return ()
    clock = taken.get(CLOCK_TAG)
    return (
        Metric(
            tag="perturbation/cupti",
            name="perturbation by CUPTI",
            value=_cost(taken),
            unit="ratio",
            description="full call, CUPTI records on / off, in alternating blocks: median of pairs",
        ),
        Metric(
            tag="kernel/eager/cupti_over_profiler",
            name="device busy, CUPTI over profiler",
            value=_ratio(taken, "undisturbed/busy", "device/eager/busy"),
            unit="ratio",
            description="undisturbed/busy / device/eager/busy, medians of different calls",
        ),
        Metric(
            tag=CLOCK_TAG,
            name="host and device clocks apart by",
            value=clock.samples_ns[0] if clock else None,
            unit="ns",
            description=clock.includes if clock else "not measured",
        ),
    )


def disagreements(taken: Mapping[str, Measurement]) -> Iterator[Finding]:
    """Yield a finding where records disturb the calls, or where CUPTI and the profiler differ."""
    cost, full = _cost(taken), _median(taken, "undisturbed/full_off")
    if cost is not None and full is not None and cost > _COSTS:
        yield Finding(
            tag="undisturbed/disturbed",
            severity="warning",
            fact=f"CUPTI's records make the full call {spell_share(cost - 1)} longer, by "
            f"{spell_ns(round(full * (cost - 1)))} of {spell_ns(full)}: the parts of undisturbed/ "
            "hold that, most of it before the first kernel and between kernels",
            advice="take the full call from full/eager, and only device busy from undisturbed/",
        )
    apart = _ratio(taken, "undisturbed/busy", "device/eager/busy")
    if apart is not None and abs(apart - 1) > _DIFFERS:
        ours, theirs = (_median(taken, t) or 0 for t in ("undisturbed/busy", "device/eager/busy"))
        yield Finding(
            tag="kernel/instruments_differ",
            severity="warning",
            fact=f"device busy is {spell_ns(ours)} by CUPTI in the timed calls and "
            f"{spell_ns(theirs)} by torch.profiler in the profiled ones: "
            f"{100 * (apart - 1):+.1f} %",
            advice="trust CUPTI's: its calls were timed without the profiler; look for clocks that "
            "moved between the two",
        )


def _cost(taken: Mapping[str, Measurement]) -> float | None:
    """Return how many times as long a recorded call takes, each beside one of the same core."""
    on, off = (taken.get(f"undisturbed/{tag}") for tag in ("full", "full_off"))
    return paired_ratio(on.samples_ns, off.samples_ns) if on and off else None


def _ratio(taken: Mapping[str, Measurement], above: str, below: str) -> float | None:
    a, b = _median(taken, above), _median(taken, below)
    return a / b if a is not None and b else None


def _median(taken: Mapping[str, Measurement], tag: str) -> int | None:
    return median(taken[tag].samples_ns) if tag in taken else None
