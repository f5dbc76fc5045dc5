import pytest

from tests.formats.chrome_text import KERNEL, LAUNCH, event, read
from tracelens.model.trace import KERNEL as KERNEL_KIND
from tracelens.model.trace import MEMCPY, MEMSET, MISSING


def test_every_field_of_device_work_stands_in_its_column(tmp_path):
    arguments = {
        "External id": 3,
        "device": 1,
        "stream": 20,
        "correlation": 71,
        "registers per thread": 32,
        "shared memory": 49152,
        "grid": [132, 2, 1],
        "block": [256, 1, 4],
    }
    copy = {"device": 0, "stream": 13, "correlation": 72, "bytes": 4194304}
    trace = read(
        tmp_path,
        f"""[{event(KERNEL, name="gemm", pid=1, tid=20, args=arguments)},
             {event(KERNEL, cat="gpu_memcpy", name="Memcpy HtoD", ts="30", args=copy)}]""",
    )
    work = trace.device_work
    assert [trace.names[name] for name in work.name] == ["gemm", "Memcpy HtoD"]
    assert [trace.processes[process] for process in work.process] == ["1", "0"]
    assert {
        "kind": work.kind.tolist(),
        "start_ns": work.start_ns.tolist(),
        "duration_ns": work.duration_ns.tolist(),
        "device": work.device.tolist(),
        "stream": work.stream.tolist(),
        "correlation": work.correlation.tolist(),
        "external_id": work.external_id.tolist(),
        "grid": work.grid.tolist(),
        "block": work.block.tolist(),
        "registers": work.registers.tolist(),
        "shared_memory": work.shared_memory.tolist(),
        "bytes_moved": work.bytes_moved.tolist(),
    } == {
        "kind": [KERNEL_KIND, MEMCPY],
        "start_ns": [20_500, 30_000],
        "duration_ns": [2_125, 2_125],
        "device": [1, 0],
        "stream": [20, 13],
        "correlation": [71, 72],
        "external_id": [3, MISSING],
        "grid": [[132, 2, 1], [MISSING] * 3],
        "block": [[256, 1, 4], [MISSING] * 3],
        "registers": [32, MISSING],
        "shared_memory": [49152, MISSING],
        "bytes_moved": [MISSING, 4194304],
    }


def test_calls_ops_annotations_overheads_and_flows_stand_in_their_columns(tmp_path):
    flow = '{{"ph": "{}", "id": 71, "pid": {}, "tid": {}, "ts": 9.5, "cat": "{}", "name": "x"}}'
    trace = read(
        tmp_path,
        f"""[{event(LAUNCH)}, {event(LAUNCH, cat="cpu_op", name="aten::mm", tid=43)},
             {event(LAUNCH, cat="user_annotation", name="step")},
             {event(LAUNCH, cat="overhead", name="Buffer", pid=-1, tid=0)},
             {flow.format("s", 41, 42, "ac2g")}, {flow.format("f", 0, 7, "ac2g")},
             {flow.format("s", 41, 42, "fwdbwd")}]""",
    )
    spans = (trace.ops, trace.annotations, trace.overheads)
    assert [trace.names[row] for columns in spans for row in columns.name] == [
        "aten::mm",
        "step",
        "Buffer",
    ]
    assert [trace.threads[row] for columns in spans for row in columns.thread] == ["43", "42", "0"]
    calls = trace.calls
    assert (calls.start_ns.tolist(), calls.duration_ns.tolist()) == ([10_250], [4_000])
    assert (calls.correlation.tolist(), calls.external_id.tolist()) == ([1], [3])
    flows = trace.flows
    assert (flows.id.tolist(), flows.finish.tolist()) == ([71, 71], [False, True])
    assert flows.start_ns.tolist() == [9_500, 9_500]
    assert [trace.threads[row] for row in flows.thread] == ["42", "7"]
    assert [trace.processes[row] for row in flows.process] == ["41", "0"]


