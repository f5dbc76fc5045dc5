"""Warm processes of two sides, on the CPU and, for the parts of a call, on a CUDA device."""

import os

import pytest
import torch

from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.measure.options import Options
from tracelens.model.pairs import PARTS, Entry
from tracelens.model.report import Environment, Report
from tracelens.processes.lineup import Lineup, SideFailedError

FAILS_ONCE = """
cases = {"good": {"fails": False}, "bad": {"fails": True}}
def inputs(fails):
    return (fails,)
def op(fails):
    if fails:
        raise ValueError("no such luck")
    return 1.0
"""
SPINS = """
import torch
from tracelens.measure.truth import CardTruth, spin_host
def inputs():
    return (torch.ones(8, device="cuda"),)
def spin(host_us, kernel_us):
    launch = CardTruth(0).spin(1000 * kernel_us)
    def call(x):
        spin_host(1000 * host_us)
        launch()
        return x
    return call
variants = {"plain": spin(20, 20), "host": spin(40, 20), "kernel": spin(20, 40)}
"""


def lineup(path, tmp_path, candidate=None, baseline=None, **options):
    return Lineup(
        Entry(op_path=path, variant=baseline),
        Entry(op_path=path, variant=candidate),
        processes=2,
        options=Options(warmup_ns=1_000_000, **options),
        folder=tmp_path,
        timeout_s=120,
    )


def test_a_case_that_fails_costs_no_other_and_its_side_is_named(tmp_path):
    path = tmp_path / "fails_once.py"
    path.write_text(FAILS_ONCE)
    with lineup(path, tmp_path, device="cpu") as warm:
        with pytest.raises(SideFailedError) as caught:
            warm.play(("bad", "bad"), ways=("eager",), rounds=20)
        assert caught.value.side == "baseline"
        assert "no such luck" in caught.value.fact
        paired = warm.play(("good", "good"), ways=("eager",), rounds=20)
    assert list(paired) == ["full", "submit"]  # the CPU has no device work to record
    assert [len(process) for process in paired["full"].baseline_ns] == [20, 20]


WHERE = """
import os
def inputs():
    return (1.0,)
def op(x):
    with open(os.environ["CORES_OF_CALLS"], "a") as seen:
        seen.write(f"{len(os.sched_getaffinity(0))}\\n")
    return x
"""


def test_an_op_on_the_cpu_has_all_its_cores_in_every_turn(tmp_path, monkeypatch):
    """On one core its threads would wait for each other: 115 us became 32 ms."""
    path, seen = tmp_path / "where.py", tmp_path / "seen"
    path.write_text(WHERE)
    monkeypatch.setenv("CORES_OF_CALLS", str(seen))
    with lineup(path, tmp_path, device="cpu") as warm:
        warm.play((None, None), ways=("eager",), rounds=20)
    assert set(seen.read_text().split()) == {str(len(os.sched_getaffinity(0)))}


def test_stages_that_cannot_be_had_are_not_told_of(tmp_path):
    path, stages = tmp_path / "forks.py", []
    path.write_text(FORKS)
    with lineup(path, tmp_path, baseline="plain", candidate="plain", device="cpu") as warm:
        warm.play((None, None), ways=("eager",), rounds=20, on_stage=stages.append)
    assert stages == ["warm-up of all", "eager turns"]


FORKS = """
import os, sys
calls = 0
def inputs():
    return (1.0,)
def forks(x):
    global calls
    calls += 1
    if calls == 20:
        os.fork()
    return x
def scribbles(x):
    global calls
    calls += 1
    if calls == 20:
        for descriptor in range(3, 32):
            try:
                os.write(descriptor, b"17\\n")
            except OSError:
                pass
    return x
variants = {"plain": abs, "forks": forks, "scribbles": scribbles}
"""


def test_a_child_that_an_op_forked_never_answers_for_it(tmp_path):
    path = tmp_path / "forks.py"
    path.write_text(FORKS)
    with lineup(path, tmp_path, baseline="plain", candidate="forks", device="cpu") as warm:
        paired = warm.play((None, None), ways=("eager",), rounds=20)
    assert [len(process) for process in paired["full"].candidate_ns] == [20, 20]


def test_what_an_op_writes_in_place_of_an_answer_fails_its_side(tmp_path):
    path = tmp_path / "forks.py"
    path.write_text(FORKS)
    with (
        lineup(path, tmp_path, baseline="plain", candidate="scribbles", device="cpu") as warm,
        pytest.raises(SideFailedError, match="wrote to a file descriptor") as caught,
    ):
        warm.play((None, None), ways=("eager",), rounds=20)
    assert caught.value.side == "candidate"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(("longer", "part"), [("host", "before_first"), ("kernel", "busy")])
def test_what_became_longer_is_laid_on_its_part(tmp_path, longer, part):
    path = tmp_path / "spins.py"
    path.write_text(SPINS)
    with lineup(path, tmp_path, baseline="plain", candidate=longer) as warm:
        paired = warm.play((None, None), ways=("eager",), rounds=20)
    side, nowhere = Side(quantities={}), Environment(tracelens="")
    comparison = Comparison(case=None, variant=None, baseline=side, candidate=side, paired=paired)
    sections = diff_sections([comparison], (nowhere, nowhere))
    report = Report(command="diff", environment=nowhere, sections=sections)
    deltas = {p: report.metric(f"diff/undisturbed/{p}/delta").value for p in PARTS}
    assert report.metric(f"diff/undisturbed/{part}/verdict").value == "slower"
    assert max(deltas, key=deltas.get) == part
