"""The hand-made cases and the recordings, as read: the other rooms test what follows from them."""

import json
from pathlib import Path

import numpy as np
import pytest

from tracelens.errors import TruncatedTraceError
from tracelens.formats import read_trace
from tracelens.model.trace import KERNEL, Device

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(
    path.name.removesuffix(".expected.json") for path in FIXTURES.glob("cases/*.expected.json")
)


def kernel_sum_ns(trace):
    work = trace.device_work
    return int(work.duration_ns[work.kind == KERNEL].sum())


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_read_whole_and_to_the_nanosecond(name):
    whole = json.loads((FIXTURES / f"cases/{name}.expected.json").read_text())
    expected = whole["expected"]
    truncated = expected["error"] == "truncated_json"
    expected = expected.get("if_recovered", expected)
    trace = read_trace(FIXTURES / f"cases/{name}.json", recover=truncated)
    kernels = int((trace.device_work.kind == KERNEL).sum())
    # what the reader passes on as recorded, and a later room sifts
    raw_sum_us = expected.get("kernel_sum_us_raw") or expected.get("kernel_sum_us_with_duplicates")
    duplicates = expected.get("duplicate_events", 0) // 2
    assert trace.event_count == whole["n_events"]
    assert trace.complete is not truncated
    assert kernels == expected["kernel_count"] + duplicates
    assert kernel_sum_ns(trace) == round(1000 * (raw_sum_us or expected["kernel_sum_us"] or 0))


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("inf_bandwidth_memcpy", "trace/mended/nonfinite"),
        ("invalid_escape_winpath", "trace/mended/escapes"),
        ("bad_utf8_kernel_name", "trace/mended/encoding"),
    ],
)
def test_a_case_with_damage_has_a_finding_that_counts_it(name, finding):
    (found,) = read_trace(FIXTURES / f"cases/{name}.json").findings
    assert (found.tag, found.severity) == (finding, "warning")


def test_the_truncated_case_is_an_error_that_says_where_and_what_came_last():
    with pytest.raises(TruncatedTraceError) as error:
        read_trace(FIXTURES / "cases/truncated_mid_event.json")
    assert error.value.fact.endswith(
        "it ends at byte 3,797 before the event that begins at byte 3,690 is whole; "
        "the last whole event is 'ac2g' at ts 4512337018234.611"
    )


PUBLIC = {
    "mi300x_sglang_decode_graph": {
        "events": 2058,
        "kernels": 555,
        "copies and sets": 3,
        "linked": 558,
        "kernel sum": 9765437,
    },
    "a100_cuda_sync": {
        "events": 1348,
        "kernels": 79,
        "copies and sets": 19,
        "linked": 98,
        "kernel sum": 10728000,
    },
    "a100_no_flow": {
        "events": 4855,
        "kernels": 1154,
        "copies and sets": 50,
        "linked": 1204,
        "kernel sum": 606519000,
    },
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_recordings_have_the_figures_of_their_table(name):
    trace = read_trace(FIXTURES / f"public_traces/{name}.json.gz")
    work = trace.device_work
    kernels = int((work.kind == KERNEL).sum())
    assert (trace.complete, trace.findings) == (True, ())
    assert {
        "events": trace.event_count,
        "kernels": kernels,
        "copies and sets": len(work) - kernels,
        "linked": int(np.isin(work.correlation, trace.calls.correlation).sum()),
        "kernel sum": kernel_sum_ns(trace),
    } == PUBLIC[name]


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("traces/*.json.gz")), ids=lambda path: path.name
)
def test_recordings_of_one_card_are_read_without_a_finding(path):
    trace = read_trace(path)
    assert trace.devices == (
        Device(id=0, name="NVIDIA H200", multiprocessors=132, compute_capability="9.0"),
    )
    assert trace.versions == {"cuda_driver": "13.0", "cuda_runtime": "13.0", "cupti": "130001"}
    assert (trace.complete, trace.findings) == (True, ())
    assert set(trace.device_work.correlation.tolist()) <= set(trace.calls.correlation.tolist())
    assert trace.device_work.duration_ns.min() > 0
