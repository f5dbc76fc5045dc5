from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tracelens.measure import cupti as ours
from tracelens.measure.cupti import CuptiRecords

EPOCH_NS = 1_700_000_000_000_000_000
"""CUPTI counts from an epoch; 19 digits do not fit a float."""


class FakeCupti:
    """CUPTI with a clock of its own, which runs `drift` ns faster every second."""

    ActivityKind = SimpleNamespace(CONCURRENT_KERNEL=10, MEMCPY=1, MEMSET=2)

    def __init__(self, host: FakeHost, *, drift: int = 0) -> None:
        self._host = host
        self._drift = drift
        self._deliver: Callable[[list[Any]], None] = lambda activities: None
        self.enabled: list[int] = []
        self.records: list[Any] = []

    def activity_register_callbacks(self, request: Any, deliver: Any) -> None:
        assert request() == (16 << 20, 0)
        self._deliver = deliver

    def activity_enable(self, kind: int) -> None:
        self.enabled.append(kind)

    def activity_disable(self, kind: int) -> None:
        self.enabled.remove(kind)

    def activity_flush_all(self, flag: int) -> None:
        self._deliver(self.records)

    def theirs(self, host_ns: int) -> int:
        return EPOCH_NS + host_ns + host_ns * self._drift // 1_000_000_000

    def get_timestamp(self) -> int:
        return self.theirs(self._host.ns)

    def work(self, kind: int, start_ns: int, end_ns: int) -> None:
        """Record work, given in the host's time."""
        record = SimpleNamespace(kind=kind, start=self.theirs(start_ns), end=self.theirs(end_ns))
        self.records.append(record)


class FakeHost:
    """The host clock: every read of it takes 40 ns."""

    ns = 0

    def now_ns(self) -> int:
        self.ns += 40
        return self.ns


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    host = FakeHost()
    monkeypatch.setattr(ours, "now_ns", host.now_ns)
    return host


def recorded(host: FakeHost, cupti: FakeCupti) -> list[list[int]]:
    records = CuptiRecords(cupti)
    records.begin()
    host.ns = 10_000_000_000
    records.end()
    times = records.times()
    return [times.starts.tolist(), times.ends.tolist(), [times.uncertainty_ns]]


def test_records_come_back_on_the_hosts_clock_in_order_of_start(host: FakeHost) -> None:
    cupti = FakeCupti(host)
    cupti.work(10, 5_000_000_000, 5_000_020_000)
    cupti.work(1, 4_000_000_000, 4_000_000_500)

    starts, ends, uncertainty = recorded(host, cupti)

    # The paired reads are 40 ns apart: their middle is off by up to 20 ns, and no more.
    assert starts == pytest.approx([4_000_000_000, 5_000_000_000], abs=20)
    assert ends == pytest.approx([4_000_000_500, 5_000_020_000], abs=20)
    assert uncertainty == [20]


def test_a_clock_that_drifts_is_followed(host: FakeHost) -> None:
    cupti = FakeCupti(host, drift=50_000)
    cupti.work(10, 5_000_000_000, 5_000_020_000)

    starts, ends, _ = recorded(host, cupti)

    assert starts == pytest.approx([5_000_000_000], abs=22)
    assert ends == pytest.approx([5_000_020_000], abs=22)


def test_other_kinds_of_record_are_left_out_and_recording_ends(host: FakeHost) -> None:
    cupti = FakeCupti(host)
    cupti.work(99, 5_000_000_000, 5_000_020_000)

    assert recorded(host, cupti)[:2] == [[], []]
    assert cupti.enabled == []


def test_records_can_be_paused_and_resumed_and_twice_is_once(host: FakeHost) -> None:
    cupti = FakeCupti(host)
    records = CuptiRecords(cupti)
    records.begin()
    records.resume()

    records.pause()
    records.pause()
    assert cupti.enabled == []

    records.resume()
    assert cupti.enabled == [10, 1, 2]
    records.end()
    assert cupti.enabled == []
