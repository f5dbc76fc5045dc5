"""Cases and variants in one table. All times in ns."""

from tests.timelines import copy, kernel, launch, sync, timeline_of, window
from tracelens.analyze.all_subjects import run_wide_sections, variant_sections
from tracelens.analyze.case_table import case_table
from tracelens.analyze.ran import Ran
from tracelens.analyze.timeline import Timeline
from tracelens.model.measurement import Capture, Failure, Measurement, Subject, SubjectRun
from tracelens.model.report import Environment

NVJET = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT"


def subject(case, variant, *, full, baseline=True, cache_state="warm", kernel_ns=None, grid=None):
    """A subject with 20 full calls of one length, and one profiled call of a kernel and a copy."""
    found = SubjectRun(
        subject=Subject(case=case, variant=variant, baseline=baseline),
        measurements=(
            Measurement(
                tag="full/eager",
                samples_ns=(full,) * 20,
                clock="c",
                includes="i",
                cache_state=cache_state,
            ),
        )
        if full
        else (),
        capture=Capture(path="t", window="tracelens::call", replay_window=None),
    )
    if kernel_ns is None:
        return Ran.of(found, None)
    events = (
        window(0, 50),
        launch(1, 5, called=1),
        launch(6, 9, called=2, name="cudaMemcpyAsync"),
        kernel(60, 60 + kernel_ns, by=1, name=NVJET, grid=grid or (66, 1, 1)),
        copy(200, 210, by=2),
        sync(55, 300),
    )
    return Ran.of(found, Timeline.of(timeline_of(*events)))


def rows(section, *names):
    (table,) = section.tables
    places = [[column.name for column in table.columns].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in table.rows]


def test_a_kernel_stands_beside_its_share_its_calls_and_what_its_grid_leaves_idle():
    section = case_table([subject(None, None, full=500, kernel_ns=90)], 132)
    assert section.title == "Kernels of a call"
    (table,) = section.tables
    assert [dict(zip([c.name for c in table.columns], row, strict=True)) for row in table.rows] == [
        {
            "case": None, "variant": None, "full_ns": 500,
            "ratio": None, "ratio_low": None, "ratio_high": None,
            "name": NVJET, "family": "nvjet",
            "config": "tile 64x8x64 stages 16 cluster 2x1 split-K",
            "kernel_ns": 90, "share": 0.9, "calls": 1,
            "grid": [66, 1, 1], "block": [32, 1, 1],
            "multiprocessors": 132, "idle_multiprocessors": 66, "blocks_per_multiprocessor": 0.5,
            "ended_in": None,
        },
        {
            "case": None, "variant": None, "full_ns": 500,
            "ratio": None, "ratio_low": None, "ratio_high": None,
            "name": "copies and sets", "family": None, "config": None,
            "kernel_ns": 10, "share": 0.1, "calls": None, "grid": None, "block": None,
            "multiprocessors": None, "idle_multiprocessors": None,
            "blocks_per_multiprocessor": None, "ended_in": None,
        },
    ]  # fmt: skip


def test_a_grid_of_more_blocks_than_multiprocessors_leaves_none_idle():
    section = case_table([subject(None, None, full=500, kernel_ns=90, grid=(66, 2, 3))], 132)
    names = ("idle_multiprocessors", "blocks_per_multiprocessor")
    assert rows(section, *names)[0] == (0, 3.0)


def test_an_unknown_number_of_multiprocessors_is_null_with_a_finding():
    section = case_table([subject(None, None, full=500, kernel_ns=90)], None)
    names = ("multiprocessors", "idle_multiprocessors", "blocks_per_multiprocessor")
    assert rows(section, *names)[0] == (None, None, None)
    assert [finding.tag for finding in section.findings] == ["cases/multiprocessors_unknown"]


def test_each_variant_has_its_ratio_to_the_baseline_of_its_own_case():
    subjects = [
        subject("m1", "plain", full=400),
        subject("m1", "fast", full=300, baseline=False),
        subject("m8", "plain", full=600),
        subject("m8", "fast", full=900, baseline=False),
    ]
    section = case_table(subjects, 132)
    assert (section.title, section.case, section.variant) == ("Cases", None, None)
    assert rows(section, "case", "variant", "full_ns", "ratio", "ratio_low", "name") == [
        ("m1", "plain", 400, None, None, None),
        ("m1", "fast", 300, 0.75, 0.75, None),
        ("m8", "plain", 600, None, None, None),
        ("m8", "fast", 900, 1.5, 1.5, None),
    ]
    assert [finding.tag for finding in section.findings] == ["cases/unpaired"]


def test_there_is_no_ratio_to_a_baseline_that_failed_or_had_another_cache():
    for baseline in (
        subject("m1", "plain", full=None),
        subject("m1", "plain", full=400, cache_state="cold"),
    ):
        section = case_table([baseline, subject("m1", "fast", full=300, baseline=False)], 132)
        assert rows(section, "full_ns", "ratio")[1] == (300, None)
        assert section.findings == ()


def test_a_variant_says_how_it_compares_with_the_baseline():
    baseline = subject("m1", "plain", full=400, kernel_ns=90)
    ran = subject("m1", "fast", full=300, baseline=False, kernel_ns=40)
    (section,) = variant_sections(ran, [baseline])
    assert (section.case, section.variant) == ("m1", "fast")
    assert {metric.tag: metric.value for metric in section.metrics} == {
        "variant/full/ratio": 0.75,
        "variant/full/ratio_low": 0.75,
        "variant/full/ratio_high": 0.75,
        "variant/device/ratio": 0.5,
    }
    assert variant_sections(baseline, []) == ()


def test_a_single_subject_without_kernels_needs_no_table():
    alone = subject(None, None, full=500)
    assert run_wide_sections([alone], Environment()) == ()
    assert run_wide_sections([], Environment()) == ()


def test_a_variant_that_failed_has_a_row_that_says_in_which_stage():
    failure = Failure(stage="check", kind="wrong result", fact="It is 3.", hint="Mend it.")
    failed = Ran(found=SubjectRun(subject=Subject(case="m1", variant="fast"), failure=failure))
    section = case_table([subject("m1", "plain", full=400), failed], 132)
    assert rows(section, "variant", "full_ns", "name", "ended_in") == [
        ("plain", 400, None, None),
        ("fast", None, None, "check"),
    ]
