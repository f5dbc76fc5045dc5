"""The quantities of two sides joined by name, each with how it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracelens.analyze.change import TICK_NS, Change, compare, show_both
from tracelens.analyze.diff.clocks import Clocks, read_clocks
from tracelens.analyze.diff.processes import compare_processes, on_device, process_floor
from tracelens.analyze.diff.quantities import NAMES, Group, Quantities, Quantity
from tracelens.analyze.diff.rounds import compare_rounds
from tracelens.model.card import CardReading
from tracelens.model.pairs import Paired

ALWAYS = ("full", "submit", "kernel", "host_dispatch", "launch")
"""Quantities that every diff reports, measured or not."""

_IN_THE_CALLS = "undisturbed/busy"
_PARTS = frozenset({"kernel", "host_dispatch", "launch"})

Readings = Sequence[CardReading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One quantity on both sides. `apart` says how each took it, where one took it another way."""

    stem: str
    name: str
    group: Group
    unit: str
    includes: str
    change: Change
    middle: str = "median"
    """What the two figures are of the samples of their side."""
    apart: str = ""
    clocks: Clocks | None = None
    """Of a time of the device: the clocks at which it was taken, where they were read."""


def pair_up(
    baseline: Quantities,
    candidate: Quantities,
    *,
    paired: Paired,
    cards: tuple[Readings, Readings] = ((), ()),
    comparable: bool,
    force: bool = False,
) -> list[Pair]:
    """Join two sides by stem: `full/graph` meets `full/graph` and never `full`.

    A quantity that was taken another way on either side, unless `force`, and all of them where the
    sides are not `comparable`, keeps both its medians and gets no ratio. What was taken in turns,
    `paired`, stands for what each side has sampled on its own. `cards` are the readings of each
    side's card.
    """
    if _IN_THE_CALLS in paired:
        paired = {**paired, "kernel": paired[_IN_THE_CALLS]}
    baseline, candidate = _undisturbed(baseline, candidate, paired)
    stems = dict.fromkeys([*NAMES, *baseline, *candidate])
    present = [s for s in stems if s in paired or s in baseline or s in candidate or s in ALWAYS]
    return [
        _pair_of_rounds(stem, paired)
        if stem in paired
        else _pair(stem, baseline, candidate, cards, comparable=comparable, force=force)
        for stem in present
    ]


def _pair_of_rounds(stem: str, paired: Paired) -> Pair:
    tick_ns = TICK_NS if on_device(stem) else 0
    return Pair(
        stem=stem,
        name=NAMES[stem],
        group="inside" if stem.startswith("undisturbed/") else "measured",
        unit="ns",
        includes=paired[stem].includes,
        middle="median process in the middle round",
        change=compare_rounds(paired[stem], tick_ns=tick_ns),
    )


def _undisturbed(
    baseline: Quantities, candidate: Quantities, paired: Paired
) -> tuple[Quantities, Quantities]:
    """Take kernel times from the timed calls themselves where both sides have them."""
    both = _IN_THE_CALLS in baseline and _IN_THE_CALLS in candidate
    sides = []
    for side in (baseline, candidate):
        taken = {**side}
        if (both or _IN_THE_CALLS in paired) and "kernel" in side:
            taken["split/kernel"] = side["kernel"]
        if both:
            taken["kernel"] = replace(side[_IN_THE_CALLS], name=NAMES["kernel"], group="measured")
        sides.append(taken)
    return sides[0], sides[1]


def _pair(
    stem: str,
    baseline: Quantities,
    candidate: Quantities,
    cards: tuple[Readings, Readings],
    *,
    comparable: bool,
    force: bool,
) -> Pair:
    before, after = baseline.get(stem), candidate.get(stem)
    either = after or before
    clocks = read_clocks(either.stage, *cards) if either and on_device(stem) else None
    apart = _apart(before, after)
    middle = "median"
    if before is None or after is None or not comparable or (apart and not force):
        change = show_both(
            before.samples if before else None,
            after.samples if after else None,
        )
    elif before.again or after.again:
        once = before.is_single and after.is_single
        middle = "median of the runs" if once else "geometric mean of the runs' medians"
        change = (_compare_single if once else _compare_runs)(before, after)
    else:
        luck = process_floor(stem, baseline, candidate) if after.unit == "ns" else 0.0
        unsteady = clocks.spread if clocks and not clocks.steady else 0.0
        change = compare(before.samples, after.samples, luck=max(luck, unsteady))
    if clocks and clocks.steady:
        change = replace(change, clocks=clocks.ratio)
    return Pair(
        stem=stem,
        name=either.name if either else NAMES[stem],
        group=either.group if either else ("parts" if stem in _PARTS else "measured"),
        unit=either.unit if either else "ns",
        includes=either.includes if either else "not measured",
        change=change,
        middle=middle,
        apart=apart,
        clocks=clocks,
    )


def _compare_runs(before: Quantity, after: Quantity) -> Change:
    return compare_processes(
        (before.samples, *before.again),
        (after.samples, *after.again),
        tick_ns=TICK_NS if after.unit == "ns" else 0,
    )


def _compare_single(before: Quantity, after: Quantity) -> Change:
    """Compare what each run has sampled once, such as a first call: too few runs have no interval.

    A run is no level here. The first of them alone may have found its files on the disk.
    """
    return compare(*(np.concatenate((side.samples, *side.again)) for side in (before, after)))


def _apart(before: Quantity | None, after: Quantity | None) -> str:
    if before is None or after is None or before.taken == after.taken:
        return ""
    return f"{before.taken} in the baseline, {after.taken} now"
