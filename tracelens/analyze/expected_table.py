"""What the op file expects of its kernels, met or not, in one table for all cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.analyze.expected import Difference, Held, Outcome, hold
from tracelens.analyze.names.config import spell_config
from tracelens.analyze.ran import Ran
from tracelens.model.cut import cut
from tracelens.model.expectation import ExpectedKernel
from tracelens.model.report import Cell, Column, Finding, Metric, Section, Severity, Table

_COLUMNS = (
    Column(name="outcome"),
    Column(name="case"),
    Column(name="variant"),
    Column(name="kernel"),
    Column(name="family"),
    Column(name="fields"),
    Column(name="nearest"),
    Column(name="nearest_config"),
    Column(name="differs"),
    Column(name="expected"),
    Column(name="found"),
)
_LONGEST_NAME = 80
_COUNTS: tuple[tuple[str, Outcome], ...] = (
    ("met", "met"),
    ("not_met", "not met"),
    ("cannot_tell", "cannot tell"),
)


def expected_table(subjects: Sequence[Ran]) -> Section | None:
    """Hold every expectation against what ran; None where the op file states none.

    `nearest` is the kernel that meets it, or the one that comes closest, and `differs` the fields
    in which that one does not meet it; `expected` and `found` say the same in words.
    """
    held = [
        (ran, hold(expected, ran))
        for ran in subjects
        if ran.found.stated is not None
        for expected in ran.found.stated.expected
    ]
    if not held:
        return None
    several = len(subjects) > 1
    of = subjects[0].found.subject
    return Section(
        title="Expected kernels",
        metrics=tuple(_counts([one for _, one in held])),
        tables=(
            Table(
                tag="expected", columns=_COLUMNS, rows=tuple(_row(ran, one) for ran, one in held)
            ),
        ),
        findings=tuple(_findings(held)),
        case=None if several else of.case,
        variant=None if several else of.variant,
    )


def _row(ran: Ran, held: Held) -> tuple[Cell, ...]:
    use, expected = held.nearest, held.expected
    return (
        held.outcome,
        ran.found.subject.case,
        ran.found.subject.variant,
        expected.kernel,
        expected.family,
        dict(expected.fields),
        use.name if use else None,
        (spell_config(use.kernel) or None) if use else None,
        {difference.field: _plain(difference) for difference in held.differs},
        _spell_expected(expected),
        _spell_found(held),
    )


def _plain(difference: Difference) -> int | float | str | bool | None:
    found = difference.found
    return ",".join(found) if isinstance(found, tuple) else found


def _spell_expected(expected: ExpectedKernel) -> str:
    names = (expected.kernel, expected.family and f"family {expected.family}")
    fields = (f"{name}={value}" for name, value in expected.fields.items())
    return " ".join((*filter(None, names), *fields))


def _spell_found(held: Held) -> str | None:
    """Say what is not as expected, and of which kernel; None where all is."""
    if held.outcome == "met":
        return None
    if held.nearest is None:
        return held.why or "no kernel ran"
    name = cut(held.nearest.name, _LONGEST_NAME)
    config = spell_config(held.nearest.kernel)
    if not held.named:
        return f"no such kernel ran; nearest: {name}{f' ({config})' if config else ''}"
    return "; ".join(filter(None, (f"{name}: {_spell_differences(held)}", held.why)))


def _spell_differences(held: Held) -> str:
    return ", ".join(
        f"{d.field} is not stated" if d.found is None else f"{d.field} is {_plain(d)}"
        for d in held.differs
    )


def _counts(held: Sequence[Held]) -> Iterator[Metric]:
    for tag, outcome in _COUNTS:
        yield Metric(
            tag=f"expected/{tag}",
            name=outcome,
            value=sum(one.outcome == outcome for one in held),
            unit="count",
            description=f"of {len(held)} expectations of the op file",
        )


def _findings(held: Sequence[tuple[Ran, Held]]) -> Iterator[Finding]:
    """Yield a finding for each outcome but the best, with the first expectation that has it."""
    for tag, outcome in _COUNTS[1:]:
        such = [(ran, one) for ran, one in held if one.outcome == outcome]
        if not such:
            continue
        ran, first = such[0]
        of = (ran.found.subject.case, ran.found.subject.variant)
        place = ", ".join(name for name in of if name is not None)
        severity: Severity = "error" if outcome == "not met" else "warning"
        yield Finding(
            tag=f"expected/{tag}",
            severity=severity,
            fact=f"{len(such)} of {len(held)} expected kernels: {outcome}. The first: "
            f"{f'{place}: ' if place else ''}{_spell_expected(first.expected)}; "
            f"{_spell_found(first)}",
            advice=_ADVICE[outcome],
        )


_ADVICE: dict[Outcome, str] = {
    "not met": "see the table of expected kernels: an edited dispatch table did not take effect, "
    "or `expect` is out of date",
    "cannot tell": "expect a field that the kernels table shows, and profile on a device",
}
