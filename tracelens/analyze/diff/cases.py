"""Many cases: a row each, failures as failures, and one sentence over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tracelens.analyze.change import Change
from tracelens.analyze.diff.aggregate import counts, geometric_mean
from tracelens.analyze.diff.compared import Compared
from tracelens.analyze.diff.quantities import NAMES
from tracelens.analyze.diff.verdict import moved_parts, spell_ratio
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
_MEAN_COLUMNS = (
    Column(name="quantity"),
    Column(name="ratio", unit="ratio"),
    Column(name="ratio_low", unit="ratio"),
    Column(name="ratio_high", unit="ratio"),
    Column(name="verdict"),
    Column(name="cases", unit="count"),
)
MEANS = ("full", "kernel")
"""What geometric means are taken of."""
_ADVICE = "a ratio is candidate / baseline of the full call: above 1 is slower"
_FAILED, _MISSING, _NEW = "failed", "missing", "new"
_GRAVE = frozenset({"slower", "not comparable", _FAILED, _MISSING})


def case_table(subjects: Sequence[Compared]) -> Table:
    """Table the subjects; without a verdict one has `failed`, is `missing` now, or is `new`."""
    return Table(tag="cases", columns=_COLUMNS, rows=tuple(map(_row, subjects)))


def mean_of(stem: str, subjects: Sequence[Compared]) -> tuple[Change, int]:
    """Return the geometric mean of a quantity's ratios, and of how many subjects it is."""
    changes = [s.changes[stem] for s in subjects if stem in s.changes and not s.failed]
    return geometric_mean(changes), sum(map(counts, changes))


def mean_table(subjects: Sequence[Compared]) -> Table:
    """Table the geometric means of what any subject has a ratio of."""
    rows = [(NAMES[stem], *mean_of(stem, subjects)) for stem in MEANS]
    return Table(
        tag="geomean",
        columns=_MEAN_COLUMNS,
        rows=tuple(
            (name, mean.ratio, mean.ratio_low, mean.ratio_high, mean.verdict, counted)
            for name, mean, counted in rows
            if counted
        ),
    )


def cases_verdict(subjects: Sequence[Compared]) -> Finding:
    """Judge all subjects by the geometric mean of those that can be compared."""
    words = Counter(_word(subject) for subject in subjects)
    compared = [s.change for s in subjects if not s.failed]
    mean = geometric_mean(compared)
    counted = ", ".join(f"{count} {word}" for word, count in words.most_common())
    none = mean.verdict == "no difference detected" and len(words) > 1
    if len(words) == 1 and mean.verdict in words:
        counted = "all"
    fact = f"{mean.verdict}{' on average' if none else ''}: {counted} of {len(subjects)} cases"
    if mean.ratio is not None:
        over = sum(map(counts, compared))
        ones = "one" if over == 1 else "ones"
        fact += f"; geometric mean {spell_ratio(mean)} over {over} comparable {ones}"
    return Finding(
        tag=f"verdict/{mean.verdict.replace(' ', '_')}",
        severity="warning" if _GRAVE.intersection((mean.verdict, *words)) else "info",
        fact=fact,
        advice=_ADVICE if mean.ratio is not None else "",
    )


def _row(subject: Compared) -> tuple[Cell, ...]:
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


def _word(subject: Compared) -> str:
    if subject.is_new:
        return _NEW
    if subject.is_missing:
        return _MISSING
    return _FAILED if subject.failed else subject.change.verdict
