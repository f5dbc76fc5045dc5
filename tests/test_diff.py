"""`tracelens diff` from files to an exit code."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from tests.analyze.diff.runs import BOOM, run, subject
from tracelens.api import diff_runs, diff_traces
from tracelens.cli import cli
from tracelens.errors import ExportError, UsageError
from tracelens.formats import decode_report
from tracelens.formats.run_json import encode_run

PROJECT = Path(__file__).parent.parent
PAIR = ["fixtures/cases/build_diff_fusion_a.json", "fixtures/cases/build_diff_fusion_b.json"]


@pytest.fixture
def saved(tmp_path):
    """Save a run under a name and return its folder."""

    def save(name, found):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "run.json").write_bytes(encode_run(found))
        return folder

    return save


def test_the_handed_pair_comes_out_as_its_expected_file_says():
    expected = json.loads((PROJECT / PAIR[1]).with_suffix(".expected.json").read_text())
    wanted = expected["expected"]["diff_vs_build_diff_fusion_a"]
    report = diff_traces(*(PROJECT / path for path in PAIR))
    delta = {
        tag: report.metric(f"diff/trace/{tag}/delta").value
        for tag in ("kernel/sum", "launch/count", "host_op/outside_api")
    }
    assert delta == {
        "kernel/sum": round(1000 * wanted["kernel_sum_us"]),
        "launch/count": wanted["launch_count"],
        "host_op/outside_api": round(1000 * wanted["host_op_minus_api_us"]),
    }
    changes = [row[:5] for row in report.table("kernel_changes").rows]
    gemm = changes.pop()
    assert (gemm[0], *gemm[3:]) == ("same", 32, 0)
    assert {row[1] for row in changes if row[0] == "removed"} == set(wanted["removed"])
    assert [row[2] for row in changes if row[0] == "added"] == wanted["added"]
    assert [f.fact for f in report.findings if f.tag == "kernels/fused"] == [
        "triton_poi_fused_mul_0 and triton_poi_fused_add_1 were fused into "
        "triton_poi_fused_add_mul_0: -9.00 us a call"
    ]


def test_a_recording_beside_itself_has_no_difference_in_any_quantity():
    path = PROJECT / "fixtures/traces/unfused_gelu.json.gz"
    report = diff_traces(path, path)
    verdicts = {m.value for s in report.sections for m in s.metrics if m.tag.endswith("/verdict")}
    assert verdicts == {"no difference detected", "not comparable"}
    assert report.metric("diff/verdict").value == "no difference detected"
    assert {row[0] for row in report.table("kernel_changes").rows} == {"same"}
    assert [f.tag for f in report.findings if f.severity == "warning"] == ["diff/one_recording"]


def test_a_trace_without_the_devices_records_says_why_no_kernel_stands_beside_another():
    alone = PROJECT / "fixtures/cases/no_device_records.json"
    report = diff_traces(PROJECT / PAIR[0], alone)
    assert [f.fact for f in report.findings if f.tag == "diff/no_kernel_changes"] == [
        "single kernels were not compared: in the candidate 3 kernel launches but no kernel "
        "records: device time unknown"
    ]
    assert report.metric("diff/launches/delta").value == 0
    with pytest.raises(KeyError):
        report.table("kernel_changes")


@pytest.mark.parametrize("sides", [("op.py", "op.py"), ("op.py", "--variant=a", "--variant=a")])
def test_an_op_beside_itself_is_an_a_a_check(tmp_path, monkeypatch, sides):
    monkeypatch.chdir(tmp_path)
    Path("op.py").write_text(
        "def inputs(): return (1,)\nvariants = {'a': abs, 'b': lambda x: sum(range(1000))}\n"
    )
    done = invoke(*sides, "--device=cpu", "--rounds=20", "--processes=2", "--format=json", "-q")
    report = decode_report(done.stdout.encode(), source="it")
    (check,) = [f for f in report.findings if f.tag == "diff/a_a_check"]
    found = report.metric("diff/verdict").value == "no difference detected"
    assert check.severity == ("info" if found else "warning")
    assert check.fact.startswith("an A/A check: both sides are the same op under the same interp")
    assert report.metric("diff/full/ratio").value < 2  # not the other variant


@pytest.mark.parametrize(("candidate", "code"), [(50_000, 0), (160_000, 3), (40_000, 0)])
def test_the_command_ends_with_3_only_where_something_regressed(saved, candidate, code):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    after = saved("b.run", run(subject(("full/eager", candidate))))
    done = CliRunner().invoke(cli, ["diff", str(before), str(after)], standalone_mode=False)
    assert done.return_value == code


def test_a_run_without_its_trace_is_compared_by_what_it_measured(saved):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    report = diff_runs(before, before)
    assert report.metric("diff/full/ratio").value == 1.0
    assert report.metric("diff/launch/baseline").value is None


def test_a_run_is_not_compared_with_a_trace(saved):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    done = CliRunner().invoke(cli, ["diff", str(before), str(PROJECT / PAIR[0])])
    assert isinstance(done.exception, UsageError)
    assert done.exception.fact == (
        f"two sides of one kind are needed; given: {before} (run), {PROJECT / PAIR[0]} (trace)"
    )


def invoke(*arguments):
    done = CliRunner().invoke(cli, ["diff", *map(str, arguments)], standalone_mode=False)
    if isinstance(done.exception, Exception):
        raise done.exception
    return done


def test_a_case_that_was_lost_ends_with_3_too(saved):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    after = saved("b.run", run(subject(failure=BOOM)))
    assert invoke(before, after).return_value == 3
    assert invoke(after, after).return_value == 0


def test_markdown_goes_to_the_output_and_to_the_summary_of_a_step(saved, tmp_path, monkeypatch):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = invoke(before, before, "--format", "markdown", "--step-summary")
    assert done.stdout.startswith("### tracelens diff: no difference detected\n")
    assert summary.read_text() == "before\n" + done.stdout


def test_a_step_summary_without_a_workflow_is_an_error_before_anything_is_read(monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    with pytest.raises(UsageError) as caught:
        invoke("missing.run", "missing.run", "--step-summary")
    assert caught.value.fact == (
        "--step-summary writes to the file that $GITHUB_STEP_SUMMARY names, and it is not set"
    )


def test_junit_is_written_beside_the_report(saved, tmp_path):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    after = saved("b.run", run(subject(("full/eager", 160_000))))
    path = tmp_path / "diff.xml"
    assert invoke(before, after, "--junit", path).return_value == 3
    assert ElementTree.parse(path).getroot().get("failures") == "1"


def test_a_file_that_cannot_be_written_costs_no_report(saved, tmp_path):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    done = CliRunner().invoke(cli, ["diff", *map(str, (before, before, "--junit", tmp_path))])
    assert done.stdout.startswith("no difference detected: ")
    assert isinstance(done.exception, ExportError)
    assert done.exception.fact == f"{tmp_path} cannot be written: Is a directory"


def test_a_run_is_compared_with_the_one_that_was_accepted_last(saved, tmp_path):
    store = ("--store", tmp_path / "store")
    old = saved("a.run", run(subject(("full/eager", 10_000))))
    new = saved("b.run", run(subject(("full/eager", 50_000))))
    slow = saved("c.run", run(subject(("full/eager", 160_000))))
    with pytest.raises(UsageError) as caught:
        invoke("--baseline", "main", slow, *store)
    assert caught.value.hint == "accept one: tracelens diff --accept NAME RUN"
    for accepted in (old, new):
        assert invoke("--accept", "main", accepted, *store).return_value == 0
    done = invoke("--baseline", "main", slow, *store, "--format", "json")
    assert done.return_value == 3
    report = decode_report(done.stdout.encode(), source="it")
    assert report.metric("diff/full/baseline").value == 50_000


def test_further_runs_beside_an_accepted_one_are_all_of_the_candidate(saved, tmp_path):
    store = ("--store", tmp_path / "store")
    old = saved("a.run", run(subject(("full/eager", 50_000))))
    assert invoke("--accept", "main", old, *store).return_value == 0
    one, two = (saved(f"{ns}.run", run(subject(("full/eager", ns)))) for ns in (160_000, 161_000))
    done = invoke("--baseline", "main", one, "--to", two, *store, "--format", "json")
    report = decode_report(done.stdout.encode(), source="it")
    assert report.metric("diff/full/baseline").value == 50_000
    assert report.table("sides").rows[1] == ("candidate", f"{one} and 1 more")
    assert done.return_value == 3


def test_accepting_needs_exactly_one_run(saved):
    one = saved("a.run", run(subject(("full/eager", 10_000))))
    for paths in ((), (one, one)):
        with pytest.raises(UsageError) as caught:
            invoke("--accept", "main", *paths)
        assert caught.value.fact == f"--accept is about one run, and {len(paths)} were given"


def test_several_runs_of_the_candidate_follow_to(saved):
    runs = [
        saved(f"{number}.run", run(subject(("full/eager", median))))
        for number, median in enumerate((50_000, 50_100, 60_000, 60_100))
    ]
    done = invoke(*runs[:2], "--to", runs[2], "--to", runs[3])
    assert done.return_value == 3
    assert done.stdout.startswith("slower: the full call takes 60.0 us, 50.0 us before: 1.20x")


@pytest.mark.parametrize(
    ("option", "fact"),
    [
        (("--case", "a"), "--case is for op files, and these are runs"),
        (("--subtract-us", "4"), "--subtract-us is for op files, and these are runs"),
        (("--timeout", "4"), "--timeout is for op files, and these are runs"),
        (("--window", "a"), "--window is for traces, and these are runs"),
    ],
)
def test_an_option_that_says_nothing_of_these_sides_is_not_lost_silently(saved, option, fact):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    with pytest.raises(UsageError) as caught:
        invoke(before, before, *option)
    assert caught.value.fact == fact


def test_nothing_is_compared_where_a_run_is_accepted(saved, tmp_path):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    with pytest.raises(UsageError) as caught:
        invoke("--accept", "main", before, "--store", tmp_path / "store", "--junit", "a.xml")
    assert caught.value.fact == (
        "--accept compares nothing, so that --junit means nothing beside it"
    )
    assert not (tmp_path / "store").exists()


def test_one_file_of_a_run_is_not_taken_for_a_trace(saved):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    with pytest.raises(UsageError) as caught:
        invoke(before / "run.json", before / "run.json")
    assert caught.value.fact == f"{before / 'run.json'} is one file of a run"
    assert caught.value.hint == f"pass the whole folder, {before}"


def test_a_path_that_is_not_there_is_named_before_anything_is_compared(saved):
    before = saved("a.run", run(subject(("full/eager", 50_000))))
    with pytest.raises(UsageError) as caught:
        invoke(before, "missing.run")
    assert caught.value.fact == "there is no missing.run"


def test_op_files_whose_protocols_differ_are_compared_only_by_force(tmp_path):
    for name, mode in (("a.py", "inference"), ("b.py", "forward")):
        (tmp_path / name).write_text(f"mode = '{mode}'\ndef inputs(): return (1,)\nop = abs\n")
    command = [tmp_path / "a.py", tmp_path / "b.py", "--device", "cpu", "--rounds", "20"]
    done = invoke(*command, "--processes", "2", "--force", "--format", "json", "--quiet")
    report = decode_report(done.stdout.encode(), source="it")
    assert [f.tag for f in report.findings if f.tag == "diff/forced"] == ["diff/forced"]
    assert report.metric("diff/full/ratio").value is not None


def test_a_step_and_a_whole_trace_have_no_ratio():
    report = diff_traces(PROJECT / "fixtures/cases/deferred_steps.json", PROJECT / PAIR[0])
    assert report.metric("diff/wall/ratio").value is None
    assert report.findings[0].fact == (
        "not comparable: window a stretch of time in the baseline, whole trace now; "
        "the window takes 152 us, 100 us before"
    )
    assert {row[3] for row in report.table("kernel_changes").rows} == {None}
