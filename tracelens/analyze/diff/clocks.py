"""The clock that the multiprocessors ran at while each side was sampled, and times in its cycles.

A kernel that takes longer at a lower clock has not become slower: its cycles say so. Host times
have no such clock and are never judged by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracelens.analyze.statistics import median
from tracelens.model.card import CardReading

STEADY = 0.03
"""A clock that moved by more while it was read is no one clock."""
_NS_A_US = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The SM clock of each side in MHz, and the larger of the two spreads, a share."""

    baseline_mhz: int
    candidate_mhz: int
    spread: float

    @property
    def ratio(self) -> float:
        """Candidate / baseline."""
        return self.candidate_mhz / self.baseline_mhz

    @property
    def steady(self) -> bool:
        """Whether times can be given in its cycles."""
        return self.spread <= STEADY


def read_clocks(
    stage: str, baseline: Sequence[CardReading], candidate: Sequence[CardReading]
) -> Clocks | None:
    """Return the clocks at which a device time was taken; None where a side was never read.

    Where the `stage` was read for itself those readings count, else all of the run.
    """
    sides = [_read(stage, readings) for readings in (baseline, candidate)]
    middles = [median(clocks) for clocks in sides]
    if not middles[0] or not middles[1]:
        return None
    spreads = [(max(c) - min(c)) / m for c, m in zip(sides, middles, strict=True) if m]
    return Clocks(baseline_mhz=middles[0], candidate_mhz=middles[1], spread=max(spreads))


def to_cycles(time_ns: int | None, clock_mhz: int) -> int | None:
    """Return a time as cycles of a clock."""
    return None if time_ns is None else round(time_ns * clock_mhz / _NS_A_US)


def _read(stage: str, readings: Sequence[CardReading]) -> list[int]:
    own = [r for r in readings if r.stage == stage]
    return [r.sm_clock_mhz for r in own or readings if r.sm_clock_mhz]
