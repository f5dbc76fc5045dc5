"""An op file's source, ready to stand inside a script."""

from tracelens.render.repro.op_source import OpSource, read_op_source


def test_what_a_script_has_once_is_taken_out_and_lines_keep_their_place():
    source = (
        "from __future__ import annotations\n"
        "import os, torch\n"
        "from flag_gems.ops import add\n"
        "def op(x):\n"
        "    import triton\n"
        "if __name__ == '__main__':\n"
        "    op(1)\n"
        "y = 2\n"
    )
    assert read_op_source(source) == OpSource(
        text=(
            "import os, torch\n"
            "from flag_gems.ops import add\n"
            "def op(x):\n"
            "    import triton\n"
            "\n"
            "\n"
            "y = 2\n"
        ),
        futures=("annotations",),
        needs=("flag_gems", "triton"),
        clashes=False,
    )


def test_names_that_begin_as_ours_do_are_told():
    assert read_op_source("def repro_seed(): ...\n").clashes
