"""Predictions: what they claim, and what came of them. All times in ns."""

from dataclasses import replace

import pytest

from tracelens.analyze.change import Change
from tracelens.analyze.diff.expectations import read_expectation
from tracelens.errors import UsageError

CAME = Change(
    baseline=13_800,
    candidate=17_000,
    candidate_low=16_900,
    candidate_high=17_100,
    ratio=1.232,
    ratio_low=1.22,
    ratio_high=1.25,
)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("kernel: -20% +/- 3%", 0.77, 0.83),
        ("kernel: +5%", 1.045, 1.055),
        ("geomean: 1.31x", 1.305, 1.315),
        ("full: 1.31x +/- 10%", 1.179, 1.441),
        ("kernel: -25%..-15%", 0.75, 0.85),
        ("kernel: 13.8us -> 17us", 16_500, 17_500),
        ("kernel: 13.8us -> 17.0us", 16_950, 17_050),
        ("host dispatch: 8us..12us", 8_000, 12_000),
        ("full: 8..12 us", 8_000, 12_000),
        ("full: 1.5ms +/- 0.1ms", 1_400_000, 1_600_000),
        ("full: 1.5ms \u00b1 0.1ms", 1_400_000, 1_600_000),
        ("kernel: 0% +/- 2%", 0.98, 1.02),
        ("kernel: 0%..+5%", 1.0, 1.05),
        ("kernels: 2x", 1.5, 2.5),
    ],
)
def test_a_claim_has_bounds_and_without_a_margin_half_a_unit_of_its_last_digit(text, low, high):
    expected = read_expectation(text)
    assert (expected.low, expected.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize(
    ("text", "outcome", "came"),
    [
        ("kernel: +23% +/- 2%", "met", "+23.2 % (+22.0 % to +25.0 %)"),
        ("kernel: -20% +/- 3%", "missed, higher", "+23.2 % (+22.0 % to +25.0 %)"),
        ("kernel: 1.5x", "missed, lower", "1.232x (1.220x to 1.250x)"),
        ("kernel: 1.24x..1.3x", "cannot tell", "1.232x (1.220x to 1.250x)"),
        ("kernel: +23% +/- 1.5%", "cannot tell", "+23.2 % (+22.0 % to +25.0 %)"),
        ("kernel: 13.8us -> 17us", "met", "17.0 us (16.9 us to 17.1 us)"),
        ("kernel: 17.05us..18us", "cannot tell", "17.0 us (16.9 us to 17.1 us)"),
        ("kernel: 20us..30us", "missed, lower", "17.0 us (16.9 us to 17.1 us)"),
        ("geomean: 1.2x..1.3x", "met", "1.232x (1.220x to 1.250x)"),
        ("kernel: 8us..12us", "missed, higher", "17.0 us (16.9 us to 17.1 us)"),
    ],
)
def test_a_prediction_is_met_or_missed_in_a_direction_or_nobody_can_tell(text, outcome, came):
    expected = read_expectation(text)
    assert (expected.outcome(CAME), expected.spell_found(CAME)) == (outcome, came)


def test_one_sample_has_no_interval_and_nobody_can_tell():
    expected = read_expectation("kernel: 1.2x")
    change = Change(baseline=10_000, candidate=12_000, ratio=1.2)
    assert (expected.outcome(change), expected.spell_found(change)) == ("cannot tell", "1.200x")


def test_what_another_process_might_have_shown_widens_the_interval():
    expected = read_expectation("full: 1.2x..1.3x")
    assert expected.outcome(CAME) == "met"
    lucky = replace(CAME, luck=1.0)
    assert expected.outcome(lucky) == "cannot tell"
    assert expected.spell_found(lucky) == "1.232x (0.610x to 2.500x)"


def test_what_was_not_measured_cannot_be_told():
    expected = read_expectation("kernel: 1.2x")
    assert (expected.outcome(Change()), expected.spell_found(Change())) == (
        "cannot tell",
        "not measured",
    )


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("kernel -20%", "'kernel -20%' is no prediction"),
        ("kernel: fast", "'kernel: fast' is no prediction"),
        ("kernel: 17", "'kernel: 17' lacks a unit"),
        ("kernel: 8..12", "'kernel: 8..12' lacks a unit"),
        ("kernel: 20%", "'kernel: 20%' lacks a sign, for less or for more"),
        ("kernel: 12us..8us", "'kernel: 12us..8us': the range ends before it begins"),
        ("kernel: 8us..12ms", "'kernel: 8us..12ms' mixes the units us and ms"),
        ("kernel: 8us +/- 1ms", "'kernel: 8us +/- 1ms' mixes the units us and ms"),
        ("kernal: 8us", "'kernal' is no quantity to predict"),
        ("geomean: 8us", "'geomean: 8us': a geometric mean is a ratio, not a time"),
        ("launches: 3us", "'launches: 3us': launch calls are counted, and take no time"),
        ("kernel: 1e400x", "'kernel: 1e400x' is no prediction"),
        ("kernel: nanx", "'kernel: nanx' is no prediction"),
        ("kernel: 5%..10%", "'kernel: 5%..10%' lacks a sign, for less or for more"),
        ("kernel: 1.2.3foo -> 17us", "'kernel: 1.2.3foo -> 17us' is no prediction"),
        ("kernel: 13.8us -> +20%", "'kernel: 13.8us -> +20%' goes from a time to none"),
        *(
            (
                f"kernel: {signed}",
                f"'kernel: {signed}' has a sign, and a time or a ratio is the candidate's own, "
                "not a change",
            )
            for signed in ("-3us", "+3us", "-1x", "-3us..5us")
        ),
    ],
)
def test_what_is_no_prediction_is_a_usage_error(text, fact):
    with pytest.raises(UsageError) as caught:
        read_expectation(text)
    assert caught.value.fact == fact


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("full call", "full"),
        ("kernel busy", "kernel"),
        ("host  dispatch", "host_dispatch"),
        ("host_dispatch", "host_dispatch"),
        ("full call, graph", "full/graph"),
        ("kernels", "kernels"),
    ],
)
def test_a_quantity_is_named_as_in_a_report_or_as_in_its_tag(name, stem):
    assert read_expectation(f"{name}: 2x").stem == stem
