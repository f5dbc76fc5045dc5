"""What became of each kernel, as a table, and what its leftovers say of fusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tracelens.analyze.change import TICK_NS
from tracelens.analyze.diff.matching import Match
from tracelens.analyze.diff.processes import DEVICE_LUCK
from tracelens.analyze.kernel_use import KernelUse
from tracelens.model.cut import cut
from tracelens.model.kernel_name import FieldValue
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Cell, Column, Finding, Table

Kind = Literal["same", "added", "removed", "renamed", "config", "time"]

_COLUMNS = (
    Column(name="change"),
    Column(name="baseline"),
    Column(name="candidate"),
    Column(name="delta_ns", unit="ns"),
    Column(name="count_delta", unit="count"),
    Column(name="baseline_ns", unit="ns"),
    Column(name="candidate_ns", unit="ns"),
    Column(name="baseline_count", unit="count"),
    Column(name="candidate_count", unit="count"),
    Column(name="role"),
    Column(name="what"),
)
_CONFIGS_TOLD = 5
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelChange:
    """One kernel on both sides, or on one. `delta_ns` is per call, None where it is not known."""

    change: Kind
    before: KernelUse | None
    after: KernelUse | None
    delta_ns: int | None
    count_delta: int | float
    what: str


def kernel_change(match: Match, *, comparable: bool) -> KernelChange:
    """Say what became of a kernel. Where the sides are not `comparable` no time is held against it.

    Of several changes the gravest names it: configuration, name, launches, then time.
    """
    before, after = match
    what = _configured(before, after) if before and after else ""
    return KernelChange(
        change=_kind(before, after, what, comparable=comparable),
        before=before,
        after=after,
        delta_ns=_delta(before, after) if comparable else None,
        count_delta=(after.count if after else 0) - (before.count if before else 0),
        what=what,
    )


def kernel_table(changes: Sequence[KernelChange]) -> Table:
    """Table the kernels: what changed first, by how much of a call it is."""
    ordered = sorted(changes, key=lambda c: (c.change == "same", -abs(c.delta_ns or 0)))
    return Table(tag="kernel_changes", columns=_COLUMNS, rows=tuple(map(_row, ordered)))


def kernel_findings(changes: Sequence[KernelChange]) -> tuple[Finding, ...]:
    """Tell of fused and split kernels, and of configurations that changed."""
    return (*_fusions(changes), *_configurations(changes))


def _kind(
    before: KernelUse | None, after: KernelUse | None, what: str, *, comparable: bool
) -> Kind:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    if what:
        return "config"
    if before.name != after.name:
        return "renamed"
    if before.count != after.count:
        return "added" if after.count > before.count else "removed"
    return "time" if comparable and _slower_or_faster(before, after) else "same"


def _slower_or_faster(before: KernelUse, after: KernelUse) -> bool:
    """Whether one launch took another time: by more than the clock's tick, its own spread, and what
    two processes of one build differ by."""
    if before.median_ns is None or after.median_ns is None:
        return False
    luck_ns = DEVICE_LUCK * min(before.median_ns, after.median_ns)
    noise_ns = max(TICK_NS, before.spread_ns, after.spread_ns, luck_ns)
    return abs(after.median_ns - before.median_ns) > noise_ns


def _delta(before: KernelUse | None, after: KernelUse | None) -> int | None:
    times = [0 if use is None else use.per_call_ns for use in (before, after)]
    known = [time for time in times if time is not None]
    return known[1] - known[0] if len(known) == 2 else None


def _configured(before: KernelUse, after: KernelUse) -> str:
    """Return what of the configuration changed: `grid 132x1x1 -> 264x1x1, tile ...`."""
    was, now = before.configuration(), after.configuration()
    return ", ".join(
        f"{name} {was[name] or 'unknown'} -> {now[name] or 'unknown'}"
        for name in was
        if was[name] != now[name]
    )


def _row(change: KernelChange) -> tuple[Cell, ...]:
    before, after = change.before, change.after
    either = before or after
    return (
        change.change,
        before.name if before else None,
        after.name if after else None,
        change.delta_ns,
        change.count_delta,
        before.per_call_ns if before else None,
        after.per_call_ns if after else None,
        before.count if before else None,
        after.count if after else None,
        either.kernel.role if either else None,
        change.what or _stated(change) or None,
    )


def _stated(change: KernelChange) -> str:
    """Say how a kernel that only one side has was configured: nothing else would."""
    if change.before and change.after:
        return ""
    only = change.before or change.after
    words = only.configuration() if only else {}
    return ", ".join(f"{name} {word}" for name, word in words.items() if word and name != "family")


def _fusions(changes: Sequence[KernelChange]) -> tuple[Finding, ...]:
    """Find one kernel whose ops are those of several others that are gone, or the other way."""
    gone = [c.before for c in changes if c.before and c.after is None]
    new = [c.after for c in changes if c.after and c.before is None]
    found = [("fused", parts, whole) for whole in new if (parts := _parts(whole, gone))]
    found += [("split", parts, whole) for whole in gone if (parts := _parts(whole, new))]
    return tuple(_fusion(*fusion) for fusion in found)


def _fusion(kind: str, parts: list[KernelUse], whole: KernelUse) -> Finding:
    several, one = " and ".join(_short(part) for part in parts), _short(whole)
    sums_ns = sum(part.per_call_ns or 0 for part in parts)
    delta_ns = (whole.per_call_ns or 0) - sums_ns
    fact = f"{several} were fused into {one}"
    if kind == "split":
        fact, delta_ns = f"{one} was split into {several}", -delta_ns
    return Finding(
        tag=f"kernels/{kind}",
        severity="info",
        fact=f"{fact}: {spell_change(delta_ns)} a call",
        advice="compare the one kernel with the sum of the others, not with any one of them",
    )


def _parts(whole: KernelUse, others: Sequence[KernelUse]) -> list[KernelUse]:
    """Return at least two of the other kernels that together have the ops of the whole."""
    wanted = Counter(_ops(whole))
    parts = [use for use in others if (ops := Counter(_ops(use))) and not ops - wanted]
    together = sum((Counter(_ops(part)) for part in parts), Counter[FieldValue]())
    return parts if len(parts) > 1 and set(together) == set(wanted) else []


def _ops(use: KernelUse) -> tuple[FieldValue, ...]:
    ops = use.kernel.value("ops")
    return ops if isinstance(ops, tuple) else ()


def _configurations(changes: Sequence[KernelChange]) -> tuple[Finding, ...]:
    changed = [c for c in changes if c.change == "config" and c.before]
    changed.sort(key=lambda c: -abs(c.delta_ns or 0))
    return tuple(
        Finding(
            tag="kernels/config",
            severity="info",
            fact=f"{_short(c.before)} has another configuration: {c.what}"
            + (f"; {spell_change(c.delta_ns)} a call" if c.delta_ns is not None else ""),
            advice="",
        )
        for c in changed[:_CONFIGS_TOLD]
        if c.before
    )


def _short(use: KernelUse) -> str:
    return cut(use.name, _LONGEST_NAME)


def spell_change(delta_ns: int) -> str:
    """Return a difference with its sign: `+30.1 us`, `-6.00 us`."""
    return f"{'+' if delta_ns > 0 else ''}{spell_ns(delta_ns)}"
