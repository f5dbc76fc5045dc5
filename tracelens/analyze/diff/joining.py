"""Which subject of the candidate stands beside which of the baseline."""

from __future__ import annotations

from tracelens.model.measurement import Run, SubjectRun

Joined = tuple[SubjectRun | None, SubjectRun | None]
"""A subject of the baseline and of the candidate; None where a run does not have it."""


def join_subjects(baseline: Run, candidate: Run) -> list[Joined]:
    """Join two runs by case and variant, in the order of the baseline, then of the candidate.

    Where each run has but one subject they are joined whatever they are called: two op files name
    the one thing that they do as they like.
    """
    if len(baseline.subjects) == 1 and len(candidate.subjects) == 1:
        return [(baseline.subjects[0], candidate.subjects[0])]
    before, after = (
        {(found.subject.case, found.subject.variant): found for found in run.subjects}
        for run in (baseline, candidate)
    )
    return [(before.get(key), after.get(key)) for key in dict.fromkeys([*before, *after])]
