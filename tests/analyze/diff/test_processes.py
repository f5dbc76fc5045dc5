"""What one process a side cannot tell, and what several can. All times in ns."""

import numpy as np
import pytest

from tracelens.analyze.change import TICK_NS
from tracelens.analyze.diff.processes import compare_processes, on_device, process_floor
from tracelens.analyze.diff.quantities import Quantity


def sampled(**medians):
    """Return quantities by stem; `_` in a name stands for `/`."""
    return {
        stem.replace("__", "/"): Quantity(
            name=stem, samples=np.full(11, median, np.int64), group="measured"
        )
        for stem, median in medians.items()
    }


@pytest.mark.parametrize(
    ("stem", "floor"),
    [
        ("kernel", 0.01),
        ("device/graph", 0.01),
        ("undisturbed/busy", 0.01),
        ("submit", 1.5),
        ("host_dispatch", 1.0),
        ("undisturbed/before_first", 1.0),
        ("full", 0.208),  # 0.2 of the call is off the device, in the side where that is more
        ("full/graph", 0.505),
        ("full_cold", 1.0),  # nobody knows how busy the device was
    ],
)
def test_a_quantity_may_differ_by_luck_as_far_as_its_share_of_the_host_goes(stem, floor):
    side = sampled(full=100, device=80, kernel=80, full__graph=100, full_cold=100)
    other = sampled(full=100, device=90, kernel=90, full__graph=90, full_cold=100)
    graphs = sampled(kernel__graph=50)
    assert process_floor(stem, {**side, **graphs}, {**other, **graphs}) == pytest.approx(floor)


def test_only_time_of_the_device_alone_is_on_the_device():
    found = [s for s in ("kernel", "device_cold/graph", "memory", "split/kernel") if on_device(s)]
    assert found == ["kernel", "device_cold/graph", "memory", "split/kernel"]
    assert not any(map(on_device, ("full", "launch", "kernels", "undisturbed/full", "cold/kernel")))


def compared(baseline, candidate):
    return compare_processes(baseline, candidate, tick_ns=TICK_NS)


def processes(*medians):
    return [np.array([median - 1, median, median + 1]) for median in medians]


def test_the_figures_of_several_processes_by_hand():
    change = compared(processes(1_000, 1_020), processes(2_000, 2_040))
    assert (change.baseline, change.candidate, change.delta) == (1_010, 2_020, 1_010)
    assert change.ratio == pytest.approx(2.0)
    assert change.floor == pytest.approx(0.032, abs=0.001)  # a tick of the clock, 32 ns of 1,010
    # Student's t of 99 % with 2 degrees is 9.92; the error of the mean logarithm 0.0140
    assert (change.ratio_low, change.ratio_high) == (
        pytest.approx(2 * np.exp(-9.92 * 0.0140), rel=0.03),
        pytest.approx(2 * np.exp(9.92 * 0.0140), rel=0.03),
    )
    assert change.verdict == "slower"


def test_one_process_may_stand_beside_several_of_the_other_build():
    change = compared(processes(10_000, 10_100, 9_950), processes(20_000))
    assert change.verdict == "slower"
    none = compared(processes(10_000, 10_100, 9_950), processes(10_080))
    assert none.verdict == "no difference detected"


def test_two_builds_that_are_one_are_told_apart_in_one_of_a_hundred():
    random = np.random.default_rng(31)

    def build():
        return [np.full(5, 20_000 * np.exp(0.2 * random.normal())).round() for _ in range(3)]

    verdicts = [compared(build(), build()).verdict for _ in range(300)]
    assert verdicts.count("no difference detected") >= 293  # of 297 that are meant to be


def test_the_figures_of_several_processes_are_those_of_one_ratio():
    """The medians of all samples would say 10 -> 11 us, slower, beside a ratio of 0.76."""
    change = compared(processes(10_000, 10_000, 30_000), processes(11_000, 11_000, 11_000))
    assert (change.baseline, change.candidate, change.delta) == (14_422, 11_000, -3_422)
    assert change.ratio == pytest.approx(11_000 / 14_422, abs=1e-4)
    assert change.delta_low < 0 < change.delta_high
    assert change.ratio_low < 1 < change.ratio_high


def test_three_processes_say_little_but_nothing_that_is_no_number():
    """One degree of freedom: draws of Student's t lie a thousand standard errors away."""
    change = compared(processes(1_000, 9_000), processes(3_000))
    assert change.ratio == pytest.approx(1.0)
    assert (change.ratio_low, change.ratio_high) == (pytest.approx(1e-3), pytest.approx(1e3))
    assert np.isfinite(change.ratios).all()
    assert (change.ratios > 0).all()
    assert change.verdict == "no difference detected"


def test_a_time_of_nothing_has_a_difference_and_no_ratio():
    change = compared(processes(100, 110), [np.zeros(3, np.int64)])
    assert (change.baseline, change.candidate, change.delta) == (105, 0, -105)
    assert (change.ratio, change.verdict) == (None, "no difference detected")
    assert change.delta_low < -105 < 0 < change.delta_high
    sure = compared(processes(100, 101, 100), [np.zeros(3, np.int64)] * 3)
    assert sure.verdict == "faster"


def test_a_process_that_has_no_samples_counts_for_none():
    empty = np.array([], np.int64)
    change = compared([*processes(1_000), empty], processes(2_000))
    assert change.ratio == pytest.approx(2.0)
    assert (change.ratio_low, change.verdict) == (None, "not comparable")
    assert compared([empty, empty], processes(2_000)).baseline is None
