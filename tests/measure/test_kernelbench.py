from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tracelens.measure.case import measure_op, outline
from tracelens.measure.op_file import load_op
from tracelens.measure.options import Options
from tracelens.model.measurement import Check, Failure, Measurement, Subject
from tracelens.model.op import Op, Tolerance

PROBLEM = """
import torch

class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = torch.nn.Linear(size, size)

    def forward(self, x):
        return torch.relu(self.layer(x))

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return [8]
"""
SOLUTION = f"""{PROBLEM}
class ModelNew(Model):
    def forward(self, x):
        return torch.clamp(self.layer(x), min=0)
"""
QUICK = Options(
    functions=False,
    samples=5,
    batches=5,
    batch=2,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
    device="cpu",
)


def loaded(tmp_path: Path, text: str) -> Op:
    path = tmp_path / "problem.py"
    path.write_text(text)
    return load_op(path)


@pytest.fixture(autouse=True)
def no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_a_problem_alone_is_one_op_and_its_own_reference(tmp_path: Path) -> None:
    op = loaded(tmp_path, PROBLEM)

    assert outline(op).subjects == (Subject(case=None, variant=None, baseline=True),)
    assert op.reference is not None
    assert op.tolerance == Tolerance(atol=1e-2, rtol=1e-2)


def test_a_solution_is_measured_beside_the_model_and_checked_against_it(tmp_path: Path) -> None:
    op = loaded(tmp_path, SOLUTION)

    records = list(measure_op(op, trace_path=tmp_path / "trace.json.gz", options=QUICK))

    assert [subject.variant for subject in outline(op).subjects] == ["Model", "ModelNew"]
    assert not [r for r in records if isinstance(r, Failure)]
    assert [r.status for r in records if isinstance(r, Check)] == ["passed", "passed"]
    assert [r.tag for r in records if isinstance(r, Measurement)].count("full/eager") == 2


def test_a_solution_whose_parameters_are_drawn_otherwise_takes_those_of_the_model(
    tmp_path: Path,
) -> None:
    op = loaded(
        tmp_path,
        SOLUTION + "    def __init__(self, size):\n        torch.randn(7)\n"
        "        super().__init__(size)\n",
    )
    assert op.setup is not None
    op.setup()
    (x,) = op.inputs()

    assert torch.equal(op.variants[0].call(x), op.variants[1].call(x))
