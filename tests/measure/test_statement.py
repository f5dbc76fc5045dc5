from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tracelens.errors import OpFileError, TracelensError, UsageError
from tracelens.measure.options import Options
from tracelens.measure.statement import in_own_words, op_source
from tracelens.model.measurement import Failure, Stage
from tracelens.recipes.profiling import profile_statement


def ran(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, "op.py", "exec"), names)
    return names["op"](*names["inputs"]())


def test_a_statement_becomes_an_op_file_that_a_person_would_write() -> None:
    assert op_source("torch.softmax(x, -1)", setup="x = torch.ones(4); unused = 3") == (
        '''\
"""A statement, as an op file: `tracelens profile op.py` measures it again."""

import torch


def inputs():
    x = torch.ones(4)
    unused = 3
    return (x,)


def op(x):
    return torch.softmax(x, -1)
'''
    )


@pytest.mark.parametrize(
    ("setup", "statement", "result"),
    [
        ("", "torch.ones(2).sum().item()", 2.0),
        ("x = 3", "y = x + 1", 4),
        ("x = 3", "y = x; y * 2", 6),
        ("x = 3", "x = x + 1", 4),
        ("import math as m", "m.sqrt(4)", 2.0),
        ("def f(x):\n    return x + 1", "f(2)", 3),
        ("x = 3\ny = 2", "(lambda z: x + z)(1)", 4),
        ("for i in range(3):\n    x = i", "[x for _ in range(2)]", [2, 2]),
        ("import torch\nx = torch.ones(2)", "torch.sum(x).item()", 2.0),
        ("text = '''a\nb'''", "text", "a\nb"),
    ],
)
def test_the_statement_sees_what_the_setup_bound(setup: str, statement: str, result: Any) -> None:
    assert ran(op_source(statement, setup=setup)) == result


@pytest.mark.parametrize(
    ("setup", "statement", "fact"),
    [
        ("", "x x", "The statement is no Python: invalid syntax."),
        ("x = (", "x", "The setup is no Python: '(' was never closed."),
        ("", "", "The statement is empty."),
        ("", "import os", "The statement ends in nothing that has a value."),
        ("from math import *", "sqrt(4)", "Setup and statement cannot stand in functions: "),
    ],
)
def test_what_cannot_be_an_op_file_is_a_usage_error(setup: str, statement: str, fact: str) -> None:
    with pytest.raises(UsageError) as caught:
        op_source(statement, setup=setup)
    assert caught.value.fact.startswith(fact)


def test_torch_is_there_without_an_import() -> None:
    assert torch.equal(ran(op_source("torch.ones(2)", setup="")), torch.ones(2))


@pytest.mark.parametrize(
    ("kind", "told", "own"),
    [
        (
            "input",
            (
                "inputs() of stmt raised ZeroDivisionError in stmt.py:7: division by zero.",
                "Mend inputs(): it is called with no argument and returns a tuple.",
            ),
            (
                "The setup raised ZeroDivisionError: division by zero.",
                "Mend --setup: it runs first, once, and torch is imported for it.",
            ),
        ),
        (
            "raised",
            (
                "The op raised NameError in stmt.py:11: name 'The op raised' is not in stmt.py:3.",
                "Call op(*inputs()) in a Python session of its own to look into it. "
                "op.log has the traceback.",
            ),
            (
                "The statement raised NameError: name 'The op raised' is not in stmt.py:3.",
                "Mend --stmt, or let --setup make what it uses. op.log has the traceback.",
            ),
        ),
        (
            "raised",
            (
                "The op called sys.exit(None).",
                "Let the op return its result instead of ending the process.",
            ),
            (
                "The statement called sys.exit(None).",
                "Let --stmt return its result instead of ending the process.",
            ),
        ),
        (
            "raised",
            (
                "The op raised OutOfMemoryError in stmt.py:9: no room.",
                "Make inputs() smaller, or free the device first.",
            ),
            (
                "The statement raised OutOfMemoryError: no room.",
                "Make what --setup makes smaller, or free the device first.",
            ),
        ),
        (
            "input",
            ("op() returned None; it must return its result.", "Return the result."),
            ("The statement returned None; it must return its result.", "Return the result."),
        ),
        ("crashed", ("The op ended by signal 11", "See op.log."), None),
    ],
)
def test_what_went_wrong_is_told_in_the_words_of_who_wrote_a_statement(
    kind: Any, told: tuple[str, str], own: tuple[str, str] | None
) -> None:
    failure = Failure(stage="inputs", kind=kind, fact=told[0], hint=told[1])
    fact, hint = own or told
    assert in_own_words(failure) == Failure(stage="inputs", kind=kind, fact=fact, hint=hint)
    assert in_own_words(Stage(name="inputs")) == Stage(name="inputs")


@pytest.mark.parametrize(
    ("setup", "statement", "fact", "hint"),
    [
        (
            "",
            "undefined_name + 1",
            "The statement raised NameError: name 'undefined_name' is not defined.",
            "Mend --stmt, or let --setup make what it uses. op.log has the traceback.",
        ),
        (
            "raise ValueError('no')",
            "1 + 1",
            "The setup raised ValueError: no.",
            "Mend --setup: it runs first, once, and torch is imported for it.",
        ),
    ],
)
def test_a_statement_that_fails_is_no_matter_of_op_files(
    tmp_path: Path, setup: str, statement: str, fact: str, hint: str
) -> None:
    error: TracelensError | None
    try:
        error = profile_statement(
            statement, setup=setup, output=tmp_path / "s.run", options=Options(functions=False)
        ).failure
    except OpFileError as never_ran:
        error = never_ran
    assert error is not None
    assert (error.fact.partition(" Its log")[0], error.hint) == (fact, hint)
