"""Where the host was during a call. All times in ns."""

from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import UNKNOWN, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.host import host
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose

OUTSIDE = ("outside framework ops", "python, libraries, the op's own code")


def table(*events) -> list[tuple]:
    timeline = Timeline.of(timeline_of(*events))
    (found,) = host(timeline, choose(timeline, window="tracelens::call")).tables
    assert (found.tag, [column.name for column in found.columns]) == (
        "host",
        ["layer", "name", "self_ns", "share"],
    )
    return list(found.rows)


def test_each_instant_belongs_to_the_innermost_record_of_the_windows_thread():
    assert table(
        window(0, 80),
        op(10, 70, name="aten::linear"),
        op(20, 60, name="aten::addmm"),
        launch(30, 45, called=1),
        launch(32, 40, called=11, name="cuLaunchKernel"),
        launch(50, 54, called=2, name="cudaMalloc"),
        launch(62, 65, called=3, name="cudaEventRecord"),
        op(0, 90, name="aten::other", thread=2),
        kernel(60, 70, by=1),
        sync(80, 100),
    ) == [
        ("framework op", "aten::addmm", 21, 0.21),
        ("outside framework ops", OUTSIDE[1], 20, 0.2),  # 0 to 10 and 70 to 80
        ("sync", "cudaDeviceSynchronize", 20, 0.2),
        ("framework op", "aten::linear", 17, 0.17),
        ("launch", "cuLaunchKernel", 8, 0.08),
        ("launch", "cudaLaunchKernel", 7, 0.07),
        ("allocator", "cudaMalloc", 4, 0.04),
        ("runtime", "cudaEventRecord", 3, 0.03),
    ]


def test_a_call_is_a_launch_by_what_it_owns_or_by_its_name():
    assert table(
        window(0, 30),
        launch(5, 10, called=1, name="someEnqueue"),
        launch(15, 17, called=2, name="hipModuleLaunchKernel"),
        kernel(40, 50, by=1),
    ) == [
        (*OUTSIDE, 23, 23 / 30),
        ("launch", "someEnqueue", 5, 5 / 30),
        ("launch", "hipModuleLaunchKernel", 2, 2 / 30),
    ]


def test_the_time_of_a_row_is_its_median_over_the_windows():
    windows = [window(100 * n, 100 * n + 50) for n in (1, 2, 3)]
    ops = [op(100 * n, 100 * n + length) for n, length in ((1, 10), (2, 14), (3, 40))]
    assert table(*windows, *ops) == [
        (*OUTSIDE, 36, 36 / 50),
        ("framework op", "aten::add", 14, 14 / 50),
    ]


def test_what_most_windows_do_not_do_is_no_row():
    windows = [window(100 * n, 100 * n + 50) for n in (1, 2, 3)]
    assert table(*windows, op(110, 120)) == [(*OUTSIDE, 50, 1.0)]


def test_a_record_that_runs_past_the_window_or_has_no_end_is_cut_or_left_out():
    assert table(window(0, 50), op(40, 99), op(10, UNKNOWN, name="aten::bad")) == [
        (*OUTSIDE, 40, 0.8),
        ("framework op", "aten::add", 10, 0.2),
    ]


@st.composite
def busy_windows(draw):
    """One window and records of any nesting or overlap, on its thread and on another."""
    wall = draw(st.integers(1, 60))
    events = [window(100, 100 + wall)]
    for number in range(draw(st.integers(0, 8))):
        start = 100 + draw(st.integers(-5, 60))
        end = start + draw(st.integers(-1, 40))
        thread = draw(st.sampled_from([1, 1, 1, 2]))
        make = draw(st.sampled_from(["op", "launch", "sync"]))
        if make == "op":
            events.append(op(start, end, thread=thread, name=f"op{number % 3}"))
        elif make == "launch":
            events.append(launch(start, end, called=number, thread=thread))
        else:
            events.append(sync(start, end, thread=thread))
    return events


@given(busy_windows())
def test_the_rows_of_a_window_sum_to_its_wall(events):
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline)
    rows = host(timeline, windows).tables[0].rows
    assert sum(row[2] for row in rows) == int(windows.ends[0] - windows.starts[0])
    assert all(row[2] > 0 for row in rows)
