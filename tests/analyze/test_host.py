"""The tree of a call's host dispatch. All times in ns."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import UNKNOWN, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.host import host, median_times
from tracelens.analyze.host_times import HostTimes, divide
from tracelens.analyze.line import Line
from tracelens.analyze.sight import Sight
from tracelens.analyze.split import placed_parts, split
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows, choose
from tracelens.formats import read_trace
from tracelens.model.report import Section

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"

OUTSIDE = ("python", "outside framework ops")


def section(*events) -> Section:
    timeline = Timeline.of(timeline_of(*events))
    return host(timeline, choose(timeline))


def tree(*events) -> list[tuple]:
    """Layer, name, self time, total time, how many a call has, depth and parent of each row."""
    (table,) = section(*events).tables
    assert (table.tag, [column.name for column in table.columns]) == (
        "host",
        ["layer", "name", "self_ns", "share", "total_ns", "count", "median_ns", "depth", "parent"],
    )
    return [(*row[:3], *row[4:6], *row[7:]) for row in table.rows]


def dispatch_times(timeline: Timeline, windows: Windows) -> HostTimes:
    line = Line.of(windows.starts, windows.ends)
    sight = Sight(timeline, windows, line)
    return divide(sight, placed_parts(sight)[4])


def sums(times: HostTimes, windows: Windows) -> list[int]:
    found = np.zeros(len(windows), np.int64)
    np.add.at(found, times.window, times.self_ns)
    return found.tolist()


def test_dispatch_is_divided_by_the_innermost_record_and_launch_sync_and_return_are_no_part():
    assert tree(
        window(0, 80),
        op(10, 70, name="aten::linear"),
        op(20, 60, name="aten::addmm"),
        launch(22, 25, called=4, name="cudaFuncGetAttributes"),
        launch(30, 36, called=2, name="cudaMalloc"),
        launch(50, 54, called=1),
        kernel(60, 65, by=1),
        sync(80, 100),
    ) == [
        ("framework op", "aten::linear", 10, 40, 1, 0, None),
        ("framework op", "aten::addmm", 21, 30, 1, 1, 0),
        ("allocator", "cudaMalloc", 6, 6, 1, 2, 1),
        ("runtime", "cudaFuncGetAttributes", 3, 3, 1, 2, 1),
        (*OUTSIDE, 10, 10, None, 0, None),
    ]


def test_of_a_launch_call_only_what_no_launch_is_in_flight_for_is_dispatch():
    assert tree(
        window(0, 80),
        launch(10, 40, called=1),
        kernel(15, 20, by=1),
        launch(50, 60, called=2),
        kernel(62, 70, by=2),
        sync(80, 100),
    ) == [
        (*OUTSIDE, 20, 20, None, 0, None),
        ("launch", "cudaLaunchKernel", 20, 20, 2, 0, None),
    ]


def test_records_of_one_path_are_one_row_and_the_same_name_elsewhere_is_another():
    assert tree(
        window(0, 100),
        op(10, 20, name="aten::mul"),
        op(30, 45, name="aten::mul"),
        op(50, 90, name="aten::sum"),
        op(60, 70, name="aten::mul"),
        launch(90, 95, called=1),
        kernel(95, 99, by=1),
    ) == [
        ("framework op", "aten::sum", 30, 40, 1, 0, None),
        ("framework op", "aten::mul", 10, 10, 1, 1, 0),
        (*OUTSIDE, 25, 25, None, 0, None),
        ("framework op", "aten::mul", 25, 25, 2, 0, None),
    ]


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("aten::add", "framework op"),
        ("record_param_comms", "framework op"),
        ("MyFunction", "autograd"),
        ("MyFunctionBackward", "autograd"),
        ("AddmmBackward0", "autograd"),
        ("autograd::engine::evaluate_function: AddBackward0", "autograd"),
        ("torch::autograd::AccumulateGrad", "autograd"),
        ("TorchDynamo Cache Lookup", "torch.compile"),
        ("Torch-Compiled Region: 0/0", "torch.compile"),
        ("AOTDispatcher Runtime Wrapper Prologue", "torch.compile"),
        ("CompiledFunction", "torch.compile"),
        ("triton_poi_fused_add_0", "torch.compile"),
        ("triton::my_op", "framework op"),
    ],
)
def test_the_layer_of_an_op_is_read_off_its_name(name, layer):
    rows = tree(
        window(0, 50), op(10, 20, name=name), launch(30, 35, called=1), kernel(36, 40, by=1)
    )
    assert rows == [(*OUTSIDE, 20, 20, None, 0, None), (layer, name, 10, 10, 1, 0, None)]


def test_annotations_inside_the_call_are_rows_and_those_around_it_are_none():
    assert tree(
        window(0, 100, name="ProfilerStep#3"),
        window(10, 80),
        window(20, 60, name="my block"),
        window(30, 50, name="## Call CompiledFxGraph abc ##"),
        launch(60, 65, called=1),
        kernel(66, 70, by=1),
        sync(80, 90),
    ) == [
        ("annotation", "my block", 20, 40, 1, 0, None),
        ("torch.compile", "## Call CompiledFxGraph abc ##", 20, 20, 1, 1, 0),
        (*OUTSIDE, 10, 10, None, 0, None),
    ]


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("## Call CompiledFxGraph fabc ##", "torch.compile"),
        ("## fx_graph_runnable_1a2b.py ##", "torch.compile"),
        ("## 12 ##", "torch.compile"),
        ("## backward ##", "annotation"),
        ("## sdd_prepro, 2 splits ##", "annotation"),
    ],
)
def test_annotations_between_signs_are_torch_compiles_only_where_it_writes_such(name, layer):
    assert tree(
        window(0, 100),
        window(20, 60, name=name),
        launch(60, 65, called=1),
        kernel(66, 70, by=1),
    )[0] == (layer, name, 40, 40, 1, 0, None)


def test_another_thread_that_launches_for_the_window_counts_where_its_own_is_in_no_record():
    assert tree(
        window(0, 100),
        op(10, 30, name="aten::own"),
        op(20, 60, name="AddBackward0", thread=2),
        op(30, 90, name="aten::idle", thread=3),
        launch(70, 75, called=1, thread=2),
        kernel(76, 90, by=1),
        sync(100, 110),
    ) == [
        ("autograd", "AddBackward0", 30, 30, 1, 0, None),
        (*OUTSIDE, 20, 20, None, 0, None),
        ("framework op", "aten::own", 20, 20, 1, 0, None),
    ]


def calls(*lengths: int) -> list:
    """Return calls whose op is as long as each number says, and 5 ns of Python before and after."""
    events = []
    for number, length in enumerate(lengths, start=1):
        at = 1000 * number
        events += [
            window(at, at + 400),
            op(at + 5, at + 5 + length),
            launch(at + 10 + length, at + 15 + length, called=number),
            kernel(at + 500, at + 600, by=number),
            sync(at + 400, at + 700),
        ]
    return events


def test_of_an_odd_number_of_windows_the_middle_one_is_shown_whole():
    found = section(*calls(30, 10, 200))
    (whole,) = found.metrics
    assert (whole.tag, whole.value, whole.description) == (
        "host/whole",
        40,
        "the middle window of 3",
    )
    assert found.tables[0].rows == (
        ("framework op", "aten::add", 30, 0.75, 30, 1, 30, 0, None),
        (*OUTSIDE, 10, 0.25, 10, None, 10, 0, None),
    )


def test_of_an_even_number_half_of_the_two_middle_ones_sums_to_the_median():
    found = section(*calls(30, 10, 200, 33))
    (whole,) = found.metrics
    assert (whole.value, whole.description) == (42, "half of the two middle windows of 4")
    assert [(row[1], row[2], row[6]) for row in found.tables[0].rows] == [
        ("aten::add", 32, 32),  # 31.5 of 41.5: the half that is left over is the op's
        ("outside framework ops", 10, 10),
    ]


def long_call(name: str, length: int) -> list:
    return [
        window(0, 200_000),
        op(5_000, 5_000 + length, name=name),
        launch(5_010 + length, 5_020 + length, called=1),
        kernel(150_000, 160_000, by=1),
        sync(200_000, 210_000),
    ]


def test_the_own_time_of_an_op_that_is_too_long_for_dispatch_may_be_python():
    (finding,) = section(*long_call("aten::sigmoid", 75_000)).findings
    assert (finding.tag, finding.severity, finding.fact) == (
        "host/unrecorded",
        "info",
        "94 % of the host dispatch is the own time of aten::sigmoid, 75.0 us a call: code inside "
        "it that leaves no record, such as the op's own Python where it is written in Python",
    )
    assert section(*long_call("aten::mm", 12_000)).findings == ()
    assert section(*long_call("Torch-Compiled Region: 0/0", 75_000)).findings == ()


def test_where_nothing_launches_the_whole_call_is_the_hosts_and_an_op_computes_in_it():
    found = section(window(0, 200_000), op(5_000, 195_000, name="aten::_softmax"))
    (whole,) = found.metrics
    assert (found.title, whole.name, whole.value) == (
        *("Host time of a call by op, profiler on", "host time of a call", 200_000),
    )
    assert [row[:3] for row in found.tables[0].rows] == [
        ("framework op", "aten::_softmax", 190_000),
        (*OUTSIDE, 10_000),
    ]
    assert found.findings == ()


def test_a_record_without_an_end_is_left_out():
    assert tree(
        window(0, 50),
        op(10, UNKNOWN, name="aten::bad"),
        launch(20, 25, called=1),
        kernel(30, 40, by=1),
    ) == [(*OUTSIDE, 20, 20, None, 0, None)]


def test_median_times_are_over_the_whole_of_each_window():
    timeline = Timeline.of(timeline_of(*calls(30, 10, 50)))
    assert median_times(timeline, choose(timeline)) == {
        ("framework op", "aten::add"): 30,
        ("launch", "cudaLaunchKernel"): 5,
        OUTSIDE: 365,
        ("sync", "cudaDeviceSynchronize"): 300,
    }


@st.composite
def busy_windows(draw):
    """Windows and records of any nesting or overlap, on their thread and on others."""
    events = []
    for number in range(draw(st.integers(1, 4))):
        at = 100 * (number + 1)
        events.append(window(at, at + draw(st.integers(1, 70))))
        if draw(st.booleans()):
            events.append(sync(at + 80, at + 90))
    for number in range(draw(st.integers(0, 14))):
        start = draw(st.integers(95, 480))
        end = start + draw(st.integers(-1, 60))
        thread = draw(st.sampled_from([1, 1, 1, 2, 3]))
        make = draw(st.sampled_from(["op", "launch", "sync", "annotation", "malloc"]))
        if make == "op":
            events.append(op(start, end, thread=thread, name=f"op{number % 3}"))
        elif make == "launch":
            events.append(launch(start, end, called=number, thread=thread))
            events.append(kernel(end + 5, end + 5 + draw(st.integers(0, 30)), by=number))
        elif make == "malloc":
            events.append(launch(start, end, called=50 + number, thread=thread, name="cudaMalloc"))
        elif make == "annotation":
            events.append(window(start, end, name="block", thread=thread))
        else:
            events.append(sync(start, end, thread=thread))
    return events


@given(busy_windows())
def test_in_every_window_the_self_times_sum_to_its_host_dispatch(events):
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline)
    times = dispatch_times(timeline, windows)
    assert sums(times, windows) == split(timeline, windows).host_dispatch_ns.tolist()


@given(busy_windows())
def test_the_tree_that_is_shown_sums_to_the_median_of_the_split(events):
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline)
    (table,) = host(timeline, windows).tables
    whole = median(split(timeline, windows).host_dispatch_ns)
    assert sum(row[2] for row in table.rows) == whole
    assert sum(row[4] for row in table.rows if row[7] == 0) == whole


@given(busy_windows())
def test_each_instant_of_the_dispatch_belongs_to_the_record_that_the_definition_names(events):
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline)
    assert named_times(timeline, windows) == expected_times(events, timeline, windows)


def in_ops(times: HostTimes, windows: Windows) -> list[int]:
    """Return how much of each window is in or below a framework op."""
    inside: list[bool] = []
    for node in times.nodes:
        is_op = node.layer in ("framework op", "autograd", "torch.compile")
        inside.append(is_op or (node.parent >= 0 and inside[node.parent]))
    found = np.zeros(len(windows), np.int64)
    rows = np.array(inside)[times.node]
    np.add.at(found, times.window[rows], times.self_ns[rows])
    return found.tolist()


def named_times(timeline: Timeline, windows: Windows) -> dict:
    times = dispatch_times(timeline, windows)
    found: dict[tuple[int, str], int] = {}
    columns = zip(times.window.tolist(), times.node.tolist(), times.self_ns.tolist(), strict=True)
    for number, node, self_ns in columns:
        key = number, times.nodes[node].name
        found[key] = found.get(key, 0) + self_ns
    return {key: self_ns for key, self_ns in found.items() if self_ns}


def expected_times(events, timeline: Timeline, windows: Windows) -> dict:
    """Name the record of each nanosecond, one at a time."""
    line = Line.of(windows.starts, windows.ends)
    dispatch = line.lift(placed_parts(Sight(timeline, windows, line))[4])
    _, threads = Sight(timeline, windows, line).threads()
    of_window = Sight(timeline, windows, line).threads()[0]
    names = {
        code: int(timeline.trace.threads[number])
        for codes, numbers in (
            (timeline.threads.of_call, timeline.trace.calls.thread),
            (timeline.threads.of_op, timeline.trace.ops.thread),
            (timeline.threads.of_annotation, timeline.trace.annotations.thread),
        )
        for code, number in zip(codes.tolist(), numbers.tolist(), strict=True)
    }
    found: dict[tuple[int, str], int] = {}
    slices = zip(
        dispatch.slots.tolist(), dispatch.starts.tolist(), dispatch.ends.tolist(), strict=True
    )
    for number, start, end in slices:
        own = [names[code] for code in threads[of_window == number].tolist()]
        for instant in range(start, end):
            name = next(
                filter(None, (named(events, thread, instant) for thread in own)), OUTSIDE[1]
            )
            found[number, name] = found.get((number, name), 0) + 1
    return found


def named(events, thread: int, instant: int) -> str | None:
    """Return the record open on a thread that was the last to begin; of equals the shortest."""
    starts = [e.start for e in events if e.sort == "annotation" and e.name == "tracelens::call"]
    open_ = [
        (e.start, -e.end, number, e.name)
        for number, e in enumerate(
            sorted(
                events,
                key=lambda e: ("op", "call", "annotation").index(e.sort) if e.sort != "work" else 9,
            )
        )
        if e.thread == thread
        and e.sort != "work"
        and e.start <= instant < e.end
        and not (
            e.sort == "annotation" and thread == 1 and any(e.start <= at < e.end for at in starts)
        )
    ]
    return max(open_)[3] if open_ else None


@pytest.mark.parametrize(
    "path",
    sorted(
        path
        for folder, pattern in (
            ("traces", "*.json.gz"),
            ("public_traces", "*.json.gz"),
            ("runs", "*/trace.json.gz"),
        )
        for path in (FIXTURES / folder).glob(pattern)
    ),
    ids=lambda path: path.parent.name + "/" + path.name,
)
def test_in_every_window_of_a_recording_the_self_times_sum_to_its_host_dispatch(path):
    timeline = Timeline.of(read_trace(path))
    windows = choose(timeline)
    parts = split(timeline, windows)
    times = dispatch_times(timeline, windows)
    assert sums(times, windows) == parts.host_dispatch_ns.tolist()
    (table,) = host(timeline, windows).tables
    assert sum(row[2] for row in table.rows) == median(parts.host_dispatch_ns)
    if path.parent.name == "traces":  # elsewhere annotations bear the names of autograd nodes
        assert in_ops(times, windows) == parts.host_in_ops_ns.tolist()


def traced(name: str) -> tuple[Timeline, Windows]:
    timeline = Timeline.of(read_trace(FIXTURES / f"traces/{name}.json.gz"))
    return timeline, choose(timeline)


@pytest.mark.parametrize("name", ["mm_m1", "two_stream", "gems_sigmoid_4096"])
def test_of_a_large_trace_the_typical_window_alone_is_divided_alike(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline, windows = traced(name)
    whole = host(timeline, windows)
    monkeypatch.setattr(sys.modules[host.__module__], "_MOST_RECORDS", 48)
    alone = host(timeline, windows)

    median = [column.name for column in alone.tables[0].columns].index("median_ns")
    without = [(*row[:median], None, *row[median + 1 :]) for row in whole.tables[0].rows]
    assert list(alone.tables[0].rows) == without
    assert (alone.metrics, alone.findings) == (whole.metrics, whole.findings)


def test_a_window_with_too_many_records_is_not_divided_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timeline, windows = traced("mm_m1")
    divided = host(timeline, windows)
    monkeypatch.setattr(sys.modules[host.__module__], "_MOST_RECORDS", 3)
    section = host(timeline, windows)

    assert (section.tables, section.metrics) == ((), divided.metrics)
    assert [finding.fact for finding in section.findings] == [
        "a call holds more than 3 records of the host: its host dispatch is not divided"
    ]
