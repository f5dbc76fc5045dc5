"""The card while it was measured: its clocks and power, and what they did to the times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracelens.analyze.statistics import median
from tracelens.model.card import SLOWED_BY, CardReading
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_share
from tracelens.model.report import Environment, Finding, Metric

_DRIFT = 0.03
"""Clocks that move by more make the samples of one run two populations."""
_NS_A_US = 1_000
_SM = "sm_clock_mhz"


def card_metrics(
    readings: Sequence[CardReading], taken: Mapping[str, Measurement]
) -> tuple[Metric, ...]:
    """Return medians over the readings between stretches, and kernel time in clocks.

    `kernel/<way>/busy/cycles` is null where the clock is unknown or drifted. Nothing where the card
    was never read.
    """
    if not readings:
        return ()
    looks = "median of the readings between stretches"
    return (
        _metric("card/sm_clock", "SM clock", _middle(readings, _SM), "MHz", looks),
        _metric(
            "card/memory_clock", "memory clock", _middle(readings, "memory_clock_mhz"), "MHz", looks
        ),
        _metric("card/power", "power", _middle(readings, "power_mw"), "mW", looks),
        _metric("card/temperature", "temperature", _middle(readings, "temperature_c"), "C", looks),
        _metric(
            "card/readings",
            "readings of the card",
            len(readings),
            "count",
            "looks at the card, by NVML",
        ),
        *(_cycles(way, readings, taken) for way in ("eager", "graph")),
    )


def card_findings(
    readings: Sequence[CardReading], environment: Environment | None = None
) -> Iterator[Finding]:
    """Yield what makes times of this card hard to compare: caps, heat, drift, company."""
    yield from _capped(readings, environment)
    yield from _slowed(readings)
    yield from _drifted(readings)
    if environment is not None and environment.display:
        yield Finding(
            tag="card/display",
            severity="warning",
            fact="the card drives a display, whose work runs between and beside the op's",
            advice="measure on a card without one",
        )
    if environment is not None and environment.other_processes:
        yield Finding(
            tag="card/shared",
            severity="warning",
            fact=f"{environment.other_processes} other processes hold the card",
            advice="measure while nobody else uses it; nvidia-smi shows who does",
        )


def _cycles(way: str, readings: Sequence[CardReading], taken: Mapping[str, Measurement]) -> Metric:
    busy = taken.get(f"kernel/{way}/busy")
    clock, spread = _middle(readings, _SM), _spread(readings)
    time_ns = median(busy.samples_ns) if busy else None
    known = time_ns is not None and clock is not None and (spread or 0) <= _DRIFT
    return _metric(
        f"kernel/{way}/busy/cycles",
        f"kernel busy, {way}, in clocks",
        round((time_ns or 0) * (clock or 0) / _NS_A_US) if known else None,
        "cycles",
        f"kernel/{way}/busy x SM clock; null where the clock moved by over 3 %",
    )


def _capped(readings: Sequence[CardReading], environment: Environment | None) -> Iterator[Finding]:
    capped = [reading for reading in readings if "sw_power_cap" in reading.reasons]
    if not capped:
        return
    clock, power = _middle(capped, _SM), _middle(capped, "power_mw")
    highest = environment.sm_clock_limit_mhz if environment else None
    limit = environment.power_limit_mw if environment else None
    beside = f" of at most {highest} MHz" if highest else ""
    under = f", with a limit of {limit / 1_000:.0f} W" if limit else ""
    yield Finding(
        tag="card/power_capped",
        severity="info",
        fact=f"power held the clock down in {len(capped)} of {len(readings)} readings: "
        f"{clock} MHz{beside} at {(power or 0) / 1_000:.0f} W{under}",
        advice="compare with times taken at the same clock, or compare clocks",
    )


def _slowed(readings: Sequence[CardReading]) -> Iterator[Finding]:
    slowed = [reading for reading in readings if reading.slowed]
    if slowed:
        reasons = sorted(SLOWED_BY & {reason for reading in slowed for reason in reading.reasons})
        yield Finding(
            tag="card/throttled",
            severity="warning",
            fact=f"the card was throttled in {len(slowed)} of {len(readings)} readings: "
            f"{', '.join(reasons)}",
            advice="let it cool down, and look at its cooling and power supply",
        )


def _drifted(readings: Sequence[CardReading]) -> Iterator[Finding]:
    spread = _spread(readings)
    if spread is not None and spread > _DRIFT:
        clocks = [r.sm_clock_mhz for r in readings if r.sm_clock_mhz is not None]
        stages = dict.fromkeys(reading.stage for reading in readings)
        told = {stage: _middle([r for r in readings if r.stage == stage], _SM) for stage in stages}
        yield Finding(
            tag="card/drift",
            severity="warning",
            fact=f"the SM clock moved between {min(clocks)} and {max(clocks)} MHz "
            f"({spell_share(spread)} of its median) while the op was measured: "
            f"{', '.join(f'{stage} {clock} MHz' for stage, clock in told.items())}",
            advice="do not compare times taken at different clocks, such as eager with graph",
        )


def _spread(readings: Sequence[CardReading]) -> float | None:
    clocks = [r.sm_clock_mhz for r in readings if r.sm_clock_mhz is not None]
    middle = median(clocks)
    return (max(clocks) - min(clocks)) / middle if middle else None


def _middle(readings: Sequence[CardReading], field: str) -> int | None:
    return median([value for r in readings if (value := getattr(r, field)) is not None])


def _metric(tag: str, name: str, value: int | None, unit: str, meaning: str) -> Metric:
    return Metric(tag=tag, name=name, value=value, unit=unit, description=meaning)
