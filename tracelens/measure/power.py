"""Clocks, power and limits of a card, by NVML. It takes milliseconds: never in a timed stretch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tracelens.measure.device import Device, Unavailable
from tracelens.model.card import CardReading

# Bits of NVML's nvmlClocksEventReasons, by their names in nvml.h without prefix.
_REASONS = {
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
"""Without 0x001, an idle device: between stretches every device is idle."""


class Card:
    """One card as NVML sees it. What a card or a driver does not tell is None."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml = nvml
        self._handle = handle
        # The older name of the same call, before driver 535.
        self._reasons_call = getattr(
            nvml,
            "nvmlDeviceGetCurrentClocksEventReasons",
            getattr(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", None),
        )

    def read(self, stage: str) -> CardReading:
        """Look at the card; NVML itself looks anew about every 0.1 s."""
        nvml, handle = self._nvml, self._handle
        return CardReading(
            stage=stage,
            sm_clock_mhz=self._ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM),
            memory_clock_mhz=self._ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM),
            power_mw=self._ask(nvml.nvmlDeviceGetPowerUsage, handle),
            temperature_c=self._ask(
                nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU
            ),
            reasons=self._reasons(),
        )

    @property
    def limits(self) -> dict[str, Any]:
        """Fields of an Environment that only NVML knows."""
        nvml, handle = self._nvml, self._handle
        mig = self._ask(nvml.nvmlDeviceGetMigMode, handle)
        persistence = self._ask(nvml.nvmlDeviceGetPersistenceMode, handle)
        display = self._ask(nvml.nvmlDeviceGetDisplayActive, handle)
        return {
            "sm_clock_limit_mhz": self._ask(
                nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_SM
            ),
            "memory_clock_limit_mhz": self._ask(
                nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_MEM
            ),
            "power_limit_mw": self._ask(nvml.nvmlDeviceGetEnforcedPowerLimit, handle),
            "mig": None if mig is None else bool(mig[0]),
            "persistence": None if persistence is None else bool(persistence),
            "display": None if display is None else bool(display),
            "other_processes": self._other_processes(),
        }

    def _reasons(self) -> tuple[str, ...]:
        bits = self._ask(self._reasons_call, self._handle) or 0
        return tuple(name for bit, name in _REASONS.items() if bits & bit)

    def _other_processes(self) -> int | None:
        """Count them, without names; this process holds the card too, so one of them is itself.

        Its own id is no help: in a container NVML may show another.
        """
        nvml, handle = self._nvml, self._handle
        computing = self._ask(nvml.nvmlDeviceGetComputeRunningProcesses, handle)
        drawing = self._ask(nvml.nvmlDeviceGetGraphicsRunningProcesses, handle)
        if computing is None or drawing is None:
            return None
        return max(len({process.pid for process in (*computing, *drawing)}) - 1, 0)

    def _ask(self, call: Callable[..., Any] | None, *arguments: Any) -> Any:
        if call is None:
            return None
        try:
            return call(*arguments)
        except self._nvml.NVMLError:  # no card and no driver answers every question
            return None


class Lookout:
    """Looks at a device's card between stretches, until it finds that it cannot.

    `blind` then says why. A CPU is never looked at.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.blind: Unavailable | None = None

    def look(self, stage: str) -> CardReading | None:
        """Return what the card says, or None."""
        if self.blind is not None or not self._device.asynchronous:
            return None
        try:
            return self._device.read_card(stage)
        except Unavailable as reason:
            self.blind = reason
            return None


def card_id(device: str) -> str:
    """Return the id by which NVML knows a device, such as `cuda:0`: it counts in its own order."""
    return f"GPU-{torch.cuda.get_device_properties(device).uuid}"


def open_card(uuid: str) -> Card:
    """Return the card of that id, `GPU-...`. Raises Unavailable where NVML cannot be used."""
    try:
        import pynvml  # noqa: PLC0415  # an extra, which may not be there
    except ImportError as error:
        raise Unavailable(
            "The package nvidia-ml-py is not installed: clocks, power and throttling are unknown.",
            "Install it with `pip install 'tracelens-gpu[nvml]'`.",
        ) from error
    try:
        pynvml.nvmlInit()
        return Card(pynvml, pynvml.nvmlDeviceGetHandleByUUID(uuid))
    except pynvml.NVMLError as error:
        raise Unavailable(
            f"NVML does not answer for this card ({error}): clocks, power and throttling are "
            "unknown.",
            "Check that nvidia-smi shows the card from where this runs.",
        ) from error
