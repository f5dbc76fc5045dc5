"""Two op files that take turns, in real processes on the CPU."""

import sys
from pathlib import Path

import pytest

from tracelens.comparing import diff_live
from tracelens.errors import OpFailedError
from tracelens.measure.options import Options
from tracelens.model.pairs import Entry

QUICK = Options(
    samples=5,
    most_samples=5,
    batches=5,
    batch=2,
    warmup_ns=1_000_000,
    warmup_calls=1,
    head_calls=1,
    profiled_calls=12,
    device="cpu",
)
SPIN = """
import time, torch
cases = {"one": {}, "two": {}}
def inputs():
    return (torch.ones(8),)
def spin(us):
    def call(x):
        end = time.perf_counter_ns() + us * 1000
        while time.perf_counter_ns() < end:
            pass
        return x + 1
    return call
variants = {"short": spin(20), "long": spin(200)}
"""


def live(path: Path, *, candidate="long", **options):
    return diff_live(
        Entry(op_path=path, variant="short"),
        Entry(op_path=path, variant=candidate, python=sys.executable),
        processes=2,
        rounds=20,
        options=QUICK,
        **options,
    )


@pytest.fixture
def op_path(tmp_path):
    path = tmp_path / "spin.py"
    path.write_text(SPIN)
    return path


def test_two_variants_take_turns_case_by_case_and_the_longer_one_is_slower(op_path):
    report = live(op_path, subtract_ns=1_000)
    for case in ("one", "two"):
        assert report.metric("diff/verdict", case=case).value == "slower"
        assert report.metric("diff/full/ratio", case=case).value > 2
        assert report.metric("diff/host_dispatch/delta", case=case).value > 0
    (taken,) = [f for f in report.findings if f.tag == "diff/in_turns"]
    assert taken.fact.startswith(
        "2 warm processes of each side took turns for 20 rounds, the order swapped every round"
    )
    assert "1000 ns subtracted" in taken.fact
    assert report.metric("diff/regressions/count").value == 2


def test_a_graph_that_cannot_be_had_fails_its_case_and_says_so(op_path):
    report = live(op_path, ways=("graph",), cases=("one",))
    assert report.metric("diff/verdict", case="one").value == "not comparable"
    (failed,) = [f.fact for f in report.findings if f.tag == "diff/failed_case"]
    assert failed == (
        "one: not compared, and in no mean: it failed in the baseline: The CPU has no CUDA graphs "
        "(Run the op on a CUDA device.)"
    )


def test_an_op_file_that_cannot_be_loaded_ends_the_comparison(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_like_this")
    with pytest.raises(OpFailedError) as caught:
        live(path)
    assert "No module named 'nothing_like_this'" in caught.value.fact
