from __future__ import annotations

from typing import Any

import pytest
import torch

from tracelens.errors import UsageError
from tracelens.measure.statement import op_source


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
