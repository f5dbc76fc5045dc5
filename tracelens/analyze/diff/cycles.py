"""Kernel times in cycles of the card's clock, and what that clock alone explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.analyze.change import Change
from tracelens.analyze.diff.clocks import Clocks, to_cycles
from tracelens.analyze.diff.metrics import change_metrics
from tracelens.analyze.diff.pairing import Pair
from tracelens.model.quantity import spell_share
from tracelens.model.report import Finding, Metric, Section

_SHOWN = ("kernel", "kernel/graph", "kernel_cold", "kernel_cold/graph")


def cycles_section(pairs: Sequence[Pair]) -> tuple[Section, ...]:
    """Show the clocks and the kernels' cycles; nothing where a side's clock was never read."""
    read = [(pair, pair.clocks) for pair in pairs if pair.stem in _SHOWN and pair.clocks]
    if not read:
        return ()
    metrics = [*_clock_metrics(read[0][1])]
    for pair, clocks in read:
        if clocks.steady:
            metrics += _cycle_metrics(pair, clocks)
    findings = [finding for pair, clocks in read for finding in _findings(pair, clocks)]
    return (
        Section(
            title="In cycles of the SM clock", metrics=tuple(metrics), findings=tuple(findings)
        ),
    )


def _clock_metrics(clocks: Clocks) -> Iterator[Metric]:
    change = Change(
        baseline=clocks.baseline_mhz,
        candidate=clocks.candidate_mhz,
        delta=clocks.candidate_mhz - clocks.baseline_mhz,
        ratio=clocks.ratio,
    )
    return change_metrics("diff/sm_clock", "SM clock, MHz", change, "MHz", "read between stretches")


def _cycle_metrics(pair: Pair, clocks: Clocks) -> Iterator[Metric]:
    change = pair.change
    before = to_cycles(change.baseline, clocks.baseline_mhz)
    after = to_cycles(change.candidate, clocks.candidate_mhz)
    cycles = Change(
        baseline=before,
        candidate=after,
        delta=after - before if before is not None and after is not None else None,
        ratio=_times(change.ratio, clocks),
        ratio_low=_times(change.ratio_low, clocks),
        ratio_high=_times(change.ratio_high, clocks),
        floor=change.floor,
    )
    includes = f"{pair.includes}, times the SM clock"
    return change_metrics(f"diff/{pair.stem}/cycles", pair.name, cycles, "cycles", includes)


def _findings(pair: Pair, clocks: Clocks) -> Iterator[Finding]:
    change = pair.change
    mhz = f"{clocks.baseline_mhz:,} MHz in the baseline, {clocks.candidate_mhz:,} MHz now"
    if change.is_of_clock and change.ratio is not None:
        yield Finding(
            tag="diff/clock",
            severity="warning",
            fact=f"{pair.name} takes {change.ratio:.3f}x the time at {clocks.ratio:.3f}x the SM "
            f"clock ({mhz}): {change.ratio * clocks.ratio:.3f}x in cycles. The card's clock "
            "differs, not the kernels",
            advice="measure both at one clock, or let them take turns; a build that draws more "
            "power lowers the clock itself",
        )
    elif change.is_within_luck and not clocks.steady:
        yield Finding(
            tag="diff/clock_moved",
            severity="warning",
            fact=f"the change of {pair.name} cannot be told from one of the SM clock, which moved "
            f"by {spell_share(clocks.spread)} while a side was measured ({mhz}, medians)",
            advice="measure both again on a card that holds its clock, or let them take turns",
        )


def _times(ratio: float | None, clocks: Clocks) -> float | None:
    return None if ratio is None else ratio * clocks.ratio
