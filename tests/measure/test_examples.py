from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from tracelens.errors import OpFileError
from tracelens.measure.check import compare
from tracelens.measure.inputs import make_inputs
from tracelens.measure.op_file import load_op
from tracelens.model.op import Case

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FILES = sorted(EXAMPLES.glob("*.py"))


@pytest.fixture(autouse=True)
def forgotten_folder() -> Iterator[None]:
    before = sys.path.copy()
    yield
    sys.path[:] = before


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_example_gives_what_its_reference_gives(path: Path) -> None:
    if path.stem in ("triton_add", "gems_sigmoid") and not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    if path.stem == "gems_sigmoid" and find_spec("flag_gems") is None:
        pytest.skip("needs flag_gems, which is not installed")
    op = load_op(path)
    inputs = make_inputs(op, op.cases[0], seed=0)

    assert op.reference is not None
    check = compare(op.variants[0].call(*inputs), op.reference(*inputs), tolerance=op.tolerance)

    assert check.status == "passed"
    assert [str(tensor.device.type) for tensor in inputs] == [
        "cuda" if torch.cuda.is_available() else "cpu"
    ] * len(inputs)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_the_triton_example_says_what_it_needs() -> None:
    with pytest.raises(OpFileError, match="a Triton kernel needs a CUDA device, and torch sees no"):
        make_inputs(load_op(EXAMPLES / "triton_add.py"), Case(), seed=0)
