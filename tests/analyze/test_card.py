from __future__ import annotations

from tracelens.analyze.card import card_findings, card_metrics
from tracelens.model.card import CardReading
from tracelens.model.measurement import Measurement
from tracelens.model.report import Environment

LIMITS = Environment(sm_clock_limit_mhz=1980, power_limit_mw=700_000, other_processes=0)


def reading(clock: int | None, *reasons: str, stage: str = "full/eager") -> CardReading:
    return CardReading(
        stage=stage, sm_clock_mhz=clock, power_mw=690_000, temperature_c=60, reasons=reasons
    )


def busy(way: str, *samples_ns: int) -> dict[str, Measurement]:
    tag = f"kernel/{way}/busy"
    return {tag: Measurement(tag=tag, samples_ns=samples_ns, clock="device", includes="")}


def values(*readings: CardReading, **taken: Measurement) -> dict[str, object]:
    return {metric.tag: metric.value for metric in card_metrics(readings, taken)}


def facts(*readings: CardReading, environment: Environment = LIMITS) -> dict[str, str]:
    return {f.tag: f.fact for f in card_findings(readings, environment)}


def test_metrics_are_medians_of_the_readings_and_kernel_time_is_told_in_clocks() -> None:
    found = values(reading(1500), reading(1510), reading(1520), **busy("eager", 1_000, 2_000))

    assert found == {
        "card/sm_clock": 1510,
        "card/memory_clock": None,
        "card/power": 690_000,
        "card/temperature": 60,
        "card/readings": 3,
        "kernel/eager/busy/cycles": 2_265,  # 1.5 us at 1510 MHz
        "kernel/graph/busy/cycles": None,
    }


def test_a_clock_that_moved_or_is_unknown_gives_no_cycles() -> None:
    moved = values(reading(1400), reading(1500), **busy("eager", 1_000))
    unknown = values(reading(None), **busy("eager", 1_000))

    assert moved["kernel/eager/busy/cycles"] is None
    assert unknown["kernel/eager/busy/cycles"] is None


def test_a_card_that_was_never_read_has_no_metrics() -> None:
    assert values(**busy("eager", 1_000)) == {}


def test_a_steady_card_alone_has_no_findings() -> None:
    assert facts(reading(1980), reading(1965)) == {}


def test_a_power_cap_is_told_with_clock_power_and_limit() -> None:
    assert facts(reading(1515, "sw_power_cap"), reading(1515, "sw_power_cap")) == {
        "card/power_capped": "power held the clock down in 2 of 2 readings: 1515 MHz of at most "
        "1980 MHz at 690 W, with a limit of 700 W"
    }


def test_heat_and_a_drifting_clock_are_told_with_where_they_were_seen() -> None:
    hot = reading(1200, "sw_thermal_slowdown", stage="full/graph")

    assert facts(reading(1980), hot) == {
        "card/throttled": "the card was throttled in 1 of 2 readings: sw_thermal_slowdown",
        "card/drift": "the SM clock moved between 1200 and 1980 MHz (49 % of its median) while the "
        "op was measured: full/eager 1980 MHz, full/graph 1200 MHz",
    }


def test_a_display_and_other_processes_are_told() -> None:
    shared = Environment(display=True, other_processes=2)

    assert facts(environment=shared) == {
        "card/display": "the card drives a display, whose work runs between and beside the op's",
        "card/shared": "2 other processes hold the card",
    }


def test_where_nothing_is_known_nothing_is_claimed() -> None:
    assert list(card_findings((), None)) == []
    assert facts(environment=Environment()) == {}
