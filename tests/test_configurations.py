"""Recorded on an H200: the configurations that are shown are those that ran."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.configurations import CHECKS, configs, report_of, rows
from tracelens.analyze.readings import read_kernels
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.formats import read_trace

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize("op", ["autotuned", "split_k", "template"])
def test_a_recorded_profile_shows_the_configuration_that_ran(op: str) -> None:
    CHECKS[op](FIXTURES / "runs" / f"{op}.run")


def test_the_configuration_of_a_kernel_of_inductor_is_what_inductor_told_the_profiler() -> None:
    folder = FIXTURES / "runs" / "compiled.run"
    report, (launched,) = report_of(folder)
    with gzip.open(folder / "trace.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    told = next(e["args"] for e in events if "kernel_kwargs" in e.get("args", {}))

    assert configs(report) == {
        "triton_poi_fused_add_gelu_mul_0": f"{told['kernel_kwargs']} "
        f"num_warps={told['num_warps']} num_stages={told['num_stages']}"
    }
    (kernel,) = launched.kernels
    assert kernel.ops == ("aten.mul", "aten.add", "aten.gelu")
    assert kernel.source is not None
    assert told["kernel_file"].endswith(f"/{kernel.source.file}")
    assert "def triton_poi_fused_add_gelu_mul_0(in_ptr0," in (kernel.source.text or "")
    shown = [(r["settings"], r["outcome"], r["tuner_ns"]) for r in rows(report, "tuning")]
    assert shown == [
        ("XBLOCK=128 num_warps=4 num_stages=1", "chosen", 15_584),
        ("XBLOCK=256 num_warps=4 num_stages=1", None, 16_288),
    ]
    (compiled,) = rows(report, "compiled_kernels")
    assert (compiled["count"], compiled["registers"], compiled["spills"]) == (20, 14, 0)


def test_no_launch_of_any_recorded_product_contradicts_what_is_read_of_its_name() -> None:
    timeline = Timeline.of(read_trace(FIXTURES / "traces" / "gemm_sweep.json.gz"))
    rows = np.flatnonzero(timeline.kernels)

    readings = read_kernels(timeline, rows, choose(timeline))

    split = Counter(
        kernel.family
        for kernel in readings.kernels
        if type(factor := kernel.value("split_k")) is int and factor > 1
    )
    assert len(rows) == 622
    assert readings.contradictions == {}
    assert split == {"nvjet": 48, "cutlass2_via_cublas": 68, "xmma_cublas": 18}
