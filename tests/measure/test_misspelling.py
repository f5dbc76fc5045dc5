from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.measure.test_kernelbench import PROBLEM, SOLUTION
from tracelens.errors import OpFileError
from tracelens.measure.case import measure_op
from tracelens.measure.misspelling import OP_FILE, misspellings
from tracelens.measure.op_file import load_op
from tracelens.measure.options import Options
from tracelens.model.measurement import Noticed
from tracelens.model.report import Finding

ROOT = Path(__file__).parent.parent.parent
OWN_FILES = sorted(
    path
    for folder in ("examples", "benchmarks", "tests/measure/ops")
    for path in (ROOT / folder).rglob("*.py")
    if "def inputs(" in path.read_text(encoding="utf-8")
    or "def get_inputs(" in path.read_text(encoding="utf-8")
)
GOOD = "def inputs(): return (1,)\ndef op(x): return x\n"


@pytest.fixture(autouse=True)
def forgotten_module() -> Iterator[None]:
    path_before = sys.path.copy()
    yield
    sys.path[:] = path_before
    sys.modules.pop("my_op", None)


def doubts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "my_op.py"
    path.write_text(text)
    return [doubt.fact for doubt in load_op(path).doubts]


@pytest.mark.parametrize(
    ("line", "name", "meant"),
    [
        ("tolerence = {'atol': 1e-3, 'rtol': 0}", "tolerence", "tolerance"),
        ("tolerances = 1e-3", "tolerances", "tolerance"),
        ("variant = {'fast': abs}", "variant", "variants"),
        ("def refernce(x): return x", "refernce", "reference"),
        ("reference_: object = abs", "reference_", "reference"),
        ("if True:\n    predicts = 'kernel: -20%'", "predicts", "predict"),
        ("predictions = {'small': 'kernel: -20%'}", "predictions", "predict"),
        ("def flop(x): return 3", "flop", "flops"),
        ("byte_moved = {'op': len}", "byte_moved", "bytes_moved"),
        ("case = {'small': {'n': 8}}", "case", "cases"),
        ("CASES = {'small': {'n': 8}}", "CASES", "cases"),
        ("config = {'gemv': ('NW',)}", "config", "configs"),
        ("layer = {'kernel': abs}", "layer", "layers"),
        ("expected = [{'kernel': 'nvjet*'}]", "expected", "expect"),
        ("modes = 'inference'", "modes", "mode"),
        ("base_line = 'op'", "base_line", "baseline"),
        ("def set_up(): pass", "set_up", "setup"),
        ("tear_down = print", "tear_down", "teardown"),
    ],
)
def test_a_name_that_is_nearly_one_of_the_contract_is_doubted(
    tmp_path: Path, line: str, name: str, meant: str
) -> None:
    number = 3 + line.count("\n")
    assert doubts(tmp_path, f"{GOOD}{line}\n") == [
        f"line {number} of my_op.py has {name!r}, which nothing reads: is {meant!r} meant?"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "config = {'gemv': ('NW',)}\nsize = config['gemv']",  # the file itself reads it
        "def flop(x): return 3\ndef flops(x): return flop(x)",  # what is meant is there
        "flop = 3\nflops = len",
        "_reference = abs\n__tolerance__ = {}",  # a file's own by their form
        "layer = 3\nmodel = 'llama'\nclass Flop: pass\nclass setUp: pass",  # of another sort
        "mode_ = True\nimport json as setups\nfrom math import sqrt as reference_",
        "stages = 4\nexact = {}\noption = {}\nops = [1]\ndata = {}\nbytes_read = len\nshapes = {}",
        "def f():\n    tolerence = 3\n    return 1\nfor case in (1, 2): pass\ntotal: int",
        "refernce = abs\ndel refernce",
    ],
)
def test_a_name_that_may_well_be_the_files_own_is_left_alone(tmp_path: Path, text: str) -> None:
    assert doubts(tmp_path, f"{GOOD}{text}\n") == []


def test_of_a_name_bound_twice_the_last_line_is_named(tmp_path: Path) -> None:
    text = "try:\n    toleranse = {}\nexcept Exception:\n    pass\nelse:\n    toleranse = {}\n"
    assert doubts(tmp_path, text + GOOD) == [
        "line 6 of my_op.py has 'toleranse', which nothing reads: is 'tolerance' meant?"
    ]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "variant = {'a': abs}\ndef inputs(): return (1,)",
            "{path} has no op(); line 1 of my_op.py has 'variant', which nothing reads: "
            "is 'variants' meant?",
        ),
        (
            "def imputs(): return (1,)\ndef op(x): return x",
            "{path} has no inputs(); line 1 of my_op.py has 'imputs', which nothing reads: "
            "is 'inputs' meant?",
        ),
        ("def op(x): return x", "{path} has no inputs()."),
    ],
)
def test_a_file_that_breaks_the_contract_is_told_what_it_may_have_meant(
    tmp_path: Path, text: str, fact: str
) -> None:
    path = tmp_path / "my_op.py"
    path.write_text(text)
    with pytest.raises(OpFileError) as caught:
        load_op(path)
    assert caught.value.fact == fact.format(path=path)


def test_a_kernelbench_file_is_held_to_its_own_names(tmp_path: Path) -> None:
    assert doubts(tmp_path, f"{SOLUTION}\nvariant = {{}}\ncase = {{}}\n") == []
    misspelled = SOLUTION.replace("ModelNew", "ModelNwe").replace("init_inputs", "init_input")
    assert doubts(tmp_path, misspelled) == [
        "line 15 of my_op.py has 'get_init_input', which nothing reads: "
        "is 'get_init_inputs' meant?",
        "line 18 of my_op.py has 'ModelNwe', which nothing reads: is 'ModelNew' meant?",
    ]
    assert doubts(tmp_path, PROBLEM) == []


def test_a_doubt_is_a_warning_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "my_op.py"
    path.write_text(f"{GOOD}tolerence = 3\n")
    records = measure_op(load_op(path), trace_path=tmp_path / "t.json", options=Options())
    assert next(record for record in records if isinstance(record, Noticed)) == Noticed(
        finding=Finding(
            tag="op/misspelled",
            severity="warning",
            fact="line 3 of my_op.py has 'tolerence', which nothing reads: is 'tolerance' meant?",
            advice="rename it to tolerance, or to what is not nearly that",
        )
    )


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("value", [{}, "forward", len, 1.0], ids=repr)
def test_the_projects_own_op_files_raise_no_doubt_whatever_their_names_hold(
    path: Path, value: object
) -> None:
    source = path.read_bytes()
    module = ModuleType(path.stem)
    bound = [node for node in ast.walk(ast.parse(source)) if hasattr(node, "lineno")]
    names = {getattr(node, "id", getattr(node, "name", None)) for node in bound}
    vars(module).update(dict.fromkeys(names - {None}, value))

    assert misspellings(module, source, OP_FILE) == []
