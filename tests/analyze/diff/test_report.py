"""Two runs compared as a report. All times in ns."""

from dataclasses import replace

import pytest

from tests.analyze.diff.runs import BOOM, run, samples, subject
from tracelens.analyze.diff import (
    Comparison,
    Side,
    diff_sections,
    join_subjects,
    read_expectation,
)
from tracelens.model.card import CardReading
from tracelens.model.measurement import Check, Predicted
from tracelens.model.report import Environment, Report


def diff(before, after, *, expect=(), **options) -> Report:
    comparisons = []
    for b, a in join_subjects(before, after):
        sides = [None if found is None else Side.of_subject(found, None) for found in (b, a)]
        named = (b or a).subject
        comparisons.append(
            Comparison(
                case=named.case, variant=named.variant, baseline=sides[0], candidate=sides[1]
            )
        )
    expectations = [read_expectation(text) for text in expect]
    environments = before.environment, after.environment
    sections = diff_sections(comparisons, environments, expectations=expectations, **options)
    return Report(command="diff", environment=Environment(), sections=sections)


def values(report, stem, *, case=None):
    """Return baseline, candidate, delta, and the verdict, of one quantity."""
    ends = ("baseline", "candidate", "delta", "verdict")
    return tuple(report.metric(f"diff/{stem}/{end}", case=case).value for end in ends)


def facts(report, tag):
    return [finding.fact for finding in report.findings if finding.tag == tag]


def test_a_slower_run_says_by_how_much_and_which_part_of_the_timed_calls_moved():
    parts = ("before_first", 30_100), ("busy", -6_000), ("between", 0), ("after_last", 5)
    base = [(f"undisturbed/{part}", 10_000) for part, _ in parts]
    moved = [(f"undisturbed/{part}", 10_000 + by) for part, by in parts]
    report = diff(
        run(subject(("full/eager", 18_300), *base)), run(subject(("full/eager", 42_400), *moved))
    )
    (verdict,) = [f for f in report.findings if f.tag.startswith("verdict/")]
    assert verdict.tag == "verdict/slower"
    assert verdict.fact == (
        "slower: the full call takes 42.4 us, 18.3 us before: 2.32x (2.32x to 2.32x)"
    )
    assert verdict.advice == ("before the first kernel +30.1 us (medians, profiler off)")
    assert values(report, "full") == (18_300, 42_400, 24_100, "slower")
    assert values(report, "kernel") == (10_000, 4_000, -6_000, "faster")
    assert report.metric("diff/verdict").value == "slower"
    assert report.metric("diff/regressions/count").value == 1


def test_the_same_run_twice_is_no_difference_and_no_regression():
    one = run(subject(("full/eager", 18_300), ("submit/eager", 12_000)))
    report = diff(one, one)
    assert report.metric("diff/verdict").value == "no difference detected"
    assert values(report, "submit") == (12_000, 12_000, 0, "no difference detected")
    assert report.metric("diff/regressions/count").value == 0


def test_the_same_recording_on_both_sides_is_said_to_be_one_and_nothing_else():
    one = run(subject(("full/eager", 18_300), case="a"), subject(case="b", failure=BOOM))
    report = diff(one, one)
    assert facts(report, "diff/one_recording") == [
        "both sides are one recording: every time that was sampled is the same to the nanosecond. "
        "The verdict says nothing of two builds"
    ]
    assert facts(report, "diff/not_alternated") == []
    other = run(subject(("full/eager", 18_301), case="a"), subject(case="b", failure=BOOM))
    assert facts(diff(one, other), "diff/one_recording") == []
    nothing = run(subject())
    assert facts(diff(nothing, nothing), "diff/one_recording") == []


def test_a_part_that_two_processes_may_differ_by_stands_last_and_is_perhaps_luck():
    parts = ("before_first", 5_000), ("busy", 2_000)
    before = [(f"undisturbed/{part}", 10_000) for part, _ in parts]
    after = [(f"undisturbed/{part}", 10_000 + by) for part, by in parts]
    report = diff(run(subject(("full/eager", 20_000), *before)), run(subject(*after)))
    (row,) = report.table("cases").rows
    assert row[-1] == (
        "kernels +2.00 us, before the first kernel +5.00 us perhaps by luck (medians, profiler off)"
    )
    assert values(report, "undisturbed/before_first")[3] == "no difference detected"


UNATTRIBUTED = (
    "the change is not attributed: what the parts of a call moved by does not account for it"
)


