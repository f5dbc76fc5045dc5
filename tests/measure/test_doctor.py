from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure import doctor
from tracelens.measure.doctor import examine, examine_card
from tracelens.model.calibration import Calibration
from tracelens.model.measurement import Withheld
from tracelens.model.report import Environment


class FakeTruth:
    """Kernels on the fake device: each runs 700 ns longer than it says, as an empty one does."""

    def __init__(self, device: FakeDevice) -> None:
        self._device = device
        self._spun_ns = 0
        self.empty = self.spin(0)

    def spin(self, length_ns: int) -> Callable[[], None]:
        launch = self._device.op(host_ns=3_000, kernel_ns=length_ns + 700)

        def call() -> None:
            self._spun_ns = length_ns
            launch()

        return call

    def spun_ns(self) -> int:
        self._device.synchronize()
        return self._spun_ns

    def between_events(self, call: Callable[[], object]) -> int:
        begun_ns = self._device.now_ns()
        call()
        self._device.synchronize()
        return self._device.now_ns() - begun_ns


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    device = FakeDevice(wait_ns=2_000)
    monkeypatch.setattr(doctor, "spin_host", device.spin)
    return device


def examined(device: FakeDevice) -> dict[str, set[int]]:
    """Return the values that the samples of each calibration have, by its name."""
    records = examine_card(device, FakeTruth(device), trace_path=Path("trace.json.gz"))
    return {r.name: set(r.samples_ns) for r in records if isinstance(r, Calibration)}


def test_every_way_says_what_the_device_is_known_to_do(device: FakeDevice) -> None:
    assert examined(device) == {
        "spin_5us_host": {10_700},  # launch, kernel and wait
        "spin_50us_host": {55_700},
        "spin_500us_host": {505_700},
        "empty_kernel_host": {5_700},
        "empty_call_host": {2_000},
        "spin_5us_events": {10_700},
        "spin_50us_events": {55_700},
        "spin_500us_events": {505_700},
        "empty_kernel_events": {5_700},
        "empty_events_events": {2_000},
        "spin_5us_cupti": {5_700},
        "spin_50us_cupti": {50_700},
        "spin_500us_cupti": {500_700},
        "empty_kernel_cupti": {700},
        "host_20us_cupti": {20_000},
        "host_50us_cupti": {50_000},
        "host_100us_cupti": {100_000},
        "spin_5us_profiler": set(),  # these are in the trace
        "spin_50us_profiler": set(),
        "spin_500us_profiler": set(),
        "empty_kernel_profiler": set(),
    }


def test_the_profiler_comes_last_and_each_thing_has_a_window_of_its_own(
    device: FakeDevice,
) -> None:
    examined(device)

    opened = list(dict.fromkeys(event for event in device.log if event.startswith("open ")))
    assert opened == [
        "open doctor::head",
        "open doctor::spin_5us",
        "open doctor::spin_50us",
        "open doctor::spin_500us",
        "open doctor::empty_kernel",
    ]
    assert device.log[-2:] == ["profiler off", "write trace.json.gz"]


def test_without_cupti_the_rest_is_examined_and_the_reason_kept() -> None:
    device = FakeDevice(records=False)

    records = list(examine_card(device, FakeTruth(device), trace_path=Path("trace.json.gz")))

    (withheld,) = (record for record in records if isinstance(record, Withheld))
    assert (withheld.finding.tag, withheld.finding.fact) == (
        "doctor/cupti/unavailable",
        "There is no CUPTI.",
    )
    ways = {record.way for record in records if isinstance(record, Calibration)}
    assert ways == {"host", "events", "profiler"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="has a CUDA device")
def test_a_machine_without_a_device_has_its_clock_examined_and_says_what_was_not() -> None:
    records = list(examine(trace_path=Path("unused.json.gz")))

    assert isinstance(records[0], Environment)
    assert {r.check for r in records if isinstance(r, Calibration)} >= {
        "clock_read",
        "spin_host_50us",
    }
    (withheld,) = (record for record in records if isinstance(record, Withheld))
    assert withheld.finding.fact.startswith("torch sees no CUDA device: CUDA events, CUPTI, ")
