from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tracelens.measure import host_clock, truth
from tracelens.measure.host_clock import examine_host_clock


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A read of the host clock takes 40 ns, and it runs a quarter faster than the raw clock."""
    ticks = count(step=40)
    last = [0]

    def now_ns() -> int:
        last[0] = next(ticks)
        return last[0]

    monkeypatch.setattr(truth, "now_ns", now_ns)
    monkeypatch.setattr(host_clock, "now_ns", now_ns)
    monkeypatch.setattr(host_clock.time, "clock_gettime_ns", lambda _: last[0] * 4 // 5)
    yield
    monkeypatch.undo()


def test_the_cost_of_a_read_the_length_of_a_spin_and_the_rate_are_found() -> None:
    found = {one.name: one for one in examine_host_clock()}

    assert {name: set(one.samples_ns) for name, one in found.items()} == {
        "clock_read_host": {40},
        "spin_host_50us_host": {50_080},  # the read before it and the one behind it
        "clock_rate_host": {6_250_000},
    }
    assert {one.kind for one in found.values()} == {"nothing", "host"}
