from __future__ import annotations

from tracelens.model.measurement import (
    Check,
    Failure,
    Measurement,
    Outline,
    Run,
    Subject,
    SubjectRun,
    Withheld,
)
from tracelens.model.records import gather
from tracelens.model.report import Environment, Finding

A, B, C = (Subject(case="c", variant=name, baseline=name == "a") for name in "abc")
FIRST, SECOND = (
    Measurement(tag=tag, samples_ns=(1,), clock="c", includes="i") for tag in ("first", "second")
)
CHECK = Check(status="no reference")
CRASH = Failure(stage="s", kind="crashed", fact="f", hint="h")


def test_records_belong_to_the_subject_that_was_announced_last() -> None:
    withheld = Withheld(tags=(), finding=Finding(tag="t", severity="info", fact="f", advice="a"))
    records = [Outline(subjects=(A, B)), A, FIRST, B, CHECK, withheld, A, SECOND]

    assert gather("op", [Environment(device="x"), *records, Environment(device="y")]) == Run(
        op="op",
        environment=Environment(device="y"),
        subjects=(
            SubjectRun(subject=A, measurements=(FIRST, SECOND)),
            SubjectRun(subject=B, check=CHECK, withheld=(withheld,)),
        ),
    )


def test_a_subject_that_was_never_reached_failed_as_its_case_did() -> None:
    run = gather("op", [Outline(subjects=(A, B, C)), A, FIRST, B, CRASH])

    assert [(found.subject, found.failure) for found in run.subjects] == [
        (A, None),
        (B, CRASH),
        (C, CRASH),
    ]


def test_a_failure_before_any_subject_is_the_runs_own() -> None:
    run = gather("op", [CRASH])

    assert (run.subjects, run.failure) == ((), CRASH)
