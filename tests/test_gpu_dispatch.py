"""On a CUDA device: the trees of real ops' host time sum to what they divide, to the ns."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from tracelens.analyze import Timeline, choose
from tracelens.analyze.host_times import divide
from tracelens.analyze.line import Line
from tracelens.analyze.sight import Sight
from tracelens.analyze.split import placed_parts, split
from tracelens.api import profile_file
from tracelens.formats import read_trace

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

EXAMPLES = Path(__file__).parent.parent / "examples"

GEMS_ADD = """
import flag_gems
import torch

def setup():
    flag_gems.only_enable(include=["add"])

def inputs():
    return tuple(torch.randn(2, 4096, dtype=torch.float16, device="cuda"))

def op(x, y):
    return torch.add(x, y)
"""
LIGER = """
import torch
from liger_kernel.ops.rms_norm import LigerRMSNormFunction

def inputs():
    x = torch.randn(64, 4096, dtype=torch.bfloat16, device="cuda", requires_grad=True)
    return x, torch.ones(4096, dtype=torch.bfloat16, device="cuda", requires_grad=True)

def op(x, weight):
    return LigerRMSNormFunction.apply(x, weight, 1e-6)
"""
COMPILED = """
import torch

def inputs():
    return tuple(torch.randn(2, 512, 512, dtype=torch.bfloat16, device="cuda"))

@torch.compile
def op(x, y):
    return torch.nn.functional.gelu(x + y).sum(-1)
"""
WAITS = """
import torch

def inputs():
    return (torch.randn(4096, device="cuda"),)

def op(x):
    return x * x.sum().item()
"""
OPS = {
    "gems_sigmoid": ((EXAMPLES / "gems_sigmoid.py").read_text(), ("flag_gems", "triton")),
    "gems_add": (GEMS_ADD, ("flag_gems", "triton")),
    "liger_rms_norm": (LIGER, ("liger_kernel", "triton")),
    "triton_add": ((EXAMPLES / "triton_add.py").read_text(), ("triton",)),
    "compiled": (COMPILED, ("triton",)),
    "softmax": ((EXAMPLES / "softmax.py").read_text(), ()),
    "waits": (WAITS, ()),
}


@pytest.mark.parametrize("name", OPS)
def test_the_trees_of_an_op_sum_to_what_they_divide(name: str, tmp_path: Path) -> None:
    body, packages = OPS[name]
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"needs {package}, which is not installed")
    op_path = tmp_path / f"{name}.py"
    op_path.write_text(body, encoding="utf-8")
    kept = profile_file(op_path, output=tmp_path / f"{name}.run")
    report = kept.report

    timeline = Timeline.of(read_trace(kept.folder / "trace.json.gz"))
    windows = choose(timeline)
    assert windows.kind == "call"
    line = Line.of(windows.starts, windows.ends)
    sight = Sight(timeline, windows, line)
    *_, dispatch, _ = placed_parts(sight)
    times = divide(sight, dispatch)
    sums = np.zeros(len(windows), np.int64)
    np.add.at(sums, times.window, times.self_ns)
    assert sums.tolist() == split(timeline, windows).host_dispatch_ns.tolist()

    assert tree_sum(report, "host") == report.metric("split/host_dispatch/median").value
    assert tree_sum(report, "host_sampled") == report.metric("host_sampled/whole").value
    remedies = {finding.tag: finding.fact for finding in report.findings}
    assert ("help/fewer_waits" in remedies) == (name == "waits")
    if name == "waits":
        assert "aten::item > aten::_local_scalar_dense" in remedies["help/fewer_waits"]
        assert "<op file>:8" in remedies["help/fewer_waits"]


def tree_sum(report, tag: str) -> int:
    table = report.table(tag)
    at = [column.name for column in table.columns].index("self_ns")
    return sum(row[at] for row in table.rows)
