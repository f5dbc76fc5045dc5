"""The quantities of two sides joined by name, each with how it changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tracelens.analyze.diff.change import Change, compare, show_both
from tracelens.analyze.diff.quantities import NAMES, Group, Quantities, Quantity
from tracelens.analyze.diff.rounds import compare_rounds
from tracelens.model.pairs import Paired

ALWAYS = ("full", "submit", "kernel", "host_dispatch", "launch")
"""Quantities that every diff reports, measured or not."""

_PARTS = frozenset({"kernel", "host_dispatch", "launch"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One quantity on both sides. `apart` says why there is no ratio although both have it."""

    stem: str
    name: str
    group: Group
    unit: str
    includes: str
    change: Change
    apart: str = ""


def pair_up(
    baseline: Quantities, candidate: Quantities, *, paired: Paired, comparable: bool
) -> list[Pair]:
    """Join two sides by stem: `full/graph` meets `full/graph` and never `full`.

    A quantity that was taken another way on either side, and all of them where the sides are not
    `comparable`, keeps both its medians and gets no ratio. What was taken in turns, `paired`,
    stands for what each side has sampled on its own.
    """
    baseline, candidate = _undisturbed(baseline, candidate)
    stems = dict.fromkeys([*NAMES, *baseline, *candidate])
    present = [s for s in stems if s in paired or s in baseline or s in candidate or s in ALWAYS]
    return [
        _pair_of_rounds(stem, paired)
        if stem in paired
        else _pair(stem, baseline.get(stem), candidate.get(stem), comparable=comparable)
        for stem in present
    ]


def _pair_of_rounds(stem: str, paired: Paired) -> Pair:
    return Pair(
        stem=stem,
        name=NAMES[stem],
        group="measured",
        unit="ns",
        includes=paired[stem].includes,
        change=compare_rounds(paired[stem]),
    )


def _undisturbed(baseline: Quantities, candidate: Quantities) -> tuple[Quantities, Quantities]:
    """Take kernel times from the timed calls themselves where both sides have them."""
    sides = []
    for side, other in ((baseline, candidate), (candidate, baseline)):
        if "undisturbed/busy" in side and "undisturbed/busy" in other:
            own = replace(side["undisturbed/busy"], name=NAMES["kernel"], group="measured")
            profiled = {"split/kernel": side["kernel"]} if "kernel" in side else {}
            sides.append({**side, "kernel": own, **profiled})
        else:
            sides.append({**side})
    return sides[0], sides[1]


def _pair(stem: str, before: Quantity | None, after: Quantity | None, *, comparable: bool) -> Pair:
    either = after or before
    apart = _apart(before, after)
    samples = [None if side is None else side.samples for side in (before, after)]
    if before is None or after is None or not comparable or apart:
        change = show_both(*samples)
    else:
        change = compare(before.samples, after.samples)
    return Pair(
        stem=stem,
        name=either.name if either else NAMES[stem],
        group=either.group if either else ("parts" if stem in _PARTS else "measured"),
        unit=either.unit if either else "ns",
        includes=either.includes if either else "not measured",
        change=change,
        apart=apart,
    )


def _apart(before: Quantity | None, after: Quantity | None) -> str:
    if before is None or after is None or before.taken == after.taken:
        return ""
    return f"{before.taken} in the baseline, {after.taken} now"
