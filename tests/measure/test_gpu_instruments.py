"""On a CUDA device: the instruments against truth, the flush, the cold path of Triton."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tracelens.api import profile_file
from tracelens.measure.options import Options
from tracelens.model.report import Report

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

COPY = """
import torch
def inputs():
    return (torch.randn(1 << 22, device="cuda"),)
def op(x):
    return x + 1
def bytes_moved(x):
    return 2 * x.numel() * x.element_size()
"""

TUNED = """
import torch, triton, triton.language as tl
@triton.autotune(configs=[triton.Config({"B": b}) for b in (128, 256)], key=["n"])
@triton.jit
def add_one(x, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
def inputs():
    return (torch.randn(1 << 20, device="cuda"),)
def op(x):
    y = torch.empty_like(x)
    add_one[lambda meta: (triton.cdiv(x.numel(), meta["B"]),)](x, y, x.numel())
    return y
"""


def profiled(body: str, tmp_path: Path, **options: Any) -> Report:
    path = tmp_path / "op_here.py"
    path.write_text(body, encoding="utf-8")
    return profile_file(path, output=tmp_path / "x.run", options=Options(**options)).report


def ns(report: Report, tag: str) -> int:
    value = report.metric(tag).value
    assert isinstance(value, int)
    return value


def test_the_doctor_finds_records_near_the_truth_and_host_spins_before_the_launch() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tracelens", "doctor", "--format", "json"],
        stdout=subprocess.PIPE,
        check=True,
    )
    metrics = json.loads(done.stdout)["sections"][0]["metrics"]
    error = {m["tag"].split("/")[1]: m["value"] for m in metrics if m["tag"].endswith("/error")}

    ways = {name.rsplit("_", 1)[1] for name in error if name.startswith("spin_5us_")}
    assert ways >= {"host", "events", "profiler"}
    for way in ways & {"cupti", "profiler"}:
        over = [error[f"spin_{length}us_{way}"] for length in (5, 50, 500)]
        assert all(0 <= one <= 1_000 for one in over)
        assert max(over) - min(over) <= 200
    for length in (20, 50, 100) if "cupti" in ways else ():
        assert abs(error[f"host_{length}us_cupti"]) <= max(1_000, 30 * length)


@pytest.mark.parametrize("way", ["write", "read"])
def test_behind_a_flush_a_kernel_reads_memory_and_the_flush_is_in_no_window(
    way: str, tmp_path: Path
) -> None:
    report = profiled(COPY, tmp_path, flush=way)

    assert ns(report, "kernel_cold/eager/busy/median") > ns(report, "kernel/eager/busy/median")
    assert ns(report, "kernel_cold/graph/busy/median") > ns(report, "kernel/graph/busy/median")
    assert ns(report, "full_cold/eager/samples") >= 5
    # A memset of twice the L2 would be memory, and longer than the whole kernel.
    assert ns(report, "device_cold/eager/busy/median") == ns(
        report, "kernel_cold/eager/busy/median"
    )
    assert not [f.tag for f in report.findings if f.tag.startswith("integrity/")]


def test_what_triton_does_in_a_first_call_is_told_apart_and_fits_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))

    report = profiled(TUNED, tmp_path)

    parts = ("cold/triton_compile", "cold/autotune", "cold/triton_load")
    assert all(ns(report, part) > 0 for part in parts)
    assert sum(ns(report, part) for part in parts) < ns(report, "cold/first_call")
    assert ns(report, "cold/second_call") < ns(report, "cold/first_call")
    assert "cold/in_warm_samples" not in [f.tag for f in report.findings]
