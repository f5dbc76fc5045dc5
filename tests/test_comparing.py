"""Two op files that take turns, in real processes on the CPU."""

import sys
from pathlib import Path

import pytest

from tracelens.comparing import choose_two, diff_live, pair_variants
from tracelens.errors import OpFailedError, OpFileError, UsageError
from tracelens.measure.options import Options
from tracelens.model.measurement import Outline, Subject
from tracelens.model.pairs import Entry

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
    predictions = [report.table("predictions", case=case) for case in (None, "one", "two")]
    assert [(row[1], row[3]) for table in predictions for row in table.rows] == [
        ("2x..30x", "met"),
        ("2x..30x", "met"),
        ("-20%", "missed, higher"),
    ]


def test_a_graph_that_cannot_be_had_fails_its_case_and_says_so(op_path):
    report = live(op_path, ways=("graph",), cases=("one",))
    assert report.metric("diff/verdict", case="one").value == "not comparable"
    (failed,) = [f.fact for f in report.findings if f.tag == "diff/failed_case"]
    assert failed == (
        "not compared, and in no mean: it failed in the baseline: The CPU has no CUDA graphs (Run "
        "the op on a CUDA device.)"
    )


def test_an_op_file_that_cannot_be_loaded_ends_the_comparison(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_like_this")
    with pytest.raises(OpFailedError) as caught:
        live(path)
    assert "No module named 'nothing_like_this'" in caught.value.fact


def test_one_file_of_two_variants_is_two_sides_the_baseline_first(tmp_path):
    path = tmp_path / "op.py"
    path.write_text(
        "from math import sin, cos\ndef inputs(): return (1.0,)\n"
        "variants = {'sin': sin, 'cos': cos}\nbaseline = 'cos'"
    )
    assert pair_variants(path, options=QUICK) == (
        Entry(op_path=path, variant="cos"),
        Entry(op_path=path, variant="sin"),
    )


def outline(*variants):
    """Return what a file of these variants states, the first of them the baseline."""
    return Outline(
        subjects=tuple(
            Subject(case=case, variant=variant, baseline=variant == variants[0])
            for case in ("one", "two")
            for variant in variants
        )
    )


@pytest.mark.parametrize(
    ("variants", "against", "fact", "hint"),
    [
        (
            ("cos", "sin", "tan"),
            None,
            "op.py has 3 variants, and two are compared: cos, sin, tan",
            "choose with --variant: one to stand beside the baseline, or both",
        ),
        (
            (None,),
            None,
            "op.py has one variant alone: both sides are the same",
            "name a second op file, or two interpreters with --python",
        ),
        (("cos", "sin"), "tan", "'tan' is no variant of it: op.py", "choose from sin"),
        (("cos", "sin"), "cos", "'cos' is the baseline itself: op.py", "choose from sin"),
    ],
)
def test_a_file_that_is_not_two_sides_lists_what_it_has(variants, against, fact, hint):
    with pytest.raises(UsageError) as caught:
        choose_two(outline(*variants), Path("op.py"), against=against)
    assert (caught.value.fact, caught.value.hint) == (fact, hint)


def test_the_only_other_variant_or_the_one_that_is_named_stands_beside_the_baseline():
    assert choose_two(outline("cos", "sin"), Path("op.py"), against=None) == ("cos", "sin")
    three = outline("cos", "sin", "tan")
    assert choose_two(three, Path("op.py"), against="tan") == ("cos", "tan")


def test_a_file_that_cannot_be_loaded_has_no_sides(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_like_this")
    with pytest.raises(OpFileError) as caught:
        pair_variants(path, options=QUICK)
    assert "No module named 'nothing_like_this'" in caught.value.fact
