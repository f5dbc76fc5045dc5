"""Which kernel of the candidate does the work of which kernel of the baseline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from tracelens.analyze.change import TICK_NS
from tracelens.analyze.kernel_use import KernelUse

Match = tuple[KernelUse | None, KernelUse | None]
"""A kernel of the baseline and its like in the candidate; None where it has none."""

_MOST_COSTS = 10_000
"""Pairs of kernels of one name and shape that are weighed against each other."""

_Key = Callable[[KernelUse], Hashable | None]


def match_kernels(baseline: Sequence[KernelUse], candidate: Sequence[KernelUse]) -> list[Match]:
    """Pair the kernels: first the same work in the same shape, then the same work, then the job.

    Names alone would not do: Inductor's numbers swap between builds. A role alone would not do
    either: of a fused kernel its ops must be the same, and what does other work is added or
    removed, however alike the names. Everything is returned once, in the order of launch.
    """
    before, after = list(baseline), list(candidate)
    matches = [
        *_take(before, after, lambda use: (use.work, use.grid, use.block)),
        *_take(before, after, lambda use: use.work),
        *_take(before, after, _job),
        *_take_last(before, after),
    ]
    left: list[Match] = [*((use, None) for use in before), *((None, use) for use in after)]
    return sorted([*matches, *left], key=_order)


def _take(before: list[KernelUse], after: list[KernelUse], key: _Key) -> list[Match]:
    """Pair what has the same key, and take it off both lists."""
    groups: dict[Hashable, tuple[list[KernelUse], list[KernelUse]]] = defaultdict(lambda: ([], []))
    for side, uses in enumerate((before, after)):
        for use in uses:
            if (found := key(use)) is not None:
                groups[found][side].append(use)
    matches = [pair for sides in groups.values() for pair in _pair(*sides)]
    before[:] = _without(before, [b for b, _ in matches])
    after[:] = _without(after, [a for _, a in matches])
    return [*matches]


def _take_last(before: list[KernelUse], after: list[KernelUse]) -> list[Match]:
    """Pair the only kernel left on either side, where both have one role and neither states ops."""
    if len(before) != 1 or len(after) != 1:
        return []
    (b,), (a,) = before, after
    if b.kernel.role is None or b.kernel.role != a.kernel.role:
        return []
    if None not in (b.job[-1], a.job[-1]):
        return []
    before.clear()
    after.clear()
    return [(b, a)]


def _pair(before: list[KernelUse], after: list[KernelUse]) -> list[tuple[KernelUse, KernelUse]]:
    """Pair two lists, the likest first: in time, then in name, then in order."""
    if len(before) * len(after) > _MOST_COSTS:
        return list(zip(before, after, strict=False))
    costs = sorted(
        (_unlikeness(b, a, abs(i - j)), i, j)
        for i, b in enumerate(before)
        for j, a in enumerate(after)
    )
    pairs, used_before, used_after = [], set(), set()
    for _, i, j in costs:
        if i not in used_before and j not in used_after:
            used_before.add(i)
            used_after.add(j)
            pairs.append((before[i], after[j]))
    return pairs


def _unlikeness(before: KernelUse, after: KernelUse, places: int) -> tuple[int, int, bool, int]:
    shapes = sum(
        (before.grid != after.grid, before.block != after.block),
    )
    apart_ns = abs((before.median_ns or 0) - (after.median_ns or 0))
    noise_ns = max(TICK_NS, before.spread_ns, after.spread_ns)
    return shapes, apart_ns if apart_ns > noise_ns else 0, before.name != after.name, places


def _job(use: KernelUse) -> Hashable | None:
    return None if use.job[-1] is None else use.job


def _without(uses: list[KernelUse], taken: list[KernelUse]) -> list[KernelUse]:
    gone = set(map(id, taken))
    return [use for use in uses if id(use) not in gone]


def _order(match: Match) -> tuple[int, int]:
    before, after = match
    return (0, before.order) if before else (1, after.order if after else 0)
