import sqlite3
from contextlib import closing

from tests.formats.chrome_text import told
from tests.formats.nsight_export import (
    COLUMNS,
    ROWS,
    SYNC,
    call,
    export,
    kernel,
    nvtx,
    piece,
    process_id,
    read,
    thread_id,
)
from tracelens.api import analyze_trace
from tracelens.formats import read_trace
from tracelens.model.trace import KERNEL, MEMCPY, MEMSET, MISSING, UNKNOWN_NS

NO_OPS = {
    "nsight/no_ops": "Nsight Systems records no framework ops: host dispatch is not split by op"
}


def windows(report):
    table = report.table("windows")
    return [
        dict(zip((column.name for column in table.columns), row, strict=True)) for row in table.rows
    ]


def test_a_call_window_is_split_exactly_through_the_public_api(tmp_path):
    path = export(
        tmp_path / "report.sqlite",
        nvtx(1_000, 2_000),
        call(1_100, 1_200, called=1),
        kernel(1_500, 1_800, by=1),
        call(1_300, 1_350, called=2),
        piece("MEMCPY", 1_700, 1_900, by=2, bytes=4_096, copyKind=2, streamId=8),
        call(2_100, 2_300, called=3, name=SYNC),
        piece("SYNCHRONIZATION", 1_900, 2_300, by=3),
        nvtx(5_000, 6_000),
        call(5_001, 5_003, called=4),
        kernel(5_007, 5_014, by=4),
        call(6_500, 6_501, called=5, name=SYNC),
    )
    parts = ("wall", "kernel", "memory", "launch", "sync", "host_dispatch", "return")
    assert [[w[f"{part}_ns"] for part in parts] for w in windows(analyze_trace(path))] == [
        [1_300, 300, 100, 400, 200, 100, 200],
        [1_501, 7, 0, 6, 1, 1, 1_486],
    ]


def test_every_field_of_device_work_is_read_in_whole_nanoseconds(tmp_path):
    start = 1_700_000_000_123_456_789  # a float64 would lose the last two digits
    trace = read(
        tmp_path,
        kernel(start, start + 2_001, by=5),
        piece("MEMCPY", 10, 30, by=6, bytes=512, copyKind=1),
        piece("MEMSET", 40, 45, by=7, bytes=64, deviceId=1, streamId=13),
    )
    work = trace.device_work
    assert [trace.names[name] for name in work.name] == [
        "void add<float>(float*)",
        "Memcpy HtoD",
        "Memset",
    ]
    assert work.kind.tolist() == [KERNEL, MEMCPY, MEMSET]
    assert work.start_ns.tolist() == [start, 10, 40]
    assert work.duration_ns.tolist() == [2_001, 20, 5]
    assert work.device.tolist() == [0, 0, 1]
    assert work.stream.tolist() == [7, 7, 13]
    assert work.correlation.tolist() == [5, 6, 7]
    assert work.grid.tolist() == [[8, 2, 1], [MISSING] * 3, [MISSING] * 3]
    assert work.block.tolist() == [[128, 1, 1], [MISSING] * 3, [MISSING] * 3]
    assert work.registers.tolist() == [32, MISSING, MISSING]
    assert work.shared_memory.tolist() == [48 + 1_024, MISSING, MISSING]
    assert work.bytes_moved.tolist() == [MISSING, 512, 64]
    assert (trace.event_count, trace.complete, told(trace)) == (3, True, NO_OPS)


def test_global_ids_hold_a_machine_a_process_and_a_thread(tmp_path):
    trace = read(
        tmp_path,
        call(1, 2, called=1, globalTid=thread_id(4_321, 4_330)),
        call(3, 4, called=2, globalTid=thread_id(77, 4_330)),
        call(5, 6, called=3, globalTid=thread_id(77, 16_777_215)),
        call(7, 8, called=4, globalTid=2 << 48 | thread_id(77, 4_330)),
        call(9, 9, called=5, globalTid=None),
    )
    calls = trace.calls
    assert [trace.processes[p] for p in calls.process] == ["4321", "77", "77", "77 (machine 3)", ""]
    assert [trace.threads[t] for t in calls.thread] == ["4330", "4330", "16777215", "4330", ""]


def test_each_process_has_correlation_ids_of_its_own(tmp_path):
    """Process 77's first call lost its kernel, and process 4321 has a call of the same id."""
    other = {"globalPid": process_id(77)}
    path = export(
        tmp_path / "report.sqlite",
        call(100, 110, called=1),
        call(100, 110, called=2),
        call(100, 110, called=2, globalTid=thread_id(77)),
        kernel(200, 300, by=2),
        kernel(250, 400, by=2, **other),
        kernel(500, 600, by=1, **other),
    )
    table = analyze_trace(path, launches=True).table("launches")
    named = [column.name for column in table.columns]
    shown = ("correlation", "launch_start_ns", "latency_ns")
    raised = 1 << 32
    assert [[row[named.index(name)] for name in shown] for row in table.rows] == [
        [2 + raised, 100, 100],
        [2, 100, 150],
        [1, None, None],
    ]
    assert "2 processes use the same correlation ids" in told(read_trace(path))["nsight/shared_ids"]


def test_streams_of_two_contexts_are_two_streams_though_they_share_a_number(tmp_path):
    trace = read(
        tmp_path,
        kernel(0, 100, by=1, contextId=1),
        kernel(10, 20, by=2, contextId=3),
        kernel(10, 20, by=3, contextId=2, deviceId=1),
    )
    assert trace.device_work.stream.tolist() == [7, 7 + (1 << 32), 7]


