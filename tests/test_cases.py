"""Small traces, one of each kind of trouble, with right answers: `fixtures/cases/README.md`.

Values in the expected files are microseconds, exact to the nanosecond.
"""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tracelens.api import analyze_trace
from tracelens.errors import TruncatedTraceError

CASES = Path(__file__).parent.parent / "fixtures" / "cases"
NAMES = sorted(path.name.removesuffix(".expected.json") for path in CASES.glob("*.expected.json"))

TIMES = {
    "kernel_sum_us": "trace/kernel/sum",
    "kernel_busy_us": "trace/kernel/busy",
    "kernel_span_us": "trace/kernel/span",
    "device_span_us": "trace/device/span",
    "device_busy_us": "trace/device/busy",
    "memcpy_busy_us": "trace/memcpy/busy",
    "memset_busy_us": "trace/memset/busy",
    "launch_api_us": "trace/launch/api",
    "api_us": "trace/api/busy",
    "sync_us": "trace/sync/busy",
    "host_op_us": "trace/host_op/busy",
    "host_op_minus_api_us": "trace/host_op/outside_api",
}
COUNTS = {"kernel_count": "trace/kernel/count", "launch_count": "trace/launch/count"}

MUST_REPORT = {
    "bad_utf8_kernel_name": [r"not UTF-8"],
    "buffer_request_overhead": [r"launch 241 overlaps 1\.40 ms of profiler overhead \(Activity"],
    "collective_outlier_mean_median": [r"outlier: 1 of 5 calls .* is 139860x the median"],
    "deferred_steps": [r"grows from 12\.0 us to 312 us: .*queueing behind earlier kernels"],
    "duplicate_kernel_events": [r"1 duplicated kernel record and 1 duplicated API record removed"],
    "first_launch_lazy_load": [r"first launch includes 5\.17 ms of module/function loading"],
    "graph_kernels_orphan": [r"linked 1 of 4 pieces of device work"],
    "inf_bandwidth_memcpy": [r"inf or nan", r"duration of zero: bandwidth undefined, not inf"],
    "invalid_escape_winpath": [r"escape"],
    "kernel_before_launch": [r"1 kernel starts before its launch .*-3\.20 us.*excluded"],
    "negative_and_unfinished_dur": [
        r"1 kernel with negative duration",
        r"1 cpu_op with negative duration \(unfinished\)",
    ],
    "no_device_records": [r"3 kernel launches but no kernel records: device time unknown"],
    "truncated_mid_event": [r"byte 3,690", r"lower bound"],
}
"""What the findings of a case must say, as patterns."""


def ns(us):
    return None if us is None else int((Decimal(str(us)) * 1000).to_integral_exact())


def case(name):
    """The report of a case, recovered where it is truncated, and what is expected of it."""
    expected = json.loads((CASES / f"{name}.expected.json").read_text())
    path = CASES / f"{name}.json"
    truth = expected["expected"]
    lost = truth["error"] == "truncated_json"
    report = analyze_trace(path, launches=True, recover=lost)
    return report, truth["if_recovered"] if lost else truth, expected


def rows(report, tag):
    table = report.table(tag)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


@pytest.mark.parametrize("name", NAMES)
def test_totals(name):
    report, truth, expected = case(name)
    wanted = {tag: truth[key] for key, tag in COUNTS.items() if key in truth}
    wanted |= {tag: ns(truth[key]) for key, tag in TIMES.items() if key in truth}
    wanted["trace/events/count"] = expected["n_events"]
    assert {tag: report.metric(tag).value for tag in wanted} == wanted


@pytest.mark.parametrize("name", [n for n in NAMES if "launch_latency_us" in case(n)[1]])
def test_launch_latencies(name):
    report, truth, _ = case(name)
    found: dict[str, list[int | None]] = {}
    for row in rows(report, "launches"):
        found.setdefault(str(row["correlation"]), []).append(row["latency_ns"])
    expected = {
        correlation: [ns(us) for us in (value if isinstance(value, list) else [value])]
        for correlation, value in truth["launch_latency_us"].items()
    }
    assert {correlation: found[correlation] for correlation in expected} == expected


