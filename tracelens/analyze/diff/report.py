"""A comparison as sections: the verdict over all, then each subject's difference and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tracelens.analyze.diff.aggregate import geometric_mean
from tracelens.analyze.diff.cases import MEANS, case_table, cases_verdict, mean_of, mean_table
from tracelens.analyze.diff.comparable import (
    Difference,
    difference_table,
    environment_differences,
    protocol_differences,
    window_differences,
)
from tracelens.analyze.diff.compared import Compared
from tracelens.analyze.diff.expectations import (
    GEOMEAN,
    Expectation,
    expectation_section,
    read_predictions,
)
from tracelens.analyze.diff.metrics import change_metrics
from tracelens.analyze.diff.side import Side
from tracelens.analyze.diff.subject import subject_sections
from tracelens.analyze.diff.taking import how_taken
from tracelens.model.pairs import Paired
from tracelens.model.report import Environment, Finding, Metric, Section

REGRESSIONS = "diff/regressions/count"
"""The metric that says how many quantities got slower past the threshold."""

LOST = "diff/lost/count"
"""The metric that says how many cases failed, or are missing, in the candidate alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One case and variant on both sides; None where a side does not have it.

    `paired` is what both took in turns, empty where they did not.
    """

    case: str | None
    variant: str | None
    baseline: Side | None
    candidate: Side | None
    paired: Paired = field(default_factory=dict)


def diff_sections(
    comparisons: Sequence[Comparison],
    environments: tuple[Environment, Environment],
    *,
    force: bool = False,
    threshold: float = 0.02,
    expectations: Sequence[Expectation] = (),
    same_sides: bool = False,
) -> tuple[Section, ...]:
    """Report what changed from a baseline to a candidate, over all subjects and for each.

    Where the card, the protocol or the cache state differ there is no ratio, unless `force`.
    `threshold` is the share by which something must be slower to be a regression. Expectations
    hold for every subject, one of the geometric mean for all of them; what the candidate's op file
    predicts joins them. `same_sides` says that both are the same on purpose: an A/A check.
    """
    machine = environment_differences(*environments)
    subjects = [_subject(comparison, machine, force=force) for comparison in comparisons]
    how = how_taken(subjects, [c.paired for c in comparisons], same_sides=same_sides)
    sections = [_total(subjects, machine, how, threshold=threshold, force=force)]
    sections += _mean_expected(subjects, expectations)
    for subject in subjects:
        alone = len(subjects) == 1
        sections += subject_sections(subject, expectations, threshold=threshold, alone=alone)
    return tuple(sections)


def _mean_expected(
    subjects: Sequence[Compared], expectations: Sequence[Expectation]
) -> tuple[Section, ...]:
    predicted, _ = read_predictions(claim for s in subjects for claim in s.predictions)
    expected = [e for e in (*expectations, *predicted) if e.stem == GEOMEAN]
    mean = {GEOMEAN: geometric_mean([s.change for s in subjects if not s.failed])}
    return expectation_section(list(dict.fromkeys(expected)), mean)


def _subject(comparison: Comparison, machine: Sequence[Difference], *, force: bool) -> Compared:
    baseline, candidate = comparison.baseline, comparison.candidate
    protocol = [
        *protocol_differences(
            baseline.protocol if baseline else None, candidate.protocol if candidate else None
        ),
        *window_differences(
            baseline.windows if baseline else None, candidate.windows if candidate else None
        ),
    ]
    return Compared.of(
        comparison.case,
        comparison.variant,
        (baseline, candidate),
        protocol=protocol,
        barred=[str(d) for d in (*machine, *protocol) if d.bars],
        force=force,
        paired=comparison.paired,
    )


def _total(
    subjects: Sequence[Compared],
    machine: Sequence[Difference],
    how: Sequence[Finding],
    *,
    threshold: float,
    force: bool,
) -> Section:
    several = len(subjects) > 1
    return Section(
        title="Verdict",
        metrics=(
            *_counts(subjects, threshold),
            *(_means(subjects) if several else ()),
        ),
        tables=(
            case_table(subjects),
            *((mean_table(subjects),) if several else ()),
            *difference_table(machine),
        ),
        findings=(
            cases_verdict(subjects) if several else subjects[0].verdict,
            *_barred(subjects, force=force),
            *how,
        ),
    )


def _counts(subjects: Sequence[Compared], threshold: float) -> Iterator[Metric]:
    yield Metric(
        tag=REGRESSIONS,
        name="regressions",
        value=sum(len(subject.regressions(threshold)) for subject in subjects),
        unit="count",
        description="slower past the threshold; if any, exit code 3",
    )
    yield Metric(
        tag=LOST,
        name="lost cases",
        value=sum(subject.lost for subject in subjects),
        unit="count",
        description="failed or missing in the candidate; if any, exit code 3",
    )
    yield Metric(
        tag="diff/threshold/share",
        name="threshold",
        value=threshold,
        unit="ratio",
        description="how much slower counts as a regression",
    )


def _means(subjects: Sequence[Compared]) -> Iterator[Metric]:
    for stem in MEANS:
        mean, counted = mean_of(stem, subjects)
        for metric in change_metrics(
            f"diff/geomean/{stem}", f"geometric mean, {stem}", mean, "ns", ""
        ):
            if metric.tag.rpartition("/")[2] in ("ratio", "ratio_low", "ratio_high"):
                yield replace(metric, description=f"of {counted} cases, candidate / baseline")


def _barred(subjects: Sequence[Compared], *, force: bool) -> tuple[Finding, ...]:
    reasons = list(dict.fromkeys(reason for s in subjects for reason in s.unlike))
    if not reasons:
        return ()
    fact = f"the two sides were not taken alike: {'; '.join(reasons)}"
    if force:
        return (
            Finding(
                tag="diff/forced",
                severity="warning",
                fact=f"{fact}. The ratios are shown because --force asked for them",
                advice="do not read them as the effect of the build",
            ),
        )
    return (
        Finding(
            tag="diff/not_comparable",
            severity="warning",
            fact=f"{fact}. Both are shown, no ratio of them is given",
            advice="measure both sides alike, or pass --force to see ratios all the same",
        ),
    )
