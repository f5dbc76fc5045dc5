"""Real recordings, split: every figure as it was computed by hand and by other programs.

The medians of `fixtures/traces/` are in microseconds with two decimals, those of
`fixtures/public_traces/` in whole nanoseconds.
"""

from pathlib import Path

import numpy as np
import pytest

from tracelens.analyze.statistics import median
from tracelens.api import analyze_trace

FIXTURES = Path(__file__).parent.parent / "fixtures"

PARTS = ("kernel_ns", "memory_ns", "launch_ns", "sync_ns", "host_dispatch_ns", "return_ns")

# windows, wall, host dispatch, launch, kernel, memory, return + sync, kernel sum
H200 = {
    "add_big": (10, 118.55, 12.56, 9.94, 92.13, 0.00, 2.83, 92.13),
    "add_small": (10, 41.81, 12.83, 9.08, 0.86, 0.00, 19.69, 0.86),
    "compiled": (10, 119.58, 77.25, 9.16, 3.04, 0.00, 28.50, 3.04),
    "gems_sigmoid_4096": (12, 168.84, 116.48, 11.15, 0.90, 0.00, 39.93, 0.90),
    "item": (10, 65.25, 22.29, 14.32, 2.03, 1.41, 22.41, 2.03),
    "liger_rms": (12, 233.05, 149.23, 12.93, 18.54, 0.00, 51.27, 18.54),
    "mm_4096": (10, 242.19, 20.18, 11.90, 203.30, 0.75, 2.76, 203.30),
    "mm_fp32": (10, 85.75, 17.97, 8.52, 56.54, 0.00, 2.74, 56.54),
    "mm_m1": (10, 50.61, 18.38, 8.17, 9.60, 0.00, 14.10, 9.60),
    "overlap_200_150": (12, 330.90, 84.06, 10.44, 233.22, 0.00, 3.60, 351.38),
    "overlap_copy": (12, 412.00, 96.52, 10.65, 300.70, 0.00, 3.78, 303.33),
    "sort": (10, 151.95, 16.29, 42.30, 82.96, 7.84, 2.68, 82.96),
    "triton_add": (10, 88.85, 47.14, 10.49, 0.83, 0.00, 31.05, 0.83),
    "triton_mm": (10, 118.14, 71.77, 10.49, 28.70, 0.00, 3.66, 28.70),
    "two_stream": (10, 203.11, 54.88, 12.42, 133.14, 0.00, 2.80, 133.14),
    "unfused_gelu": (10, 141.12, 47.01, 67.57, 10.21, 0.00, 16.34, 10.21),
}

# events, kernels, copies and sets, linked, kernel sum, kernel busy, device busy
PUBLIC = {
    "b200_vllm_eager": (24656, 768, 161, 929, 10862916, 10793638, 11596482),
    "mi300x_sglang_decode_graph": (2058, 555, 3, 558, 9765437, 9759749, 9772926),
    "mi300x_resnet_ddp": (56451, 2995, 658, 2685, 97255826, 81364527, 84002056),
    "a100_cuda_sync": (1348, 79, 19, 98, 10728000, 10670000, 49758000),
    "a100_no_flow": (4855, 1154, 50, 1204, 606519000, 547303000, 547656000),
}


def windows(report):
    """The windows table as a column of int64 per name."""
    table = report.table("windows")
    columns = zip(*table.rows, strict=True)
    return {
        column.name: np.array(values)
        for column, values in zip(table.columns, columns, strict=True)
        if column.name != "name"
    }


def us(samples) -> float:
    return round(median(samples) / 1000, 2)


@pytest.mark.parametrize("name", H200)
def test_medians_of_the_split_of_a_recording(name):
    found = windows(analyze_trace(FIXTURES / "traces" / f"{name}.json.gz"))
    assert (
        len(found["wall_ns"]),
        us(found["wall_ns"]),
        us(found["host_dispatch_ns"]),
        us(found["launch_ns"]),
        us(found["kernel_ns"]),
        us(found["memory_ns"]),
        us(found["return_ns"] + found["sync_ns"]),
        us(found["kernel_sum_ns"]),
    ) == pytest.approx(H200[name], abs=0.0101)


@pytest.mark.parametrize("name", H200)
def test_the_parts_of_every_window_sum_to_its_wall(name):
    found = windows(analyze_trace(FIXTURES / "traces" / f"{name}.json.gz"))
    assert (sum(found[part] for part in PARTS) == found["wall_ns"]).all()


@pytest.mark.parametrize("name", PUBLIC)
def test_totals_of_a_recording_from_another_card_or_vendor(name):
    report = analyze_trace(FIXTURES / "public_traces" / f"{name}.json.gz")
    tags = (
        "trace/events/count",
        "trace/kernel/count",
        "trace/memory/count",
        "trace/device/linked",
        "trace/kernel/sum",
        "trace/kernel/busy",
        "trace/device/busy",
    )
    assert tuple(report.metric(tag).value for tag in tags) == PUBLIC[name]
    found = windows(report)
    assert (sum(found[part] for part in PARTS) == found["wall_ns"]).all()


def test_unlinked_device_work_is_counted_and_its_time_is_said():
    report = analyze_trace(FIXTURES / "public_traces/mi300x_resnet_ddp.json.gz")
    (finding,) = (f for f in report.findings if f.tag == "integrity/records_without_launches")
    assert finding.severity == "error"
    assert finding.fact.startswith("linked 2685 of 3653 pieces of device work, unlinked ")
