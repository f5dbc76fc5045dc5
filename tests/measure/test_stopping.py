from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.stopping import Rule, Sampled, known_within, sample_until
from tracelens.measure.timing import Timed
from tracelens.model.card import CardReading

COOL = CardReading(stage="", sm_clock_mhz=1980)
HOT = CardReading(stage="", sm_clock_mhz=1200, reasons=("hw_thermal_slowdown",))


def sampled(device: FakeDevice, host_ns: list[int] | None = None, **rule: float) -> Sampled:
    """Sample an op whose host time goes through a list, over and over."""
    lengths = cycle(host_ns or [5_000])
    calls: dict[int, Callable[[], object]] = {}

    def call() -> object:
        length = next(lengths)
        return calls.setdefault(length, device.op(host_ns=length, kernel_ns=1_000))()

    whole = Rule(**{"block": 10, "most": 1_000, "precision": 0.005, "budget_ns": 10**18, **rule})
    return sample_until(
        Timed(call=call, device=device, grad="no_grad"),
        whole,
        look=lambda: device.read_card("full/eager"),
    )


def test_samples_that_agree_end_it_after_the_first_block() -> None:
    found = sampled(FakeDevice())

    assert (len(found.instants), found.ended_by) == (10, "precision")


def test_samples_that_spread_are_taken_until_the_interval_of_the_median_is_narrow() -> None:
    # 101 lengths, 1 % apart in all: the interval narrows with every block.
    found = sampled(FakeDevice(), [100_000 + 10 * n for n in (37 * k % 101 for k in range(101))])

    assert found.ended_by == "precision"
    assert known_within(found.instants.full_ns, 0.005)
    assert not known_within(found.instants.full_ns[:-10], 0.005)


def test_where_they_never_agree_the_number_of_samples_ends_it() -> None:
    found = sampled(FakeDevice(), [1_000, 9_000], most=50)

    assert (len(found.instants), found.ended_by) == (50, "samples")


def test_where_they_never_agree_the_budget_ends_it() -> None:
    # Calls of 2 and 10 us in turn: nine of them fill a block's fifth of the budget, five times.
    found = sampled(FakeDevice(), [1_000, 9_000], budget_ns=250_000)

    assert (len(found.instants), found.ended_by) == (45, "budget")


def test_the_card_is_looked_at_after_each_block_and_never_inside() -> None:
    device = FakeDevice(readings=[COOL])

    found = sampled(device, [1_000, 9_000], block=5, most=10)

    assert [event for event in device.log if event in ("call", "look")] == [
        *["call"] * 5,
        "look",
        *["call"] * 5,
        "look",
    ]
    assert found.readings == [CardReading(stage="full/eager", sm_clock_mhz=1980)] * 2


def test_a_block_after_which_the_card_is_throttled_is_discarded_and_counted() -> None:
    found = sampled(FakeDevice(readings=[HOT, COOL]), block=10)

    assert (len(found.instants), found.discarded, found.ended_by) == (10, 10, "precision")


def test_where_the_card_is_always_throttled_its_samples_are_all_there_is() -> None:
    found = sampled(FakeDevice(readings=[HOT]), most=30)

    assert (len(found.instants), found.discarded, found.ended_by) == (30, 0, "samples")


@pytest.mark.parametrize(
    ("samples", "known"),
    [
        ([1_000] * 5, False),  # too few to enclose the median at all
        ([1_000] * 6, True),
        ([995, 1_000, 1_000, 1_000, 1_000, 1_005], True),
        ([994, 1_000, 1_000, 1_000, 1_000, 1_000], False),
    ],
)
def test_the_median_is_known_where_both_ends_of_its_interval_are_near(
    samples: list[int], known: bool
) -> None:
    assert known_within(samples, 0.005) is known
