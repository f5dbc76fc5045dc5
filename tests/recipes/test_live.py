"""Two op files that take turns, in real processes on the CPU."""

import io
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from tracelens.errors import OpFailedError
from tracelens.measure.options import Options
from tracelens.model.measurement import Stage, Subject
from tracelens.model.pairs import Entry
from tracelens.recipes.live import diff_live
from tracelens.render.progress import Progress

QUICK = Options(
    functions=False,
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
predict = {"one": "full: 2x..30x", "two": ["full: -20%", "geomean: 2x..30x"]}
"""


def live(path: Path, *, baseline="short", candidate="long", **options):
    return diff_live(
        Entry(op_path=path, variant=baseline),
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
    assert report.table("sides").rows == (
        ("baseline", f"{op_path}, short"),
        ("candidate", f"{op_path}, long, {sys.executable}"),
    )
    predictions = [report.table("predictions", case=case) for case in (None, "one", "two")]
    assert [(row[1], row[3]) for table in predictions for row in table.rows] == [
        ("2x..30x", "met"),
        ("2x..30x", "met"),
        ("-20%", "missed, higher"),
    ]


def test_what_is_told_meanwhile_names_the_side_and_the_case(op_path):
    told = io.StringIO()
    with Progress(stream=told) as progress:
        live(op_path, on_record=progress.show)
    lines = [line.removeprefix("tracelens: ") for line in told.getvalue().splitlines()]
    assert [line for line in lines if line.endswith((": load", ": inputs"))] == [
        "baseline: load",
        "baseline: one: short: inputs",
        "baseline: two: short: load",
        "baseline: two: short: inputs",
        "candidate: load",
        "candidate: one: long: inputs",
        "candidate: two: long: load",
        "candidate: two: long: inputs",
    ]
    assert lines[-4:] == [
        "one: warm-up of all",
        "one: eager turns",
        "two: warm-up of all",
        "two: eager turns",
    ]


def test_a_graph_that_cannot_be_had_costs_its_own_figures(op_path):
    report = live(op_path, ways=("eager", "graph"), cases=("one",))
    assert report.metric("diff/verdict", case="one").value == "slower"
    assert [f.fact for f in report.findings if f.tag == "diff/no_graph"] == [
        "baseline: the graph calls were left out: The CPU has no CUDA graphs",
        "candidate: the graph calls were left out: The CPU has no CUDA graphs",
    ]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"ways": ("graph",)}, "The CPU has no CUDA graphs (Run the op on a CUDA device)"),
        ({"subtract_ns": 10_000_000}, "10.0 ms were to be subtracted from it"),
    ],
)
def test_where_nothing_can_be_compared_there_is_no_verdict_but_an_error(op_path, asked, why):
    with pytest.raises(OpFailedError) as caught:
        live(op_path, cases=("one",), **asked)
    assert caught.value.fact.startswith(f"{op_path}: nothing can be compared with it: ")
    assert why in caught.value.fact


def test_the_only_case_of_a_file_has_any_name_and_only_what_is_compared_is_measured(tmp_path):
    seen = []
    body = (
        "def inputs(**size): return (1.0,)\ndef never(x): raise ValueError('it was called')\n"
        "variants = {'first': abs, 'second': never}\n"
    )
    plain, named = tmp_path / "plain.py", tmp_path / "named.py"
    plain.write_text(body)
    named.write_text(f"{body}cases = {{'small': {{'n': 1}}}}")
    report = diff_live(
        *(Entry(op_path=path) for path in (plain, named)),
        processes=2,
        rounds=20,
        options=QUICK,
        on_record=seen.append,
    )
    variants = {record.variant for record in seen if isinstance(record, Subject)}
    assert variants - {None} == {"first"}
    assert report.metric("diff/full/ratio").value is not None
    assert report.metric("diff/lost/count").value == 0


def test_a_candidate_that_fails_in_every_case_is_lost_and_reported(tmp_path):
    path = tmp_path / "raises.py"
    path.write_text("def inputs(): return (1,)\ndef op(x):\n    raise ValueError('no such luck')\n")
    plain = tmp_path / "plain.py"
    plain.write_text("def inputs(): return (1,)\nop = abs\n")
    report = diff_live(
        *(Entry(op_path=side) for side in (plain, path)), processes=2, rounds=20, options=QUICK
    )
    assert report.metric("diff/lost/count").value == 1
    assert report.findings[0].fact == (
        "not comparable: it failed in the candidate: The op raised ValueError in raises.py:3: "
        "no such luck"
    )


@pytest.mark.parametrize("in_turns", [False, True])
def test_ctrl_c_ends_it_all_and_leaves_nothing(op_path, tmp_path, monkeypatch, in_turns):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    wanted = "eager turns" if in_turns else "eager full calls"

    def interrupt(record):
        if isinstance(record, Stage) and record.name == wanted:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        live(op_path, cases=("one",), on_record=interrupt)
    assert list((tmp_path / "temp").iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_failed_alone_says_all_it_can_for_its_log_is_gone(tmp_path):
    path = tmp_path / "dies.py"
    path.write_text(
        "import os\ndef inputs(): return (1,)\ndef op(x):\n    os.kill(os.getpid(), 11)\n"
    )
    with pytest.raises(OpFailedError) as caught:
        live(path, candidate=None, baseline=None)
    assert caught.value.hint == f'It stood at File "{path}", line 4 in op.'


def test_an_op_file_that_cannot_be_loaded_ends_the_comparison(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_like_this")
    with pytest.raises(OpFailedError) as caught:
        live(path)
    assert "No module named 'nothing_like_this'" in caught.value.fact