@pytest.mark.parametrize(
    ("before", "after", "host", "said"),
    [
        (20_000, 50_000, -1_100, UNATTRIBUTED),
        (50_000, 20_000, 33_100, UNATTRIBUTED),
        (20_000, 50_000, 14_000, UNATTRIBUTED),
        (20_000, 50_000, 95_000, UNATTRIBUTED),
        (20_000, 50_000, 0, UNATTRIBUTED),
        (
            *(20_000, 50_000, 31_000),
            "before the first kernel +31.0 us perhaps by luck (medians, profiler off)",
        ),
    ],
)
def test_a_change_is_laid_only_on_parts_that_moved_its_way_by_about_as_much(
    before, after, host, said
):
    sides = [
        run(subject(("full/eager", full), ("undisturbed/before_first", part)))
        for full, part in ((before, 100_000), (after, 100_000 + host))
    ]
    report = diff(*sides)
    (verdict,) = [f for f in report.findings if f.tag in ("verdict/slower", "verdict/faster")]
    assert verdict.advice == said
    assert report.table("cases").rows[0][-1] == (None if said == UNATTRIBUTED else said)


def test_where_the_call_did_not_change_only_parts_that_surely_moved_are_named():
    parts = ("before_first", 5_000), ("busy", -2_000)
    before = [(f"undisturbed/{part}", 10_000) for part, _ in parts]
    after = [(f"undisturbed/{part}", 10_000 + by) for part, by in parts]
    sides = [run(subject(("full/eager", 50_000), *moved)) for moved in (before, after)]
    assert diff(*sides).table("cases").rows[0][-1] == "kernels -2.00 us (medians, profiler off)"


def test_on_the_cpu_there_are_no_kernels_and_no_dispatch():
    def on_cpu(full_ns):
        found = subject(("full/eager", full_ns), ("host_dispatch", full_ns), device="cpu")
        return run(found, device=None)

    report = diff(on_cpu(50_000), on_cpu(160_000))
    assert facts(report, "diff/not_measured") == [
        "on the CPU there are no kernels to compare: all of a call is host time",
        "not measured, and so not compared: submit in the baseline; submit in the candidate",
    ]
    assert report.metric("diff/host_dispatch/baseline").name == "host time of a call"
    (note,) = facts(report, "diff/not_alternated")
    assert "kernels" not in note


def test_a_side_on_the_cpu_lacks_no_kernels_that_it_could_have():
    before = subject(("full/eager", 50_000), ("submit/eager", 9_000))
    after = subject(("full/eager", 50_000), ("submit/eager", 9_000), device="cpu")
    report = diff(run(before), run(after))
    assert facts(report, "diff/not_measured") == [
        "on the CPU, as in the candidate, there are no kernels to compare: all of a call is host "
        "time",
        "not measured, and so not compared: kernel busy, host dispatch, launch in the baseline; "
        "host dispatch in the candidate",
    ]
    assert facts(report, "diff/no_kernel_changes") == []


