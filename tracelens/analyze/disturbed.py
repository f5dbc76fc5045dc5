"""A run that something else disturbed: its medians say little, and that comes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracelens.analyze.statistics import median, noise
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding

_NOISY = 1.0
"""IQR / median of the full call from which its median says little: a quiet machine has 0.1."""
IMPOSSIBLE = 1.5
"""Back to back a call waits less than on its own, so that its time is at most the full call's; with
the profiler on it takes longer. So much the other way round is not of the op."""


def disturbed(taken: Mapping[str, Measurement]) -> Iterator[Finding]:
    """Yield the headline of a run whose own figures contradict each other, or scatter."""
    full, amortised = taken.get("full/eager"), taken.get("amortised/eager")
    if full is None:
        return
    signs = []
    scatter = noise(full.samples_ns)
    if scatter is not None and scatter > _NOISY:
        signs.append(f"the middle half of the full calls spreads over {spell_share(scatter)} of "
                     "their median")  # fmt: skip
    alone, in_a_row = median(full.samples_ns), median(amortised.samples_ns) if amortised else None
    if alone and in_a_row is not None and in_a_row > IMPOSSIBLE * alone:
        signs.append(spell_contradiction(in_a_row, alone))
    profiled = taken.get("full_profiled/eager")
    slowed = median(profiled.samples_ns) if profiled else None
    if alone and slowed is not None and alone > IMPOSSIBLE * slowed:
        signs.append(f"a call takes {spell_ns(alone)}, with the profiler on {spell_ns(slowed)}")
    if signs:
        yield Finding(
            tag="verdict/disturbed",
            severity="warning",
            fact=f"disturbed: {'; '.join(signs)}",
            advice="look for other work on this machine and card, and profile again before any "
            "host time here is believed",
        )


def spell_contradiction(in_a_row_ns: int, alone_ns: int) -> str:
    """Say what a call takes in a row and on its own, where the two cannot both be of the op."""
    return (
        f"calls in a row take {spell_ns(in_a_row_ns)} each, a call on its own {spell_ns(alone_ns)}"
    )