@pytest.mark.parametrize("name", MUST_REPORT)
def test_findings_say_what_must_be_said(name):
    report, _, _ = case(name)
    facts = "\n".join(finding.fact for finding in report.findings)
    assert [p for p in MUST_REPORT[name] if not re.search(p, facts)] == []


@pytest.mark.parametrize("name", [n for n in NAMES if n not in MUST_REPORT])
def test_a_sound_trace_is_not_accused(name):
    report, _, _ = case(name)
    accused = [f.tag for f in report.findings if f.severity != "info"]
    assert accused == []


def test_a_truncated_trace_is_an_error_that_names_the_offset_and_the_last_event():
    with pytest.raises(
        TruncatedTraceError, match=r"byte 3,\d+.* last whole event is 'ac2g'"
    ) as caught:
        analyze_trace(CASES / "truncated_mid_event.json")
    assert "--recover" in caught.value.hint


def test_recovered_figures_are_marked_as_lower_bounds_everywhere():
    report, _, _ = case("truncated_mid_event")
    assert all("lower bounds" in section.title for section in report.sections)
    metrics = [metric for section in report.sections for metric in section.metrics]
    assert metrics
    assert all("(at least)" in metric.name for metric in metrics)


def test_work_belongs_to_the_step_that_launched_it():
    report, truth, _ = case("deferred_steps")
    found = {row["name"]: row["kernel_sum_ns"] for row in rows(report, "windows")}
    assert found == {name: ns(us) for name, us in truth["per_step_kernel_sum_us"].items()}


@pytest.mark.parametrize("name", ["corr_external_namespace", "triton_driver_launch_no_extid"])
def test_kernel_time_by_framework_op(name):
    report, truth, _ = case(name)
    found = {str(row["name"]): row["kernel_sum_ns"] for row in rows(report, "ops")}
    assert found == {op: ns(us) for op, us in truth["per_op_kernel_sum_us"].items()}


def test_a_stream_is_busy_by_itself():
    report, truth, _ = case("multi_stream_overlap")
    found = {f"{r['device']}:{r['stream']}": r["kernel_busy_ns"] for r in rows(report, "streams")}
    assert found == {key: ns(us) for key, us in truth["per_stream_kernel_busy_us"].items()}


def test_two_devices_with_one_stream_id_do_not_overlap_on_a_stream():
    report, truth, _ = case("two_devices_same_stream_id")
    found = {str(r["device"]): r["kernel_busy_ns"] for r in rows(report, "devices")}
    assert found == {key: ns(us) for key, us in truth["per_device_kernel_busy_us"].items()}
    assert len(rows(report, "streams")) == 2


def test_each_replay_of_a_graph_has_its_row():
    report, truth, _ = case("cudagraph_shared_correlation")
    found = [
        {
            "correlation": row["correlation"],
            "kernels": row["kernels"],
            "first_kernel_latency_us": row["first_latency_ns"] / 1000,
            "kernel_busy_us": row["kernel_busy_ns"] / 1000,
            "span_us": row["span_ns"] / 1000,
        }
        for row in rows(report, "graphs")
    ]
    assert found == truth["graph_replays"]


def test_one_kernel_name_under_several_configurations():
    report, truth, _ = case("autotune_same_name_configs")
    found = [
        {
            "grid": row["grid"],
            "block": row["block"],
            "registers": row["registers"],
            "shared_memory": row["shared_memory_bytes"],
            "num_warps": row["block"][0] // 32,
            "count": row["count"],
            "sum_us": row["total_ns"] / 1000,
            "median_us": row["median_ns"] / 1000,
        }
        for row in rows(report, "kernel_shapes")
    ]
    assert found == truth["configs"]
    assert "kernels/several_configurations" in {f.tag for f in report.findings}


def test_launches_without_a_record_are_named():
    report, truth, _ = case("truncated_mid_event")
    (finding,) = (f for f in report.findings if f.tag == "integrity/launches_without_records")
    assert all(str(number) in finding.fact for number in truth["launches_without_kernel"])
    assert f"of {truth['launch_api_calls']} kernel launch calls" in finding.fact
