from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tracelens.measure.device import Unavailable
from tracelens.measure.power import open_card
from tracelens.model.card import CardReading


class FakeNvml(ModuleType):
    """NVML of a machine with one card, busy under its power cap."""

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    class NVMLError(Exception):
        pass

    def __init__(self, **answers: Any) -> None:
        super().__init__("pynvml")
        self._answers = {
            "nvmlInit": None,
            "nvmlDeviceGetHandleByUUID": "handle",
            "nvmlDeviceGetClockInfo": 1515,
            "nvmlDeviceGetMaxClockInfo": 1980,
            "nvmlDeviceGetPowerUsage": 686_864,
            "nvmlDeviceGetTemperature": 41,
            "nvmlDeviceGetCurrentClocksEventReasons": 0x5,
            "nvmlDeviceGetEnforcedPowerLimit": 700_000,
            "nvmlDeviceGetMigMode": [0, 0],
            "nvmlDeviceGetPersistenceMode": 1,
            "nvmlDeviceGetDisplayActive": 0,
            "nvmlDeviceGetComputeRunningProcesses": [
                SimpleNamespace(pid=7),
                SimpleNamespace(pid=8),
            ],
            "nvmlDeviceGetGraphicsRunningProcesses": [SimpleNamespace(pid=8)],
            **answers,
        }

    def __getattr__(self, name: str) -> Any:
        if name not in self._answers:
            raise AttributeError(name)

        def answer(*_: Any) -> Any:
            if isinstance(self._answers[name], Exception):
                raise self._answers[name]
            return self._answers[name]

        return answer


REFUSED = FakeNvml.NVMLError("Not Supported")


def install(monkeypatch: pytest.MonkeyPatch, **answers: Any) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(**answers))


def test_a_reading_says_clocks_power_heat_and_why_the_clock_is_low(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch)

    assert open_card("GPU-1").read("full/eager") == CardReading(
        stage="full/eager",
        sm_clock_mhz=1515,
        memory_clock_mhz=1515,
        power_mw=686_864,
        temperature_c=41,
        reasons=("sw_power_cap",),  # bit 1, an idle device, is none
    )


def test_the_limits_of_a_card_and_who_else_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)

    assert open_card("GPU-1").limits == {
        "sm_clock_limit_mhz": 1980,
        "memory_clock_limit_mhz": 1980,
        "power_limit_mw": 700_000,
        "mig": False,
        "persistence": True,
        "display": False,
        "other_processes": 1,  # two processes, of which one is this
    }


def test_what_a_card_does_not_tell_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        monkeypatch,
        nvmlDeviceGetPowerUsage=REFUSED,
        nvmlDeviceGetMigMode=REFUSED,
        nvmlDeviceGetGraphicsRunningProcesses=REFUSED,
    )
    card = open_card("GPU-1")

    assert card.read("full/eager").power_mw is None
    assert (card.limits["mig"], card.limits["other_processes"]) == (None, None)


@pytest.mark.parametrize(
    ("reasons", "slowed"),
    [
        (0x0, False),
        (0x4, False),
        (0x2, False),
        (0x8, True),
        (0x20, True),
        (0x40, True),
        (0x80, True),
    ],
)
def test_heat_and_brakes_slow_a_card_and_a_power_cap_is_how_it_runs(
    monkeypatch: pytest.MonkeyPatch, reasons: int, slowed: bool
) -> None:
    install(monkeypatch, nvmlDeviceGetCurrentClocksEventReasons=reasons)

    assert open_card("GPU-1").read("full/eager").slowed is slowed


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)

    with pytest.raises(Unavailable, match="nvidia-ml-py is not installed") as caught:
        open_card("GPU-1")

    assert caught.value.advice == "Install it with `pip install 'tracelens-gpu[nvml]'`."


def test_a_card_that_nvml_does_not_know_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, nvmlDeviceGetHandleByUUID=FakeNvml.NVMLError("Not Found"))

    with pytest.raises(Unavailable, match=r"NVML does not answer for this card \(Not Found\)"):
        open_card("GPU-1")