@pytest.mark.parametrize(
    ("category", "name", "kind"),
    [
        ("kernel", "k", KERNEL_KIND),
        ("Kernel", "k", KERNEL_KIND),
        ("gpu_memcpy", "k", MEMCPY),
        ("Memcpy", "k", MEMCPY),
        ("gpu_memset", "k", MEMSET),
        ("Memset", "k", MEMSET),
        ("mtia_ccp_events", "kernel_fc", KERNEL_KIND),
        ("mtia_ccp_events", "dma_request_3", MEMCPY),
    ],
)
def test_device_work_is_told_by_its_category_of_any_writer(tmp_path, category, name, kind):
    work = read(tmp_path, f"[{event(cat=category, name=name)}]").device_work
    assert work.kind.tolist() == [kind]


@pytest.mark.parametrize(
    "category",
    ["gpu_user_annotation", "cuda_sync", "cuda_event", "overhead", "Trace", "python_function", "?"],
)
def test_other_rows_of_the_device_are_never_device_work(tmp_path, category):
    assert len(read(tmp_path, f"[{event(cat=category)}]").device_work) == 0


@pytest.mark.parametrize("phase", ["i", "I", "C", "M", "s", "b", "e", ""])
def test_what_has_no_duration_of_its_own_is_never_device_work(tmp_path, phase):
    assert len(read(tmp_path, f"[{event()}, {event(ph=phase)}]").device_work) == 1


@pytest.mark.parametrize(
    "category",
    ["cuda_runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "mtia_runtime", "Runtime"],
)
def test_calls_of_every_vendor_are_calls(tmp_path, category):
    assert len(read(tmp_path, f"[{event(LAUNCH, cat=category)}]").calls) == 1


@pytest.mark.parametrize("category", ["ac2g", "async_gpu", "async_cpu_to_gpu", "async"])
def test_arrows_from_calls_to_device_work_are_flows_by_the_name_of_any_writer(tmp_path, category):
    arrow = f'{{"ph": "f", "id": "0x10", "ts": 1, "cat": "{category}", "bp": "e"}}'
    flows = read(tmp_path, f"[{event()}, {arrow}]").flows
    assert (flows.id.tolist(), flows.finish.tolist()) == ([16], [True])


def test_writers_of_2021_spell_some_fields_in_another_way(tmp_path):
    arguments = {"external id": 9, "Bytes": 64}
    trace = read(
        tmp_path,
        f"""[{event(cat="Memcpy", args=arguments)},
             {event(cat="Runtime", args={"external id": 8})}, {event(LAUNCH, cat="Operator")}]""",
    )
    assert trace.device_work.external_id.tolist() == [9]
    assert trace.device_work.bytes_moved.tolist() == [64]
    assert trace.calls.external_id.tolist() == [8]
    assert trace.ops.external_id.tolist() == [3]


def test_stream_and_device_are_the_row_where_arguments_do_not_name_them(tmp_path):
    bare = event().replace('"device": 0, "stream": 7, ', "")
    for pid, tid, device, stream in (
        ("2", "13", 2, 13),
        ('"3"', '"stream 14"', 3, 14),
        ('"GPU A"', '"default"', -2, -2),
    ):
        row = bare.replace('"pid": 0, "tid": 7', f'"pid": {pid}, "tid": {tid}')
        work = read(tmp_path, f"[{row}]").device_work
        assert (work.device.tolist(), work.stream.tolist()) == ([device], [stream])


def test_device_work_keeps_the_order_of_the_file(tmp_path):
    categories = ["gpu_memset", "kernel", "gpu_memcpy", "kernel"]
    events = [event(cat=category, ts=9 - i) for i, category in enumerate(categories)]
    work = read(tmp_path, f"[{', '.join(events)}]").device_work
    assert work.kind.tolist() == [MEMSET, KERNEL_KIND, MEMCPY, KERNEL_KIND]
    assert work.start_ns.tolist() == [9_000, 8_000, 7_000, 6_000]


def test_a_trace_without_any_row_of_a_sort_has_empty_columns(tmp_path):
    trace = read(tmp_path, '[{"ph": "M", "name": "process_name"}]')
    assert (len(trace.device_work), trace.device_work.grid.shape) == (0, (0, 3))
    assert [len(c) for c in (trace.calls, trace.ops, trace.annotations, trace.flows)] == [0] * 4
