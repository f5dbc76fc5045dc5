"""What an op file predicts, held to its form. What a claim means is tested where it is compared."""

from pathlib import Path
from types import ModuleType

import pytest

from tracelens.errors import OpFileError
from tracelens.measure.contract import read_contract

PATH = Path("my_op.py")


def predictions(stated, **names):
    module = ModuleType("my_op")
    vars(module).update({"inputs": lambda: (), "op": lambda: 1, "predict": stated, **names})
    return {case.name: case.predictions for case in read_contract(module, PATH).cases}


CASES = {"cases": {"small": {}, "big": {}}}


def test_one_claim_or_a_list_of_them_is_of_every_case():
    assert predictions("kernel: -20%") == {None: ("kernel: -20%",)}
    assert predictions(["full: 1.3x", "geomean: 1.3x"], **CASES) == {
        "small": ("full: 1.3x", "geomean: 1.3x"),
        "big": ("full: 1.3x", "geomean: 1.3x"),
    }


def test_claims_may_be_of_one_case():
    assert predictions({"big": "kernel: -20%"}, **CASES) == {"small": (), "big": ("kernel: -20%",)}


def test_a_file_that_predicts_nothing_has_no_claims():
    assert predictions(None, **CASES) == {"small": (), "big": ()}


@pytest.mark.parametrize(
    ("stated", "fact"),
    [
        (7, "predict in my_op.py is 7; it must be a line of 1 to 200 printable characters, or a"),
        ({"small": [""]}, "predict['small'] in my_op.py is ['']; it must be a line of 1 to 200"),
        (["a\nb"], "predict in my_op.py is ['a\\nb']; it must be a line of 1 to 200 printable"),
        (["x" * 201], "predict in my_op.py is ['xxx"),
        ({"huge": "kernel: -20%"}, "predict in my_op.py names the case 'huge', which the file lac"),
        ({None: "kernel: -20%"}, "predict in my_op.py names the case None, which the file lacks."),
    ],
)
def test_what_is_no_line_or_names_no_case_is_an_error(stated, fact):
    with pytest.raises(OpFileError) as caught:
        predictions(stated, **CASES)
    assert caught.value.fact.startswith(fact)
