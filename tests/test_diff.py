"""`tracelens diff` from files to an exit code."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.analyze.diff.runs import run, subject
from tracelens.api import diff_runs, diff_traces
from tracelens.cli import cli
from tracelens.errors import UsageError
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


@pytest.mark.parametrize(("candidate", "code"), [(50_000, 0), (60_000, 3), (40_000, 0)])
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
        f"two sides of one kind are needed; {before} (run) and {PROJECT / PAIR[0]} (trace) were "
        "given"
    )
