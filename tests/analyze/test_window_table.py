"""The split of each window as a table, and the median window. All times in ns."""

from tests.timelines import kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.window_table import unsplit, window_table
from tracelens.analyze.windows import choose
from tracelens.model.report import Finding, Section

COLUMNS = [
    *("name", "start_ns", "wall_ns", "kernel_ns", "memory_ns", "launch_ns", "sync_ns"),
    *("host_dispatch_ns", "return_ns", "kernel_sum_ns", "kernel_count", "launch_in_call_ns"),
    *("launch_before_first_ns", "launch_between_ns", "launch_queued_ns", "host_in_ops_ns"),
    *("host_hidden_ns", "outside_ns"),
]


def section(*events) -> Section:
    timeline = Timeline.of(timeline_of(*events))
    return window_table(timeline, choose(timeline))


def metrics(found: Section) -> dict[str, object]:
    return {metric.tag.removeprefix("split/"): metric.value for metric in found.metrics}


def call(at: int, *, runs: int) -> list:
    return [
        window(at, at + 60),
        op(at + 5, at + 30),
        launch(at + 10, at + 20, called=at),
        kernel(at + 40, at + 40 + runs, by=at),
        sync(at + 70, at + 100),
    ]


def test_each_window_is_a_row_and_each_part_has_its_own_median():
    found = section(*call(100, runs=10), *call(300, runs=20), *call(500, runs=40))
    (table,) = found.tables
    assert found.title == "Split of 3 call windows tracelens::call"
    assert [column.name for column in table.columns] == COLUMNS
    assert {column.name: column.unit for column in table.columns}["kernel_count"] == "count"
    name = "tracelens::call"
    assert list(table.rows) == [
        # wall, kernel, memory, launch, sync, dispatch, return | sum, count | in call, before,
        # between, queued | in ops, hidden, outside
        (name, 100, 100, 10, 0, 30, 30, 10, 20, 10, 1, 10, 20, 0, 0, 5, 10, 0),
        (name, 300, 100, 20, 0, 30, 30, 10, 10, 20, 1, 10, 20, 0, 0, 5, 20, 0),
        (name, 500, 100, 40, 0, 30, 20, 10, 0, 40, 1, 10, 20, 0, 0, 5, 30, 0),
    ]
    assert metrics(found) == {
        "wall/median": 100,
        "kernel/median": 20,
        "memory/median": 0,
        "launch/median": 30,
        "sync/median": 30,
        "host_dispatch/median": 10,
        "return/median": 10,
        "windows/count": 3,
        "device_busy/share": 0.2,
    }
    assert found.findings == ()


def test_without_device_records_what_needs_them_is_null_and_the_rest_stands():
    found = section(window(0, 60), launch(10, 20, called=1), sync(70, 100))
    (row,) = found.tables[0].rows
    assert dict(zip(COLUMNS, row, strict=True)) == {
        "name": "tracelens::call",
        "start_ns": 0,
        "wall_ns": 100,
        "kernel_ns": None,
        "memory_ns": None,
        "launch_ns": 10,
        "sync_ns": 30,
        "host_dispatch_ns": 60,
        "return_ns": 0,
        "kernel_sum_ns": None,
        "kernel_count": 0,
        "launch_in_call_ns": 10,
        "launch_before_first_ns": 0,
        "launch_between_ns": 0,
        "launch_queued_ns": 0,
        "host_in_ops_ns": 0,
        "host_hidden_ns": None,
        "outside_ns": None,
    }
    values = metrics(found)
    assert (values["kernel/median"], values["memory/median"]) == (None, None)
    assert (values["launch/median"], values["device_busy/share"]) == (10, None)


def test_device_work_that_runs_past_its_window_is_said():
    found = section(
        window(0, 30), launch(5, 8, called=1), kernel(20, 1_530, by=1), window(2_000, 2_050)
    )
    assert [(f.tag, f.severity, f.fact) for f in found.findings] == [
        (
            "windows/unsynchronised",
            "warning",
            "2 of 2 call windows have no sync call of their own after them, so none is extended: "
            "each ends with its annotation, and device work may run past it",
        ),
        (
            "windows/work_runs_past",
            "warning",
            "device work of 1 of 2 windows runs past their end, by 1.50 us at most: the split "
            "shows only what lies inside",
        ),
    ]


def test_windows_whose_work_is_lost_or_has_no_place_in_time_are_said_to_be_short():
    lost = [
        window(1000, 1060),
        launch(1010, 1020, called=8),
        launch(1030, 1040, called=9),
        kernel(1045, 1050, by=9),
        sync(1070, 1100),
    ]
    backwards = [
        window(2000, 2060),
        launch(2010, 2020, called=10),
        kernel(2045, 2040, by=10),
        sync(2070, 2100),
    ]
    found = section(*call(100, runs=10), *lost, *backwards)
    assert found.findings == (
        Finding(
            tag="windows/incomplete",
            severity="error",
            fact="2 of 3 windows own device work that is not in the file or has no place in time: "
            "their kernel and memory parts are too small",
            advice="look at the windows that are whole, and at the findings on records",
        ),
    )


def test_one_window_is_called_by_its_name():
    work = (launch(1, 3, called=1), kernel(4, 6, by=1))
    assert section(window(0, 9, name="ProfilerStep#7"), *work).title == "Split of ProfilerStep#7"
    assert section(op(0, 9), *work).title == "Split of whole trace"
    steps = [window(10 * n, 10 * n + 9, name=f"ProfilerStep#{n}") for n in (1, 2)]
    assert section(*steps, *work).title == "Split of 2 time windows ProfilerStep"


def test_where_nothing_launches_there_is_no_split_to_name():
    assert section(window(0, 9), op(2, 5)).title == "tracelens::call"
    assert section(op(0, 9)).title == "whole trace"
    lost = (window(0, 9), launch(1, 3, called=1))
    assert section(*lost).title == "Split of tracelens::call"


def test_a_run_without_a_profiled_pass_has_every_part_as_null_and_says_why():
    found = unsplit()
    assert metrics(found) == dict.fromkeys(
        f"{part}/median"
        for part in ("wall", "kernel", "memory", "launch", "sync", "host_dispatch", "return")
    )
    assert [f.tag for f in found.findings] == ["split/none"]
