from __future__ import annotations

import errno
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from tracelens.errors import OpFileError
from tracelens.measure.inputs import make_inputs
from tracelens.measure.op_file import load_op
from tracelens.model.op import Case, Op, Tolerance, Variant

GOOD = "def inputs():\n    return (1, 2)\ndef op(a, b):\n    return a + b\n"

TOLERANCE_HINT = (
    'Write `tolerance = {"atol": 1e-3, "rtol": 1e-3}`, '
    'or `tolerance = {"bfloat16": {"atol": 1e-2, "rtol": 1e-2}}`.'
)
Load = Callable[[str | bytes], Op]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Write a file of that text and load it; forget the module and its folder afterwards."""
    path_before, modules_before = sys.path.copy(), set(sys.modules)

    def write_and_load(text: str | bytes) -> Op:
        path = tmp_path / "my_op.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_op(path)

    yield write_and_load
    sys.path[:] = path_before
    for name in set(sys.modules) - modules_before:
        del sys.modules[name]


def trouble(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(OpFileError) as caught:
        call()
    return caught.value.fact, caught.value.hint


def test_a_file_with_op_and_inputs_is_an_op(load: Load) -> None:
    op = load(GOOD)

    assert (op.name, op.inputs(), op.variants[0].call(3, 4)) == ("my_op", (1, 2), 7)
    assert (op.reference, op.tolerance, op.configs) == (None, None, {})


def test_reference_tolerance_and_configs_are_read_and_other_names_left_alone(load: Load) -> None:
    op = load(
        f"{GOOD}def reference(a, b):\n    return b + a\n"
        "tolerance = {'atol': 1e-3, 'rtol': 0}\n"
        "configs = {'gemv': ['NW', 'UG']}\n"
        "stages = 'of a later version'\n"
    )

    assert op.reference is not None
    assert op.reference(1, 2) == 3
    assert op.tolerance == Tolerance(atol=1e-3, rtol=0.0)
    assert op.configs == {"gemv": ("NW", "UG")}


def test_a_file_imports_what_lies_beside_it(load: Load, tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("size = 5")

    assert load(f"{GOOD}import beside_it\nsize = beside_it.size").name == "my_op"


def test_a_file_named_as_a_loaded_module_does_not_take_its_place(tmp_path: Path) -> None:
    path = tmp_path / "torch.py"
    path.write_text(GOOD)

    op = load_op(path)

    assert sys.modules["torch"] is torch
    assert op.variants[0].call.__module__ == "tracelens_op_torch"
    sys.path.remove(str(tmp_path))


def test_loading_twice_executes_the_file_as_it_is_now(load: Load) -> None:
    load(GOOD)

    assert load(GOOD.replace("a + b", "a * b")).variants[0].call(3, 4) == 12


def test_nothing_is_written_beside_the_file(load: Load, tmp_path: Path) -> None:
    load(GOOD)

    assert [path.name for path in tmp_path.iterdir()] == ["my_op.py"]


def test_a_file_that_is_missing_is_said(tmp_path: Path) -> None:
    fact, hint = trouble(lambda: load_op(tmp_path / "none.py"))

    assert fact == f"There is no file {tmp_path}/none.py."
    assert hint == "Check the path of the op file."


def test_a_folder_is_said(tmp_path: Path) -> None:
    fact, _ = trouble(lambda: load_op(tmp_path))

    assert fact == f"{tmp_path} is a folder; an op file is needed."


def test_a_file_without_permission_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> bytes:  # a mode would not close it to root
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "read_bytes", closed)
    path = tmp_path / "my_op.py"

    fact, _ = trouble(lambda: load_op(path))

    assert fact == f"{path} cannot be read: Permission denied."


@pytest.mark.parametrize(
    ("text", "fact", "hint"),
    [
        (
            b"x = '\xff'",
            "{path} is not UTF-8 text: byte 5 is 0xff.",
            "Give the op's Python source, saved as UTF-8.",
        ),
        (
            "def inputs():\n    return ()\ndef op(x)\n    return x",
            "{path}:3: expected ':': def op(x)",
            "Mend line 3; `python my_op.py` shows the same error.",
        ),
        (
            "x = '\0'",
            "{path}: source code string cannot contain null bytes.",
            "Give the op's Python source.",
        ),
        (
            "x = " + "-" * 9000 + "1",
            "{path}: its expressions are nested too deeply.",
            "Give the op's Python source.",
        ),
        (
            "# coding: klingon",
            "{path}: unknown encoding: klingon.",
            "Give the op's Python source.",
        ),
        (
            "import no_such_module_here",
            "{path} cannot be loaded: ModuleNotFoundError in my_op.py:1: "
            "No module named 'no_such_module_here'.",
            f"Install what is missing for {sys.executable}, or mend the import.",
        ),
        (
            "\n\n1 / 0",
            "{path} cannot be loaded: ZeroDivisionError in my_op.py:3: division by zero.",
            "Mend the file; `python my_op.py` shows the whole traceback.",
        ),
        (
            "import sys\nsys.exit(4)",
            "{path} called sys.exit(4) while it was loaded.",
            'Guard it with `if __name__ == "__main__":`.',
        ),
        (
            "def inputs(): return ()",
            "{path} has no op().",
            "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`.",
        ),
        (
            "def op(): return 1",
            "{path} has no inputs().",
            "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`.",
        ),
        (
            "def inputs(): return ()\nop = 3",
            "op in {path} is an object of type int; it must be a function.",
            "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`.",
        ),
        (
            f"{GOOD}reference = 'torch'",
            "reference in {path} is an object of type str; it must be a function.",
            "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`.",
        ),
        (
            f"{GOOD}tolerance = 0.1",
            "tolerance in {path} is 0.1; it must hold atol and rtol, each a number of at least 0, "
            "or that for each dtype.",
            TOLERANCE_HINT,
        ),
        (
            f"{GOOD}tolerance = {{'atol': float('nan'), 'rtol': 0}}",
            "tolerance in {path} is {{'atol': nan, 'rtol': 0}}; it must hold atol and rtol, each "
            "a number of at least 0, or that for each dtype.",
            TOLERANCE_HINT,
        ),
        (
            f"{GOOD}configs = {{'kernel': 'NW'}}",
            "configs in {path} is {{'kernel': 'NW'}}; it must map a kernel's name to the names of "
            "its template arguments, each a different one.",
            'Write `configs = {"my_kernel": ("BLOCK", "WARPS")}`.',
        ),
    ],
)
def test_a_file_that_breaks_the_contract_says_how(
    load: Load, tmp_path: Path, text: str | bytes, fact: str, hint: str
) -> None:
    assert trouble(lambda: load(text)) == (fact.format(path=tmp_path / "my_op.py"), hint)


def test_a_file_that_failed_to_load_leaves_no_module_behind(load: Load) -> None:
    trouble(lambda: load("1 / 0"))

    assert "my_op" not in sys.modules


def op_with(inputs: Callable[[], object]) -> Op:
    return Op(name="my_op", variants=(Variant(call=print),), inputs=inputs)  # type: ignore[arg-type]  # some break it


def test_inputs_are_made_with_every_generator_seeded() -> None:
    draw = op_with(lambda: (random.random(), float(np.random.rand()), torch.rand(2).tolist()))

    first = make_inputs(draw, Case(), seed=7)

    assert make_inputs(draw, Case(), seed=7) == first
    assert make_inputs(draw, Case(), seed=8) != first


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (torch.ones(2, 3), "a tensor, float32[2, 3] cpu"),
        ([1], "an object of type list"),
        (None, "None"),
    ],
)
def test_inputs_that_are_no_tuple_are_named(value: object, spelled: str) -> None:
    assert trouble(lambda: make_inputs(op_with(lambda: value), Case(), seed=0)) == (
        f"inputs() of my_op returned {spelled}; it must return a tuple.",
        "Return a tuple, with one element too: `return (x,)`.",
    )


def test_inputs_that_raise_say_where(load: Load) -> None:
    op = load("def inputs():\n    return make()\ndef make():\n    [][1]\ndef op(): pass")

    fact, _ = trouble(lambda: make_inputs(op, Case(), seed=0))

    assert fact == "inputs() of my_op raised IndexError in my_op.py:4: list index out of range."
