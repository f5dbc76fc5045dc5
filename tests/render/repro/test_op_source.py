"""An op file's source, ready to stand inside a script."""

import pytest

from tracelens.render.repro.op_source import OpSource, read_op_source


def test_imports_from_the_future_are_taken_out_and_lines_keep_their_place():
    source = (
        "'é'; from __future__ import annotations; import os, torch\n"
        "from __future__ import (\n"
        "    division,\n"
        ")\n"
        "from flag_gems.ops import add\n"
        "s = '\u2028\x0c'\n"
        "def op(x):\n"
        "    import triton\n"
    )
    assert read_op_source(source) == OpSource(
        text=(
            "'é'; pass; import os, torch\n"
            "pass\n"
            "\n"
            "\n"
            "from flag_gems.ops import add\n"
            "s = '\u2028\x0c'\n"
            "def op(x):\n"
            "    import triton\n"
        ),
        futures=("annotations", "division"),
        needs=("flag_gems", "triton"),
    )


def test_names_that_begin_as_ours_do_are_told():
    assert read_op_source("def repro_seed(): ...\n").clashes


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        ("def sum(x): ...\nmax = 1\nfrom torch import abs\n", {"sum", "max", "abs"}),
        ("def op(x, len):\n    sum = x\n    return sum\n", set()),
        ("class list: ...\nfor map in (): ...\n", {"list", "map"}),
    ],
)
def test_builtins_that_an_op_has_for_names_of_its_own_are_told(source, hidden):
    assert read_op_source(source).hides == hidden


def test_a_star_may_hide_every_builtin_but_no_keyword():
    hides = read_op_source("from torch import *\n").hides
    assert {"sum", "max", "print", "isinstance"} <= hides
    assert not {"None", "True", "__import__"} & hides


def test_modules_beside_the_op_are_no_need_and_their_needs_are():
    beside = {"lib.py": "import flag_gems\n", "pack/ops.py": "import lib\n"}
    source = read_op_source("import lib, pack.ops, numpy\n", beside=beside)
    assert (source.needs, source.beside) == (("flag_gems", "numpy"), beside)
