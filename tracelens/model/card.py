"""What the card itself says of its clocks, power and limits."""

from __future__ import annotations

from dataclasses import dataclass

SLOWED_BY = frozenset(
    {"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}
)
"""Reasons for a lower clock that are not the card's normal way to run: its samples are discarded.

A power cap is not among them: under heavy load it is the state that a card settles in.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReading:
    """One look at the card, between timed stretches. What it does not tell is None."""

    stage: str
    """What had just been sampled: `full/eager`."""
    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    power_mw: int | None = None
    temperature_c: int | None = None
    reasons: tuple[str, ...] = ()
    """Why the clock is below its highest, in NVML's words: `sw_power_cap`."""

    @property
    def slowed(self) -> bool:
        """Whether the card was throttled by heat, by a power brake or by its own protection."""
        return not SLOWED_BY.isdisjoint(self.reasons)
