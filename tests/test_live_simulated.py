"""Live verdicts from the first call to the last word, on simulated devices whose truth is known.

Six processes take turns as those of a lineup do, each on a device of its own; each has its luck,
each call its noise, and the cores differ. Seeds are fixed. Times in ns.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.analyze.change import TICK_NS, Change
from tracelens.analyze.diff.rounds import compare_rounds
from tracelens.measure.contender import Contender
from tracelens.measure.pairs import Plan, TakeTurn, Turn, Turns, sum_up, take_rounds
from tracelens.measure.timing import Timed

PLAN = Plan(rounds=20, heads=1, calls=3)
CORES = {0: 1.0, 1: 1.3}
"""How slow each core is."""
HOST_NS, KERNEL_NS, LAUNCH_NS = 30_000, 20_000, 1_000


class Process:
    """A process of one side: an op of known host and kernel time, called when it is its turn."""

    def __init__(self, random: np.random.Generator, *, host_ns: int, kernel_ns: int) -> None:
        self._device = FakeDevice(wait_ns=2_000, record_ns=400)
        self._slow, luck = 1.0, np.exp(0.003 * random.normal())

        def call() -> object:
            noise = np.exp(0.01 * random.normal())
            self._device.spin(round(host_ns * luck * noise * self._slow))
            return launch()

        launch = self._device.op(host_ns=LAUNCH_NS, kernel_ns=kernel_ns)
        timed = Timed(call=call, device=self._device, grad="no_grad")
        self.ready = Contender(
            device=self._device, ways={"eager": timed}, call_ns={"eager": host_ns + kernel_ns}
        )

    def take_turn(self, plan: Plan, core: int | None) -> Turn:
        self._slow = CORES[core or 0]
        return self.ready.take_turn("eager", plan)


def verdicts_on(seed: int, *, host_ns: int = HOST_NS, kernel_ns: int = KERNEL_NS) -> dict[str, str]:
    """Compare an op with one whose parts take so long, and return the verdict on each quantity."""
    random = np.random.default_rng(seed)
    sides = [
        [Process(random, host_ns=host, kernel_ns=kernel) for _ in range(3)]
        for host, kernel in ((HOST_NS, KERNEL_NS), (host_ns, kernel_ns))
    ]
    turns: list[list[TakeTurn]] = [[process.take_turn for process in side] for side in sides]
    timed = take_rounds(turns[0], turns[1], PLAN, cores=[*CORES])
    for side in sides:
        for process in side:
            process.ready.begin_records()
    take_rounds(turns[0], turns[1], PLAN, cores=[*CORES])
    parts: Turns = [[process.ready.end_records() for process in side] for side in sides]
    return {
        "full": judged(timed, "full").verdict,
        "before_first": judged(parts, "before_first").verdict,
        "busy": judged(parts, "busy", tick_ns=TICK_NS).verdict,
    }


def judged(turns: Turns, what: str, *, tick_ns: int = 0) -> Change:
    return compare_rounds(sum_up(turns, what, includes="one call"), tick_ns=tick_ns)


def test_two_sides_that_are_one_are_told_apart_in_at_most_one_of_forty_verdicts() -> None:
    verdicts = [verdicts_on(seed)["full"] for seed in range(40)]

    assert verdicts.count("no difference detected") >= 39


@pytest.mark.parametrize(
    ("longer", "part", "other"),
    [
        ({"kernel_ns": KERNEL_NS + 1_000}, "busy", "before_first"),
        ({"host_ns": HOST_NS + 2_000}, "before_first", "busy"),
    ],
)
def test_what_became_longer_is_found_each_time_and_laid_on_its_part(
    longer: dict[str, int], part: str, other: str
) -> None:
    found = [verdicts_on(100 + seed, **longer) for seed in range(10)]

    assert [one[part] for one in found] == ["slower"] * 10
    assert [one["full"] for one in found] == ["slower"] * 10
    assert [one[other] for one in found].count("no difference detected") >= 9
