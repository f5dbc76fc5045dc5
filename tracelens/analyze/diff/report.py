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
from tracelens.analyze.diff.compared import Compared, subject_sections
from tracelens.analyze.diff.expectations import (
    GEOMEAN,
    Expectation,
    expectation_section,
    read_predictions,
)
from tracelens.analyze.diff.metrics import change_metrics
from tracelens.analyze.diff.side import Side
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
) -> tuple[Section, ...]:
    """Report what changed from a baseline to a candidate, over all subjects and for each.

    Where the card, the protocol or the cache state differ there is no ratio, unless `force`.
    `threshold` is the share by which something must be slower to be a regression. Expectations
    hold for every subject, one of the geometric mean for all of them; what the candidate's op file
    predicts joins them.
    """
    machine = environment_differences(*environments)
    subjects = [_subject(comparison, machine, force=force) for comparison in comparisons]
    sections = [_total(subjects, comparisons, machine, threshold=threshold, force=force)]
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
    comparisons: Sequence[Comparison],
    machine: Sequence[Difference],
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
            *(_in_turns(comparisons) or _taken_apart(subjects)),
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
    reasons = list(dict.fromkeys(reason for s in subjects for reason in s.barred))
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
            fact=f"{fact}. Both are shown, no ratio is given",
            advice="measure both sides alike, or pass --force to see ratios all the same",
        ),
    )


def _in_turns(comparisons: Sequence[Comparison]) -> tuple[Finding, ...]:
    """Say how the turns were taken; nothing where there were none."""
    rounds = [taken for comparison in comparisons for taken in comparison.paired.values()]
    if not rounds:
        return ()
    processes = len(rounds[0].baseline_ns)
    counts = sorted({len(taken.baseline_ns[0]) for taken in rounds})
    return (
        Finding(
            tag="diff/in_turns",
            severity="info",
            fact=f"{processes} warm processes of each side took turns for "
            f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} rounds, the order "
            f"swapped every round and all of a round on one core ({rounds[0].includes}); what "
            "processes of one side differ by is the noise floor. Kernels, and what was taken with "
            "the profiler on, come from one run of each side",
            advice="",
        ),
    )


def _taken_apart(subjects: Sequence[Compared]) -> tuple[Finding, ...]:
    """Say what two recordings that did not alternate cannot tell, of what was compared at all."""
    if all(subject.failed for subject in subjects):
        return ()
    if any(side.profiled for subject in subjects for side in subject.sides if side):
        return (
            Finding(
                tag="diff/profiled",
                severity="warning",
                fact="both traces were recorded under a profiler, which slows every call of the "
                "API: fewer launches look better than they are",
                advice="measure both with tracelens profile for host times without it",
            ),
        )
    runs = [
        max(side.runs if side else 1 for side in sides)
        for sides in zip(*(subject.sides for subject in subjects), strict=True)
    ]
    if max(runs) > 1:
        return (
            Finding(
                tag="diff/several_runs",
                severity="info",
                fact=f"runs of the baseline: {runs[0]}, of the candidate: {runs[1]}, a process "
                "each. What processes of one build differ by makes the intervals and the floors; "
                "parts and kernels are those of the first run of each",
                advice="take the runs of both sides in turns, so that neither has the hotter card",
            ),
        )
    return (
        Finding(
            tag="diff/not_alternated",
            severity="info",
            fact="the two runs are one process a side, taken one after the other. From process to "
            "process host times have moved by a factor of two and kernels by 1 %, whatever the "
            "build: the noise floors say so, and the intervals know nothing of it",
            advice="for host times give several runs a side with --to, or let both take turns: "
            "tracelens diff base_op.py cand_op.py",
        ),
    )
