"""Several runs of one build. All times in ns."""

from dataclasses import replace

import pytest

from tests.analyze.diff.runs import BOOM, run, subject
from tracelens.api import diff_runs
from tracelens.errors import UsageError
from tracelens.formats.run_json import encode_run


@pytest.fixture
def saved(tmp_path):
    """Save runs, each with these full calls, and return their folders."""

    def save(name, *runs):
        folders = []
        for number, found in enumerate(runs):
            folder = tmp_path / f"{name}{number}.run"
            folder.mkdir()
            (folder / "run.json").write_bytes(encode_run(found))
            folders.append(folder)
        return folders

    return save


def calls(*medians, **more):
    return [run(subject(("full/eager", median), **more)) for median in medians]


def test_runs_that_lie_close_together_find_what_one_run_could_not(saved):
    before, after = saved("a", *calls(50_000, 50_100, 49_900)), saved("b", *calls(60_000, 60_100))
    report = diff_runs(before, after)
    assert report.metric("diff/verdict").value == "slower"
    assert report.metric("diff/full/ratio").value == pytest.approx(1.201, abs=0.001)
    assert report.metric("diff/regressions/count").value == 1
    assert report.table("sides").rows == (
        ("baseline", f"{before[0]} and 2 more"),
        ("candidate", f"{after[0]} and 1 more"),
    )
    (note,) = [f.fact for f in report.findings if f.tag == "diff/several_runs"]
    assert note.startswith("runs of the baseline: 3, of the candidate: 2, a process each. What")
    alone = diff_runs(before[0], after[0])
    assert alone.metric("diff/verdict").value == "no difference detected"


def test_runs_that_lie_as_far_apart_as_the_builds_find_nothing(saved):
    before, after = saved("a", *calls(50_000, 70_000)), saved("b", *calls(60_000, 71_000))
    assert diff_runs(before, after).metric("diff/verdict").value == "no difference detected"


def test_a_case_that_failed_in_one_of_the_runs_has_failed(saved):
    before = saved("a", *calls(50_000, 50_100))
    after = saved("b", *calls(50_000), run(subject(failure=BOOM)))
    report = diff_runs(before, after)
    assert [f.fact for f in report.findings if f.tag == "diff/failed_case"] == [
        "not compared, and in no mean: it failed in the candidate: The op raised ValueError"
    ]
    assert report.metric("diff/lost/count").value == 1


def test_runs_of_one_side_are_of_one_card(saved):
    before = saved("a", *calls(50_000), run(subject(("full/eager", 1)), device="NVIDIA H100"))
    with pytest.raises(UsageError) as caught:
        diff_runs(before, saved("b", *calls(50_000)))
    assert caught.value.fact == (
        f"{before[0]} and {before[1]} stand for one build and are not alike: card NVIDIA H200 and "
        "NVIDIA H100"
    )


def test_runs_of_one_side_are_taken_alike(saved):
    warm, cold = calls(50_000), [run(subject(("full/eager", 90_000), cache_state="cold"))]
    before = saved("a", *warm, *cold)
    with pytest.raises(UsageError) as caught:
        diff_runs(before, saved("b", *calls(50_000)))
    assert caught.value.fact.endswith("are not alike: cache state warm and cold")


def test_the_only_subject_of_each_run_of_a_side_has_any_name(saved):
    named = run(subject(("full/eager", 50_100), case="small"))
    before = saved("a", *calls(50_000), named)
    report = diff_runs(before, saved("b", *calls(60_000)))
    assert report.metric("diff/full/baseline").value == 50_050


@pytest.mark.parametrize("copied", [False, True])
def test_one_run_or_its_copy_given_twice_is_one_process(saved, copied):
    one, copy = saved("a", *calls(50_000, 50_000))
    second = copy if copied else one
    with pytest.raises(UsageError) as caught:
        diff_runs([one, second], one)
    assert caught.value.fact == (
        f"{one} and {second} are one run: one process says nothing of what two differ by"
    )


def test_two_runs_that_failed_alike_are_no_copies(saved):
    before = saved("a", *[run(subject(failure=BOOM))] * 2)
    report = diff_runs(before, saved("b", *calls(50_000)))
    assert [f.tag for f in report.findings if f.tag == "diff/failed_case"] == ["diff/failed_case"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_run_on_both_sides_is_said_to_be_one(saved, number):
    runs = saved("a", *calls(50_000, 50_100))
    (copy,) = saved("b", *calls((50_000, 50_100)[number]))
    report = diff_runs(runs, copy)
    assert [f.fact for f in report.findings if f.tag == "diff/one_recording"] == [
        "one run stands on both sides: every time that was sampled is the same to the nanosecond. "
        "The verdict says nothing of two builds"
    ]
    assert "diff/several_runs" not in {f.tag for f in report.findings}


def first_calls(*times_ns):
    found = subject(("cold/first_call", 1))
    return [
        run(replace(found, measurements=(replace(found.measurements[0], samples_ns=(ns,)),)))
        for ns in times_ns
    ]


@pytest.mark.parametrize(
    ("runs", "verdict"), [(1, "not comparable"), (2, "not comparable"), (10, "faster")]
)
def test_one_first_call_a_run_says_nothing_where_the_runs_are_few(saved, runs, verdict):
    before = saved("a", *first_calls(*(90_000_000 + at for at in range(runs))))
    after = saved("b", *first_calls(*(70_000_000 + at for at in range(10))))
    report = diff_runs(before, after)
    assert report.metric("diff/cold/first_call/baseline").value == 90_000_000 + (runs - 1) // 2
    assert report.metric("diff/cold/first_call/ratio").value == pytest.approx(0.778, abs=0.001)
    assert report.metric("diff/cold/first_call/verdict").value == verdict
