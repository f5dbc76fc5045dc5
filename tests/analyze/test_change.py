"""One quantity on both sides. All times in ns."""

import numpy as np
import pytest

from tracelens.analyze.change import Change, compare, of_ratio, show_both, to_ratios


def samples(median, *, spread=10, count=101):
    """Samples evenly spread about a median, in an order that does not drift."""
    return np.random.default_rng(count).permutation(
        np.linspace(median - spread, median + spread, count).round().astype(np.int64)
    )


def test_medians_their_difference_and_ratio_are_exact():
    change = compare(samples(18_300), samples(48_312))
    assert (change.baseline, change.candidate, change.delta) == (18_300, 48_312, 30_012)
    assert change.ratio == 48_312 / 18_300
    assert change.ratio_low < change.ratio < change.ratio_high
    assert change.delta_low < change.delta < change.delta_high


@pytest.mark.parametrize(
    ("candidate", "verdict"),
    [
        (10_000, "no difference detected"),  # the interval covers 1
        (10_008, "no difference detected"),  # beyond its interval, within the noise of 0.1 %
        (10_200, "slower"),
        (9_800, "faster"),
    ],
)
def test_a_verdict_needs_more_than_the_interval_and_more_than_the_noise(candidate, verdict):
    change = compare(samples(10_000), samples(candidate))
    assert change.floor == pytest.approx(0.001, rel=0.1)
    assert change.verdict == verdict


def test_too_few_samples_have_a_ratio_but_no_interval_and_no_verdict():
    change = compare(np.array([100]), np.array([150]))
    assert (change.ratio, change.ratio_low, change.verdict) == (1.5, None, "not comparable")


def test_a_baseline_of_nothing_is_judged_by_the_difference():
    change = compare(np.zeros(20, np.int64), samples(5_000))
    assert (change.ratio, change.verdict) == (None, "slower")
    nothing = compare(np.zeros(20, np.int64), np.zeros(20, np.int64))
    assert nothing.verdict == "no difference detected"


def test_a_baseline_that_may_be_nothing_is_judged_by_the_difference_and_outside_the_floor():
    mixed = np.array([0] * 9 + [4_000] * 11)
    change = compare(mixed, np.full(20, 5_000), luck=1.0)
    assert (change.ratio, change.ratio_low, change.delta) == (1.25, None, 1_000)
    assert change.verdict == "no difference detected"
    assert compare(mixed, np.full(20, 9_000), luck=1.0).verdict == "slower"


def test_what_follows_from_a_ratio_agrees_with_it():
    change = of_ratio(
        1_000.4, 0.9, floor=0.01, ratios=to_ratios(0.9, np.linspace(-0.02, 0.02, 101))
    )
    assert (change.baseline, change.candidate, change.delta) == (1_000, 900, -100)
    assert (change.ratio_low, change.ratio_high) == (
        pytest.approx(0.9 * np.exp(-0.0198)),
        pytest.approx(0.9 * np.exp(0.0198)),
    )
    assert (change.candidate_low, change.candidate_high) == (883, 918)
    assert (change.delta_low, change.delta_high) == (-118, -82)
    assert change.verdict == "faster"


def test_what_cannot_be_compared_is_shown_without_a_difference():
    change = show_both(samples(10_000), None)
    assert (change.baseline, change.candidate, change.delta) == (10_000, None, None)
    assert change.verdict == "not comparable"


def test_a_tick_of_the_devices_clock_is_no_movement():
    assert not Change(delta=32).moved
    assert Change(delta=-33).moved
