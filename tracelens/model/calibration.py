"""A way of timing, tried on something whose length is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Way = Literal["cupti", "profiler", "events", "host"]
"""CUPTI's kernel records; torch.profiler's; a pair of CUDA events; the host clock and a wait."""

Kind = Literal["kernel", "host", "nothing"]
"""What has the known length. Nothing has none: what is measured is the way's own cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What one way said of one known thing, sample by sample, in ns."""

    check: str
    """What was timed: `spin_50us`."""
    way: Way
    kind: Kind
    truth_ns: int
    truth_from: str
    """Where the truth comes from, in words."""
    samples_ns: tuple[int, ...] = ()
    window: str | None = None
    """The annotation of a written trace that holds the samples, where they are not here."""
    device: str | None = None
    """`cuda:1`, where several cards are compared; the truth is then their median."""

    @property
    def name(self) -> str:
        """The check and the way as one word of a tag."""
        return (
            f"{self.check}_{self.device.replace(':', '')}"
            if self.device
            else (f"{self.check}_{self.way}")
        )