@pytest.mark.parametrize(("spread", "said"), [(12_000, []), (14_000, ["56 %"])])
def test_a_noise_floor_above_a_half_is_a_warning(spread, said):
    def noisy(median):
        found = subject(("full/eager", median))
        times = samples(median, spread * median // 25_000)
        return run(replace(found, measurements=(replace(found.measurements[0], samples_ns=times),)))

    report = diff(noisy(25_000), noisy(25_001))
    assert facts(report, "diff/unsteady") == [
        f"the noise floor of the full call is {floor}: this comparison can tell next to nothing"
        for floor in said
    ]
    assert {f.severity for f in report.findings if f.tag == "diff/unsteady"} <= {"warning"}


def test_a_time_that_was_nothing_is_judged_by_what_it_became():
    before, after = (run(subject(("full/eager", ns))) for ns in (0, 5_000))
    before = replace(
        before,
        subjects=tuple(
            replace(s, measurements=(replace(s.measurements[0], samples_ns=(0,) * 50),))
            for s in before.subjects
        ),
    )
    assert facts(diff(before, after), "verdict/slower") == [
        "slower: the full call takes 5.00 us, 0 ns before: a time of nothing has no ratio; "
        "+5.00 us (+5.00 us to +5.00 us)"
    ]


def test_a_slower_kernel_is_a_regression_although_the_host_hides_it():
    report = diff(
        run(subject(("full/eager", 50_000), ("undisturbed/busy", 10_000))),
        run(subject(("full/eager", 50_000), ("undisturbed/busy", 12_000))),
    )
    assert report.metric("diff/verdict").value == "no difference detected"
    assert report.metric("diff/regressions/count").value == 1
    assert facts(report, "diff/regression") == [
        "kernel busy is slower by more than 2.0 %: 1.20x (1.20x to 1.20x)"
    ]


def test_a_slower_replay_is_a_regression_although_the_eager_call_is_as_it_was():
    before = subject(("full/eager", 50_000), ("full/graph", 10_000))
    report = diff(run(before), run(subject(("full/eager", 50_000), ("full/graph", 25_000))))
    assert report.metric("diff/verdict").value == "no difference detected"
    assert facts(report, "diff/regression") == [
        "full call, graph is slower by more than 2.0 %: 2.50x (2.50x to 2.50x)"
    ]
    assert report.metric("diff/regressions/count").value == 1


def test_slower_by_less_than_the_threshold_is_no_regression():
    before = run(subject(("undisturbed/busy", 50_000)))
    after = run(subject(("undisturbed/busy", 52_000)))
    assert diff(before, after).metric("diff/regressions/count").value == 1
    allowed = diff(before, after, threshold=0.05)
    assert allowed.metric("diff/regressions/count").value == 0
    assert allowed.metric("diff/kernel/verdict").value == "slower"


def test_one_process_a_side_cannot_claim_a_slower_call_unless_it_is_slower_than_luck():
    before, after = run(subject(("full/eager", 50_000))), run(subject(("full/eager", 70_000)))
    report = diff(before, after)
    (verdict,) = [f for f in report.findings if f.tag.startswith("verdict/")]
    assert verdict.fact == (
        "no difference detected: the full call takes 70.0 us, 50.0 us before: 1.40x (1.40x to "
        "1.40x), noise floor 100 %"
    )
    assert verdict.advice == (
        "one process a side cannot tell: two processes of one build lie as far apart. Give several "
        "runs a side with --to, or let both take turns: tracelens diff base_op.py cand_op.py"
    )
    assert report.metric("diff/regressions/count").value == 0
    twice = run(subject(("full/eager", 110_000)))
    assert diff(before, twice).metric("diff/verdict").value == "slower"


def test_runs_from_different_cards_have_no_ratio_unless_it_is_forced():
    before = run(subject(("full/eager", 50_000)))
    after = run(subject(("full/eager", 160_000)), device="NVIDIA H100")
    report = diff(before, after)
    assert values(report, "full") == (50_000, 160_000, None, "not comparable")
    assert report.metric("diff/regressions/count").value == 0
    assert facts(report, "diff/not_comparable") == [
        "the two sides were not taken alike: card NVIDIA H200 in the baseline, NVIDIA H100 now. "
        "Both are shown, no ratio of them is given"
    ]
    forced = diff(before, after, force=True)
    assert values(forced, "full") == (50_000, 160_000, 110_000, "slower")
    assert len(facts(forced, "diff/forced")) == 1


def test_another_cache_state_bars_a_ratio():
    report = diff(
        run(subject(("full/eager", 50_000))),
        run(subject(("full/eager", 50_000), cache_state="cold")),
    )
    assert report.metric("diff/verdict").value == "not comparable"


def test_one_quantity_that_was_taken_another_way_has_no_ratio_unless_it_is_forced():
    def measured_in(state):
        found = subject(("full/eager", 50_000), ("submit/eager", 9_000))
        full, submit = found.measurements
        return run(replace(found, measurements=(replace(full, cache_state=state), submit)))

    sides = measured_in("warm"), measured_in("cold")
    report = diff(*sides)
    assert values(report, "full") == (50_000, 50_000, None, "not comparable")
    assert values(report, "submit")[2] == 0
    unlike = (
        "full call, perf_counter_ns, warm cache in the baseline, perf_counter_ns, cold cache now"
    )
    assert facts(report, "diff/not_comparable") == [
        f"the two sides were not taken alike: {unlike}. Both are shown, no ratio of them is given"
    ]
    forced = diff(*sides, force=True)
    assert values(forced, "full") == (50_000, 50_000, 0, "no difference detected")
    assert facts(forced, "diff/forced") == [
        f"the two sides were not taken alike: {unlike}. The ratios are shown because --force asked "
        "for them"
    ]
    assert facts(forced, "verdict/no_difference_detected")[0].startswith(
        "no difference detected: the full call takes 50.0 us, 50.0 us before: 1.000x"
    )


def test_a_graph_is_compared_with_a_graph_and_never_with_an_eager_call():
    report = diff(
        run(subject(("full/eager", 50_000), ("full/graph", 20_000))),
        run(subject(("full/graph", 20_000))),
    )
    assert values(report, "full") == (50_000, None, None, "not comparable")
    assert values(report, "full/graph") == (20_000, 20_000, 0, "no difference detected")


def test_a_failed_case_is_a_failure_and_enters_no_mean():
    report = diff(
        run(
            subject(("full/eager", 50_000), case="small"),
            subject(("full/eager", 80_000), case="big"),
            subject(("full/eager", 10_000), case="odd"),
        ),
        run(
            subject(("full/eager", 10_000), case="small"),
            subject(case="big", failure=BOOM),
            subject(("full/eager", 10_000), case="new"),
        ),
        expect=["geomean: 0.05x..0.50x"],
    )
    assert report.metric("diff/geomean/full/ratio").value == 0.2
    assert report.table("geomean").rows[0][0] == "full call"
    assert facts(report, "verdict/faster") == [
        "faster: 1 faster, 1 failed, 1 missing, 1 new of 4 cases; geometric mean 0.200x "
        "(0.200x to 0.200x) over 1 comparable one"
    ]
    assert [(row[0], row[4], row[7]) for row in report.table("cases").rows] == [
        ("small", 0.2, "faster"),
        ("big", None, "failed"),
        ("odd", None, "missing"),
        ("new", None, "new"),
    ]
    assert facts(report, "diff/failed_case") == [
        "not compared, and in no mean: it failed in the candidate: The op raised ValueError"
    ]
    assert facts(report, "diff/missing_case") == [
        "not compared, and in no mean: it is not in the candidate"
    ]
    assert facts(report, "diff/new_case") == [
        "not compared, and in no mean: it is not in the baseline"
    ]
    assert report.metric("diff/lost/count").value == 2
    assert report.table("predictions").rows[0][3] == "met"


def test_a_case_that_failed_has_a_reason_for_a_verdict_and_no_word_on_how_runs_were_taken():
    report = diff(run(subject(("full/eager", 50_000))), run(subject(failure=BOOM)))
    assert facts(report, "verdict/not_comparable") == [
        "not comparable: it failed in the candidate: The op raised ValueError"
    ]
    assert facts(report, "diff/not_alternated") == []


def test_every_tag_of_the_contract_is_there_although_nothing_was_measured():
    report = diff(run(subject()), run(subject()))
    for quantity in ("full", "kernel", "host_dispatch", "launch", "submit"):
        for figure in ("baseline", "candidate", "delta", "ratio", "ratio_low", "ratio_high"):
            assert report.metric(f"diff/{quantity}/{figure}").value is None
    assert facts(report, "diff/not_measured") == [
        "not measured, and so not compared: full call, submit, kernel busy, host dispatch, launch "
        "in the baseline; full call, submit, kernel busy, host dispatch, launch in the candidate"
    ]


def test_a_missed_prediction_is_a_finding_with_what_another_process_might_have_shown():
    report = diff(
        run(subject(("undisturbed/busy", 50_000))),
        run(subject(("undisturbed/busy", 45_000))),
        expect=["kernel: -20% +/- 3%"],
    )
    assert facts(report, "prediction/missed") == [
        "prediction missed, higher: kernel busy -20% +/- 3% was expected, -10.0 % (-10.9 % to "
        "-9.1 %) came"
    ]


def test_kernels_that_nobody_recorded_are_no_kernels_that_stayed_the_same():
    busy = [run(subject(("undisturbed/busy", ns))) for ns in (50_000, 60_000)]
    assert facts(diff(*busy), "diff/no_kernel_changes") == [
        "single kernels were not compared: on both sides there is no profiled pass"
    ]
    full = [run(subject(("full/eager", ns))) for ns in (50_000, 60_000)]
    assert facts(diff(*full), "diff/no_kernel_changes") == []  # the next finding says it all
    assert facts(diff(*full), "diff/not_measured")[0].count("kernel busy") == 2


def test_a_candidate_whose_result_nobody_checked_may_compute_something_else():
    unchecked, passed = (
        run(replace(subject(("full/eager", ns)), check=Check(status=status)))
        for status, ns in (("no reference", 50_000), ("passed", 50_001))
    )
    assert facts(diff(passed, unchecked), "diff/unchecked") == [
        "the candidate's results were held against nothing: its op file has no reference, and it "
        "may compute something else than the baseline"
    ]
    assert facts(diff(unchecked, passed), "diff/unchecked") == []


def test_where_every_case_failed_there_is_no_word_on_ratios():
    lost = [subject(case=case, failure=BOOM) for case in "ab"]
    (verdict,) = [f for f in diff(run(*lost), run(*lost)).findings if f.tag.startswith("verdict/")]
    assert (verdict.fact, verdict.advice) == ("not comparable: 2 failed of 2 cases", "")


def predicting(found, *claims):
    return replace(found, predicted=Predicted(claims=claims))


def test_what_the_candidates_op_file_predicts_joins_what_is_expected():
    before = predicting(subject(("undisturbed/busy", 50_000)), "kernel: +90%")
    after = predicting(
        subject(("undisturbed/busy", 45_000)), "kernel: -10% +/- 2%", "full: 9us", "kernel fast"
    )
    report = diff(run(before), run(after), expect=["kernel: 44us..46us", "kernel: -10% +/- 2%"])
    assert report.table("predictions").rows == (
        ("kernel busy", "44us..46us", "45.0 us (44.6 us to 45.5 us)", "met"),
        ("kernel busy", "-10% +/- 2%", "-10.0 % (-10.9 % to -9.1 %)", "met"),
        ("full call", "9us", "not measured", "cannot tell"),
    )
    assert facts(report, "prediction/unreadable") == [
        "the op file predicts what cannot be read: 'kernel fast' is no prediction"
    ]
    assert facts(report, "prediction/cannot_tell") == [
        "nobody can tell of a prediction: full call 9us was expected, and it was not measured"
    ]


def test_a_geometric_mean_is_predicted_once_wherever_it_stands():
    cases = [predicting(subject(("full/eager", 50_000), case=c), "geomean: 1x") for c in "ab"]
    report = diff(run(*cases), run(*cases))
    assert [row[:2] for row in report.table("predictions").rows] == [("geometric mean", "1x")]


def read(*clocks, stage="undisturbed"):
    return tuple(CardReading(stage=stage, sm_clock_mhz=mhz) for mhz in clocks)


def test_a_kernel_that_is_slower_by_a_lower_clock_alone_is_not_slower():
    before = replace(subject(("undisturbed/busy", 9_000)), card=read(1980))
    after = replace(subject(("undisturbed/busy", 10_000)), card=read(1782))
    report = diff(run(before), run(after))
    assert values(report, "kernel") == (9_000, 10_000, 1_000, "no difference detected")
    assert values(report, "kernel/cycles") == (17_820, 17_820, 0, "no difference detected")
    assert report.metric("diff/sm_clock/ratio").value == 0.9
    assert report.metric("diff/regressions/count").value == 0
    assert facts(report, "diff/clock") == [
        "kernel busy takes 1.111x the time at 0.900x the SM clock (1,980 MHz in the baseline, "
        "1,782 MHz now): 1.000x in cycles. The card's clock differs, not the kernels"
    ]


def test_a_kernel_that_needs_more_cycles_is_slower_at_any_clock():
    before = replace(subject(("undisturbed/busy", 9_000)), card=read(1980))
    after = replace(subject(("undisturbed/busy", 12_000)), card=read(1782))
    report = diff(run(before), run(after))
    assert values(report, "kernel/cycles") == (17_820, 21_384, 3_564, "slower")
    assert values(report, "kernel")[3] == "slower"
    assert facts(report, "diff/clock") == []


def test_a_change_within_what_the_clock_moved_by_cannot_be_told():
    before = replace(subject(("undisturbed/busy", 9_000)), card=read(1980, 1780, 1880))
    after = replace(subject(("undisturbed/busy", 9_500)), card=read(1880))
    report = diff(run(before), run(after))
    assert values(report, "kernel")[3] == "no difference detected"
    assert facts(report, "diff/clock_moved") == [
        "the change of kernel busy cannot be told from one of the SM clock, which moved by 11 % "
        "while a side was measured (1,880 MHz in the baseline, 1,880 MHz now, medians)"
    ]


def test_host_times_are_never_judged_in_cycles():
    before = replace(subject(("full/eager", 9_000)), card=read(1980, stage="full/eager"))
    after = replace(subject(("full/eager", 19_000)), card=read(990, stage="full/eager"))
    assert values(diff(run(before), run(after)), "full")[3] == "slower"


def test_runs_of_one_subject_each_are_compared_whatever_it_is_called():
    report = diff(
        run(subject(("full/eager", 50_000), case="a")), run(subject(("full/eager", 160_000)))
    )
    assert values(report, "full", case="a") == (50_000, 160_000, 110_000, "slower")
