"""Sizes of a sweep that something else disturbed: figures that scatter, or that cannot be so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.analyze.disturbed import IMPOSSIBLE, spell_contradiction
from tracelens.analyze.statistics import median, noise
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding
from tracelens.model.sweep import SweepPoint

_NOISY = 0.5
"""IQR / median of the full call: a quiet machine has 0.1."""
_PEAK = 3
"""Times both sizes beside it: a call that grows with its size lies between the two."""
_MOST_APART = 3
"""On the CPU there is nothing to wait for: the full call is what calls in a row take, or nearly."""
_NAMED = 3
"""Sizes that a finding explains; it counts the others."""


def disturbed_sizes(name: str, points: Sequence[SweepPoint], *, on_cpu: bool) -> Iterator[Finding]:
    """Yield one warning that says which sizes were disturbed, by ascending size, and the signs."""
    measured = [point for point in points if point.full_ns]
    full_ns = [median(point.full_ns) or 0 for point in measured]
    padded = [None, *full_ns, None]
    told = []
    for point, before, after in zip(measured, padded[:-2], padded[2:], strict=True):
        signs = [
            *_scatter(point),
            *_peak(point, before, after),
            *_contradiction(point, on_cpu=on_cpu),
        ]
        if signs:
            told.append(f"{point.size:,} ({'; '.join(signs)})")
    if told:
        more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        yield Finding(
            tag="sweep/disturbed",
            severity="warning",
            fact=f"disturbed at {name} = {', '.join(told[:_NAMED])}{more}",
            advice="look for other work on this machine and card, and sweep again before the "
            "figures there are believed",
        )


def _scatter(point: SweepPoint) -> Iterator[str]:
    scatter = noise(point.full_ns)
    if scatter is not None and scatter > _NOISY:
        yield f"noise of the full call {spell_share(scatter)}"


def _peak(point: SweepPoint, before_ns: int | None, after_ns: int | None) -> Iterator[str]:
    full_ns = median(point.full_ns)
    if full_ns and before_ns and after_ns and full_ns > _PEAK * max(before_ns, after_ns):
        yield (
            f"a full call takes {spell_ns(full_ns)}, at the sizes beside it {spell_ns(before_ns)} "
            f"and {spell_ns(after_ns)}"
        )


def _contradiction(point: SweepPoint, *, on_cpu: bool) -> Iterator[str]:
    full_ns, in_a_row_ns = median(point.full_ns), median(point.amortised_ns)
    if not full_ns or not in_a_row_ns:
        return
    if in_a_row_ns > IMPOSSIBLE * full_ns or (on_cpu and full_ns > _MOST_APART * in_a_row_ns):
        yield spell_contradiction(in_a_row_ns, full_ns)
