"""The two sides that one op file is, and the interpreters that can be one."""

import sys
from pathlib import Path

import pytest

from tracelens.errors import OpFileError, TracelensError, UsageError
from tracelens.measure.options import Options
from tracelens.model.measurement import Outline, Subject
from tracelens.model.pairs import Entry
from tracelens.processes.entries import check_interpreter, choose_two, pair_variants

QUICK = Options(device="cpu")


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
            "name a second op file, two interpreters with --python, or the same file twice for an "
            "A/A check",
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


@pytest.mark.parametrize(
    ("says", "error", "fact"),
    [
        ("", UsageError, "{} does not answer as Python does"),
        ("7", UsageError, "{} does not answer as Python does"),
        (
            '["tracelens", null, true]',
            TracelensError,
            "{} cannot measure: tracelens is not installed there",
        ),
        ('["tracelens", "0.0.1", true]', TracelensError, "{} has tracelens 0.0.1, and this is 9.9"),
        (
            'a site that greets\n["tracelens", "9.9", false]',
            TracelensError,
            "{} cannot measure: torch is not installed there",
        ),
    ],
)
def test_an_interpreter_that_cannot_measure_says_what_it_lacks(
    tmp_path, monkeypatch, says, error, fact
):
    monkeypatch.setattr("tracelens.processes.entries.__version__", "9.9")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    python.chmod(0o755)
    with pytest.raises(error) as caught:
        check_interpreter(str(python))
    assert caught.value.fact == fact.format(python)


def test_the_interpreter_in_use_can_measure():
    check_interpreter(sys.executable)