def test_a_graph_that_was_recorded_whole_is_one_kernel_and_a_finding_says_so(tmp_path):
    trace = read(
        tmp_path,
        call(0, 10, called=1),
        piece("GRAPH_TRACE", 50, 90, by=1, graphId=5),
    )
    assert [trace.names[name] for name in trace.device_work.name] == ["CUDA graph 5"]
    assert trace.device_work.kind.tolist() == [KERNEL]
    assert trace.device_work.duration_ns.tolist() == [40]
    assert told(trace)["nsight/whole_graphs"] == (
        "graph launches that are recorded whole: 1; each counts as one kernel, with the gaps and "
        "the copies between its nodes"
    )


def test_a_graph_whose_nodes_are_recorded_counts_by_its_nodes_alone(tmp_path):
    trace = read(
        tmp_path,
        call(0, 10, called=1),
        kernel(50, 60, by=1, graphNodeId=8),
        piece("MEMSET", 70, 90, by=1),
        piece("GRAPH_TRACE", 50, 90, by=1, graphId=5),
    )
    assert trace.device_work.duration_ns.tolist() == [10, 20]
    assert (trace.event_count, told(trace)) == (4, NO_OPS)


def test_ranges_are_annotations_and_marks_and_domains_are_not(tmp_path):
    trace = read(
        tmp_path,
        nvtx(10, 20, "pushed"),
        nvtx(30, 45, None, textId=2, eventType=60, endGlobalTid=thread_id(thread=5)),
        nvtx(50, None, "mark", eventType=34),
        nvtx(0, None, "NCCL", eventType=75),
        nvtx(60, None, "never popped"),
    )
    spans = trace.annotations
    assert [trace.names[name] for name in spans.name] == ["pushed", "add", "never popped"]
    assert spans.duration_ns.tolist() == [10, 15, UNKNOWN_NS]
    assert [trace.threads[thread] for thread in spans.thread] == ["4330"] * 3


def test_devices_and_versions_are_read_where_the_export_has_them(tmp_path):
    trace = read(
        tmp_path,
        *ROWS,
        {"table": "TARGET_INFO_GPU", "id": 0, "name": "NVIDIA H200", "smCount": 132},
        {"table": "TARGET_INFO_GPU", "id": 1, "name": None, "smCount": None},
        {"table": "META_DATA_EXPORT", "name": "EXPORT_PRODUCT_VERSION", "value": "2025.3.1.90"},
        {"table": "META_DATA_EXPORT", "name": "EXPORT_PARAM_LAZY", "value": "true"},
    )
    assert [(d.id, d.name, d.multiprocessors) for d in trace.devices] == [
        (0, "NVIDIA H200", 132),
        (1, None, None),
    ]
    assert trace.versions == {"nsight_systems": "2025.3.1.90"}


def test_columns_that_an_older_export_lacks_are_missing_not_zero(tmp_path):
    columns = {
        **COLUMNS,
        "CUPTI_ACTIVITY_KIND_KERNEL": "start INT, end INT, shortName INT, correlationId INT",
    }
    row = {"start": 5, "end": 9, "shortName": 2, "correlationId": 1}
    trace = read(tmp_path, {"table": "CUPTI_ACTIVITY_KIND_KERNEL", **row}, columns=columns)
    work = trace.device_work
    assert [trace.names[name] for name in work.name] == ["add"]
    assert (work.start_ns.tolist(), work.duration_ns.tolist()) == ([5], [4])
    assert work.grid.tolist() == work.block.tolist() == [[MISSING] * 3]
    assert [
        getattr(work, name).tolist() for name in ("device", "stream", "registers", "shared_memory")
    ] == [[MISSING]] * 4
    assert [trace.processes[process] for process in work.process] == [""]


def test_null_is_missing_and_what_is_no_integer_is_counted_as_mended(tmp_path):
    trace = read(
        tmp_path,
        kernel(None, 9, by=1),
        kernel(5, None, by=2),
        kernel("soon", 9, by=3),
        kernel(5, 9.5, by=b"\0"),
        kernel(-(2**63) + 2, 2**63 - 1, by=4),
        kernel(5, 9, by=6, demangledName=None, shortName=None, gridX=2**40),
        columns={name: text.replace(" NOT NULL", "") for name, text in COLUMNS.items()},
    )
    work = trace.device_work
    assert work.start_ns.tolist() == [UNKNOWN_NS, 5, UNKNOWN_NS, 5, -(2**63) + 2, 5]
    assert work.duration_ns.tolist() == [UNKNOWN_NS] * 5 + [4]
    assert work.correlation.tolist() == [1, 2, 3, MISSING, 4, 6]
    assert work.grid[-1].tolist() == [MISSING, 2, 1]
    assert told(trace) == {
        **NO_OPS,
        "trace/mended/types": "mended in the file: 2 x entries with a field of the wrong type, "
        "read as if it were absent",
        "nsight/unnamed": "records without a name in the file: 1",
    }


def test_a_name_that_is_not_utf8_is_shown_with_replacement_characters(tmp_path):
    path = export(tmp_path / "report.sqlite", *ROWS)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE StringIds SET value = CAST(x'6bff' AS TEXT) WHERE id = 1")
        database.commit()
    trace = read_trace(path)
    assert [trace.names[name] for name in trace.device_work.name] == ["k\ufffd"]
    assert "trace/mended/encoding" in told(trace)
