"""What a call owes to the calls before it: repetition, and what a change of its inputs costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tracelens.analyze.statistics import median
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.measurement import SubjectRun
from tracelens.model.median_interval import median_interval
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Cell, Column, Finding, Section, Table

_SHOWN = ((3, 3), (10, 18), (100, 108), (1000, 1008))
"""Calls, the first and the last of each row: several where one alone would be noise."""
_CALLS_BEFORE = 2
_SETTLED = 1.5
"""Times the last row of calls: a tenth call dearer than that is still warming up."""
_NAMED = 5
"""Changes that a finding names; the table has them all."""
_DEAR = 10
"""Times a steady call: a first call dearer than that was made ready for what was new."""

_LEAST_DEAR_NS = 100_000
"""A tenth of a millisecond: below it nothing was made ready, the call was merely cold."""

_REPETITION_COLUMNS = (
    Column(name="call"),
    Column(name="submit_ns", unit="ns"),
    Column(name="full_ns", unit="ns"),
)
_VARIATION_COLUMNS = (
    Column(name="changed"),
    Column(name="status"),
    *(
        Column(name=f"{step}_ns", unit="ns")
        for step in ("before", "first", "second", "steady", "back", "after")
    ),
    Column(name="compiled", unit="count"),
    Column(name="triton_kernels", unit="count"),
    Column(name="graphs", unit="count"),
    Column(name="what"),
)

_HOW_TO_READ = Finding(
    tag="variations/columns",
    severity="info",
    fact="times of the host, in the order of the calls: before the change, the first and second "
    "call with it and a steady one, then with the op's own inputs again the first (back) and a "
    "steady one (after)",
    advice="",
)


def repetition_section(found: SubjectRun) -> Section | None:
    """Table the host time of the first, second ... thousandth call; None where none was kept."""
    calls = found.repetition
    if calls is None:
        return None
    rows: tuple[tuple[Cell, ...], ...] = (
        ("1", None, calls.first_ns),
        ("2", None, calls.second_ns),
        *((_spell(first, last), _about(calls, first, last), None) for first, last in _SHOWN),
    )
    return Section(
        title="Host time by repetition",
        tables=(Table(tag="repetition", columns=_REPETITION_COLUMNS, rows=rows),),
        findings=(*_unsettled(calls), *_unreached(calls)),
    )


def _about(calls: Repetition, first: int, last: int) -> int | None:
    """Return the median of some calls by their numbers; None where not all of them were made."""
    kept = calls.submit_ns[first - 1 - _CALLS_BEFORE : last - _CALLS_BEFORE]
    return median(kept) if len(kept) == last - first + 1 else None


def _spell(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _unsettled(calls: Repetition) -> Iterator[Finding]:
    reached = [(row, ns) for row in _SHOWN if (ns := _about(calls, *row)) is not None]
    if len(reached) < 2:
        return
    (last, last_ns) = reached[-1]
    late = [(row, ns) for row, ns in reached[:-1] if ns > _SETTLED * last_ns and row[0] > 3]
    if late:
        (row, ns) = late[-1]
        yield Finding(
            tag="repetition/unsettled",
            severity="warning",
            fact=f"the op gets faster for long: calls {_spell(*row)} take {spell_ns(ns)} on the "
            f"host, calls {_spell(*last)} {spell_ns(last_ns)}",
            advice="a caller that makes few calls pays the higher price: see what is cached",
        )


def _unreached(calls: Repetition) -> Iterator[Finding]:
    made = len(calls.submit_ns) + _CALLS_BEFORE
    missing = [_spell(*row) for row in _SHOWN if _about(calls, *row) is None]
    if missing:
        yield Finding(
            tag="repetition/unreached",
            severity="info",
            fact=f"the warm-up ended after {made} calls: calls {', '.join(missing)} are unknown",
            advice="",
        )


def variations_section(found: SubjectRun) -> Section | None:
    """Table what each change of the inputs costs at first, at second and ever after."""
    if not found.variations:
        return None
    return Section(
        title="What a change of the inputs costs",
        tables=(
            Table(
                tag="variations",
                columns=_VARIATION_COLUMNS,
                rows=tuple(map(_row, found.variations)),
            ),
        ),
        findings=(
            _HOW_TO_READ,
            *_dear(found.variations),
            *_dearer(found.variations),
            *_left_slower(found.variations),
        ),
    )


def _row(one: Variation) -> tuple[Cell, ...]:
    return (
        one.name,
        one.status,
        median(one.before_ns),
        one.first_ns,
        one.second_ns,
        median(one.changed_ns),
        one.back_ns,
        median(one.after_ns),
        _compiled(one),
        one.triton_kernels,
        one.graphs,
        one.change if one.status == "measured" else _why(one),
    )


def _compiled(one: Variation) -> int | None:
    """Return how many kernels and graphs were made; None where nothing was watched."""
    seen = [count for count in (one.triton_kernels, one.graphs) if count is not None]
    return sum(seen) if seen else None


def _why(one: Variation) -> str:
    change = f"{one.change}; " if one.change else ""
    return f"{change}{one.status}: {one.fact}"


def _dear(variations: Sequence[Variation]) -> Iterator[Finding]:
    """Name the changes for which something was made ready, dearest first."""
    dear = [
        one
        for one in variations
        if _extra_ns(one) > max(_LEAST_DEAR_NS, (_DEAR - 1) * _steady_ns(one))
    ]
    if not dear:
        return
    dear.sort(key=lambda one: -_extra_ns(one))
    listed = _listed([f"{one.name} {spell_ns(_extra_ns(one))}{_made(one)}" for one in dear])
    yield Finding(
        tag="variations/first_call",
        severity="warning",
        fact=f"a change of the inputs is paid for at its first call: {listed}",
        advice="a benchmark that repeats one call does not see it; warm up every kind of input, "
        "or let fewer of them matter",
    )
    again = [one for one in dear if (one.second_ns or 0) > _DEAR * _steady_ns(one)]
    if again:
        paid = [f"{one.name} {spell_ns((one.second_ns or 0) - _steady_ns(one))}" for one in again]
        yield Finding(
            tag="variations/second_call",
            severity="warning",
            fact=f"a change of the inputs is paid for again at its second call: {_listed(paid)}",
            advice="something is made anew for each set of tensors, or in two steps",
        )


def _listed(said: Sequence[str]) -> str:
    """Return the first few of a list; names of changes have commas of their own."""
    more = [f"and {len(said) - _NAMED} more"] if len(said) > _NAMED else []
    return "; ".join([*said[:_NAMED], *more])


def _made(one: Variation) -> str:
    made = []
    if one.triton_kernels:
        made.append(f"{one.triton_kernels} by Triton")
    if one.graphs:
        made.append(f"{one.graphs} by torch.compile")
    return f" (compiled: {', '.join(made)})" if made else ""


def _dearer(variations: Sequence[Variation]) -> Iterator[Finding]:
    """Name the changes with which each call costs more, dearest first."""
    dearer = []
    for one in variations:
        before, changed = median_interval(one.before_ns), median_interval(one.changed_ns)
        if before and changed and changed[0] > _SETTLED * before[1]:
            dearer.append(one)
    if not dearer:
        return
    dearer.sort(key=lambda one: -_steady_ns(one))
    times = ((_steady_ns(one), median(one.before_ns) or 0) for one in dearer)
    listed = _listed(
        [
            f"{one.name} {spell_ns(steady)} ({spell_ns(before)} before)"
            for one, (steady, before) in zip(dearer, times, strict=True)
        ]
    )
    yield Finding(
        tag="variations/dearer",
        severity="warning",
        fact=f"with some changes every call costs the host more, not the first alone: {listed}",
        advice="see what they miss: a fast path, or a cache that goes by the addresses of tensors",
    )


def _left_slower(variations: Sequence[Variation]) -> Iterator[Finding]:
    """Name the changes behind which the op's own inputs stay slower than before.

    The calls before the next change must say so too: a disturbed moment passes.
    """
    measured = [one for one in variations if one.status == "measured"]
    for one, following in zip_longest(measured, measured[1:]):
        before = median_interval(one.before_ns)
        later = [one.after_ns, following.before_ns if following else one.after_ns]
        lows = [found[0] for found in map(median_interval, later) if found]
        if before and len(lows) == len(later) and min(lows) > _SETTLED * before[1]:
            yield Finding(
                tag="variations/left_slower",
                severity="warning",
                fact=f"after the change {one.name!r} a call with the op's own inputs takes "
                f"{spell_ns(median(one.after_ns) or 0)} on the host, "
                f"{spell_ns(median(one.before_ns) or 0)} before it",
                advice="such a change makes every later call dearer: a more general fast path, or "
                "one more guard, took the place of the first",
            )


def _extra_ns(one: Variation) -> int:
    return (one.first_ns or 0) - _steady_ns(one)


def _steady_ns(one: Variation) -> int:
    """Return what a call with the change costs in the end, or before it where too few were made."""
    return median(one.changed_ns) or median(one.before_ns) or 0
