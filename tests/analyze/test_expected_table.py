"""The table of expected kernels: every row, its words, and one finding for each outcome."""

from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.expected_table import expected_table
from tracelens.analyze.ran import Ran
from tracelens.analyze.timeline import Timeline
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.measurement import Capture, Subject, SubjectRun

NVJET = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT"


def ran(case, *expected, name=NVJET):
    found = SubjectRun(
        subject=Subject(case=case),
        stated=StatedKernels(expected=expected),
        capture=Capture(path="t", window="tracelens::call", replay_window=None),
    )
    events = (window(0, 50), launch(1, 5, called=1), kernel(60, 90, by=1, name=name), sync(55, 99))
    return Ran.of(found, Timeline.of(timeline_of(*events)) if name else None)


SUBJECTS = [
    ran("m1", ExpectedKernel(kernel="nvjet*", fields={"tile": "64x8"})),
    ran("m2", ExpectedKernel(kernel="nvjet*", fields={"tile": "128x8", "stages": 16})),
    ran("m3", ExpectedKernel(family="gemv"), name=NVJET),
    ran("m4", ExpectedKernel(kernel="nvjet*", fields={"swizzle": 2})),
    ran("m5", ExpectedKernel(kernel="nvjet*"), name=None),
]


def test_each_expectation_is_a_row_with_what_ran_in_its_place():
    section = expected_table(SUBJECTS)
    assert section is not None
    (table,) = section.tables
    names = [column.name for column in table.columns]
    found = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert [(row["case"], row["outcome"], row["expected"], row["found"]) for row in found] == [
        ("m1", "met", "nvjet* tile=64x8", None),
        ("m2", "not met", "nvjet* tile=128x8 stages=16", f"{NVJET}: tile is 64x8"),
        (
            "m3",
            "not met",
            "family gemv",
            f"no such kernel ran; nearest: {NVJET} (tile 64x8x64 stages 16 cluster 2x1 split-K)",
        ),
        (
            "m4",
            "cannot tell",
            "nvjet* swizzle=2",
            f"{NVJET}: swizzle is not stated; 1 of the kernels that ran may be it: not all its "
            "fields are stated",
        ),
        ("m5", "cannot tell", "nvjet*", "no kernel records to look at"),
    ]
    assert (found[1]["fields"], found[1]["differs"], found[1]["nearest"]) == (
        {"tile": "128x8", "stages": 16},
        {"tile": "64x8"},
        NVJET,
    )


def test_outcomes_are_counted_and_a_finding_tells_of_the_first_of_each():
    section = expected_table(SUBJECTS)
    assert section is not None
    assert [(metric.tag, metric.value) for metric in section.metrics] == [
        ("expected/met", 1),
        ("expected/not_met", 2),
        ("expected/cannot_tell", 2),
    ]
    assert [(finding.tag, finding.severity, finding.fact) for finding in section.findings] == [
        (
            "expected/not_met",
            "error",
            "2 of 5 expected kernels: not met. The first: m2: nvjet* tile=128x8 stages=16; "
            f"{NVJET}: tile is 64x8",
        ),
        (
            "expected/cannot_tell",
            "warning",
            "2 of 5 expected kernels: cannot tell. The first: m4: nvjet* swizzle=2; "
            f"{NVJET}: swizzle is not stated; 1 of the kernels that ran may be it: not all its "
            "fields are stated",
        ),
    ]


def test_an_op_that_expects_nothing_has_no_table():
    assert expected_table([ran("m1")]) is None


def test_the_table_of_a_single_case_is_that_cases_own():
    section = expected_table(SUBJECTS[:1])
    assert section is not None
    assert (section.case, section.findings) == ("m1", ())
