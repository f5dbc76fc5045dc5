"""Many cases: a row each, failures as failures, and one sentence over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tracelens.analyze.diff.aggregate import geometric_mean
from tracelens.analyze.diff.subject import Subject
from tracelens.analyze.diff.verdict import moved_parts, spell_ratio
from tracelens.model.quantity import spell_share
from tracelens.model.report import Cell, Column, Finding, Table

_COLUMNS = (
    Column(name="case"),
    Column(name="variant"),
    Column(name="baseline_ns", unit="ns"),
    Column(name="candidate_ns", unit="ns"),
    Column(name="ratio", unit="ratio"),
    Column(name="ratio_low", unit="ratio"),
    Column(name="ratio_high", unit="ratio"),
    Column(name="verdict"),
    Column(name="kernel_baseline_ns", unit="ns"),
    Column(name="kernel_candidate_ns", unit="ns"),
    Column(name="kernel_ratio", unit="ratio"),
    Column(name="moved"),
)
_FAILED = "failed"


def case_table(subjects: Sequence[Subject]) -> Table:
    """Table the subjects; the verdict of one that a side lacks or lost is `failed`."""
    return Table(tag="cases", columns=_COLUMNS, rows=tuple(map(_row, subjects)))


def cases_verdict(subjects: Sequence[Subject]) -> Finding:
    """Judge all subjects by the geometric mean of those that can be compared."""
    words = Counter(_word(subject) for subject in subjects)
    compared = [s.change for s in subjects if not s.failed]
    mean = geometric_mean(compared)
    counted = ", ".join(f"{count} {word}" for word, count in words.most_common())
    fact = f"{mean.verdict}: {counted} of {len(subjects)} cases"
    if mean.ratio is not None:
        over = sum(change.ratio is not None for change in compared)
        ones = "one" if over == 1 else "ones"
        fact += f"; geometric mean {spell_ratio(mean)} over {over} comparable {ones}"
    return Finding(
        tag=f"verdict/{mean.verdict.replace(' ', '_')}",
        severity="warning" if mean.verdict in ("slower", "not comparable") else "info",
        fact=fact,
        advice="a ratio is candidate / baseline of the full call: above 1 is slower",
    )


def case_findings(subjects: Sequence[Subject], threshold: float) -> Iterator[Finding]:
    """Say which subjects failed, and what regressed."""
    for subject in subjects:
        about = f"{subject.name}: " if subject.name else ""
        if subject.failed:
            yield Finding(
                tag="diff/failed_case",
                severity="error",
                fact=f"{about}not compared, and in no mean: {subject.failed}",
                advice="run the case on both sides",
            )
        for pair in subject.regressions(threshold):
            yield Finding(
                tag="diff/regression",
                severity="warning",
                fact=f"{about}{pair.name} is slower by more than {spell_share(threshold)}: "
                f"{spell_ratio(pair.change)}",
                advice="the command ends with exit code 3; --threshold allows more",
            )


def _row(subject: Subject) -> tuple[Cell, ...]:
    change, kernel = subject.change, subject.changes["kernel"]
    return (
        subject.case,
        subject.variant,
        change.baseline,
        change.candidate,
        change.ratio,
        change.ratio_low,
        change.ratio_high,
        _word(subject),
        kernel.baseline,
        kernel.candidate,
        kernel.ratio,
        moved_parts(subject.pairs) or None,
    )


def _word(subject: Subject) -> str:
    return _FAILED if subject.failed else subject.change.verdict
