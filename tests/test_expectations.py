"""Expected kernels from the op file to the exit code, and a kept run printed again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tracelens.api import analyze_run
from tracelens.formats import read_run
from tracelens.formats.run_json import encode_run
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.measurement import Run
from tracelens.model.report import Column, Environment, Report, Section, Table
from tracelens.recipes.profiling import Profile

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "fixtures" / "runs"

OP = """
import torch

cases = {"m1": {"n": 64}, "m8": {"n": 128}}
expect = {"kernel": "nvjet*", "by_case": {"m1": {"tile": "64x8"}, "m8": {"tile": "128x8"}}}


def inputs(n):
    return (torch.ones(n),)


def op(x):
    return x + 1
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tracelens", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        timeout=120,
    )


def reporting(*outcomes: str) -> Profile:
    table = Table(
        tag="expected",
        columns=(Column(name="outcome"),),
        rows=tuple((outcome,) for outcome in outcomes),
    )
    sections = (Section(title="Expected kernels", tables=(table,)),) if outcomes else ()
    report = Report(command="profile", environment=Environment(), sections=sections)
    run = Run(op="op", environment=Environment(), subjects=(), report=report)
    return Profile(run=run, folder=Path("op.run"), failure=None)


@pytest.mark.parametrize(
    ("outcomes", "fact"),
    [
        (("met", "met"), None),
        (("met", "not met"), "1 of 2 expected kernels are not known to have run as expected"),
        (("cannot tell",), "1 of 1 expected kernels are not known to have run as expected"),
        ((), "the op file expects no kernel of what was measured"),
    ],
)
def test_only_what_is_met_is_met(outcomes: tuple[str, ...], fact: str | None) -> None:
    unmet = reporting(*outcomes).unmet
    assert (unmet.fact if unmet else None) == fact


def test_strict_exits_1_after_the_whole_report_is_written_and_the_run_kept(tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text(OP)
    arguments = ("profile", "op.py", "--samples", "5", "--device", "cpu", "-q", "--format", "json")

    done = run(*arguments, "--strict", cwd=tmp_path)

    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        [
            "error: 2 of 2 expected kernels are not known to have run as expected",
            "hint: read the table of expected kernels: it names the nearest that ran",
        ],
    )
    (table,) = [
        table
        for section in json.loads(done.stdout)["sections"]
        for table in section["tables"]
        if table["tag"] == "expected"
    ]
    assert [row[:2] for row in table["rows"]] == [["cannot tell", "m1"], ["cannot tell", "m8"]]
    kept = read_run(tmp_path / "op.run")
    assert [dict(e.fields) for s in kept.subjects if s.stated for e in s.stated.expected] == [
        {"tile": "64x8"},
        {"tile": "128x8"},
    ]


def test_a_statement_has_no_expectation_to_be_strict_about(tmp_path: Path) -> None:
    done = run("profile", "--stmt", "1 + 1", "--strict", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "--strict holds a run against the `expect` of an op file" in done.stderr


def test_a_kept_run_is_printed_again_with_what_this_version_says_of_it() -> None:
    report = analyze_run(RUNS / "matmul.run")

    (row, _) = report.table("cases_and_kernels").rows
    assert row[6:13] == (
        "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
        "nvjet",
        "tile 256x128x64 stages 4 cluster 1x2",
        row[9],
        row[10],
        1,
        [2, 66, 1],
    )
    assert row[14:16] == (132, 0)


@pytest.mark.parametrize(
    ("fields", "outcome", "found"),
    [
        ({"tile": "256x128", "stages": 4, "cluster": "1x2", "calls": 1}, "met", None),
        (
            {"tile": "128x128", "stages": 4},
            "not met",
            "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT: tile is 256x128",
        ),
    ],
)
def test_an_expectation_is_held_against_what_a_recorded_run_ran(
    fields: dict[str, int | str], outcome: str, found: str | None, tmp_path: Path
) -> None:
    run = read_run(RUNS / "matmul.run")
    stated = StatedKernels(expected=(ExpectedKernel(kernel="nvjet*", fields=fields),))
    subjects = tuple(replace(subject, stated=stated) for subject in run.subjects)
    (tmp_path / "run.json").write_bytes(encode_run(replace(run, subjects=subjects)))
    shutil.copy(RUNS / "matmul.run" / "trace.json.gz", tmp_path)

    (row,) = analyze_run(tmp_path).table("expected").rows

    assert (row[0], row[-1]) == (outcome, found)


def test_a_kept_run_without_its_trace_is_printed_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes((RUNS / "matmul.run" / "run.json").read_bytes())

    assert analyze_run(tmp_path) == read_run(RUNS / "matmul.run").report


def test_a_run_folder_is_analyzed_in_text_and_json_and_takes_no_window(tmp_path: Path) -> None:
    folder = str(RUNS / "matmul.run")

    assert "Kernels of a call\n" in run("analyze", folder, cwd=tmp_path).stdout
    machine = run("analyze", folder, "--format", "json", cwd=tmp_path)
    assert json.loads(machine.stdout)["command"] == "profile"
    refused = run("analyze", folder, "--window", "x", cwd=tmp_path)
    assert refused.returncode == 2
    assert "is a folder of a run, and the options are for a trace" in refused.stderr
    assert f"such as {folder}/trace.json.gz" in refused.stderr


def test_a_folder_that_holds_no_run_is_one_message(tmp_path: Path) -> None:
    done = run("analyze", ".", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "is no run folder: it has no run.json" in done.stderr


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_table_that_took_effect_is_met_and_an_edited_one_is_not(tmp_path: Path) -> None:
    op = (ROOT / "examples" / "gemv_table.py").read_text()
    (tmp_path / "right.py").write_text(op)
    (tmp_path / "wrong.py").write_text(op.replace("20: (8, 4)}", "20: (8, 2)}"))

    right = run("profile", "right.py", "--strict", "--format", "json", cwd=tmp_path)
    wrong = run("profile", "wrong.py", "--strict", cwd=tmp_path)

    assert (right.returncode, wrong.returncode) == (0, 1)
    assert "UNROLL is 2" in wrong.stdout
    assert "1 of 4 expected kernels are not known to have run" in wrong.stderr
