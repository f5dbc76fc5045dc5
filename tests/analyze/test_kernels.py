"""What ran on the device, by kernel name. All times in ns."""

from tests.timelines import copy, kernel, launch, timeline_of, window
from tracelens.analyze.kernels import kernels, kernels_of
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.trace import MISSING

NO_SHAPE = (MISSING, MISSING, MISSING)


def table(*events, of=kernels) -> list[tuple]:
    """Return the rows without family and config, which are the names' business."""
    timeline = Timeline.of(timeline_of(*events))
    (found,) = of(timeline, choose(timeline)).tables
    assert [column.name for column in found.columns] == [
        *("name", "family", "config", "count", "total_ns", "share", "median_ns", "q20_ns"),
        *("q80_ns", "grid", "block", "launch_latency_median_ns"),
    ]
    return [(row[0], *row[3:]) for row in found.rows]


def test_kernels_of_one_name_are_one_row_and_the_longest_total_comes_first():
    assert table(
        *[launch(100 * n, 100 * n + 5, called=n) for n in range(1, 6)],
        kernel(110, 120, by=1, name="small"),
        kernel(207, 217, by=2, name="small"),
        kernel(320, 350, by=3, name="big"),
        kernel(408, 421, by=4, name="small"),
        copy(510, 999, by=5),
    ) == [
        # count, total, share, median, q20, q80, grid, block, median latency
        ("small", 3, 33, 33 / 63, 10, 10, 12, [1, 1, 1], [32, 1, 1], 8),
        ("big", 1, 30, 30 / 63, 30, 30, 30, [1, 1, 1], [32, 1, 1], 20),
    ]


def test_equal_totals_stand_in_the_order_of_their_names():
    rows = table(kernel(10, 20, name="b"), kernel(30, 40, name="a"))
    assert [row[0] for row in rows] == ["a", "b"]


def test_a_grid_or_block_that_varies_or_is_not_recorded_is_null():
    rows = table(
        kernel(10, 20, name="a", grid=(2, 1, 1), block=(64, 2, 1)),
        kernel(30, 40, name="a", grid=(3, 1, 1), block=(64, 2, 1)),
        kernel(50, 55, name="b", grid=NO_SHAPE, block=NO_SHAPE),
        kernel(60, 64, name="c", grid=NO_SHAPE),
        kernel(70, 74, name="c", grid=(1, 1, 1)),
    )
    assert [(row[0], *row[7:9]) for row in rows] == [
        ("a", None, [64, 2, 1]),
        ("c", None, [32, 1, 1]),
        ("b", None, None),
    ]


def test_corrupt_durations_are_counted_and_enter_no_figure():
    assert table(
        kernel(10, 20, name="a"),
        kernel(40, 32, name="a"),
        kernel(60, 50, name="bad"),
    ) == [
        ("a", 2, 10, 1.0, 10, 10, 10, [1, 1, 1], [32, 1, 1], None),
        ("bad", 1, None, None, None, None, None, [1, 1, 1], [32, 1, 1], None),
    ]


def test_the_median_latency_takes_each_graphs_first_node_and_no_doubtful_one():
    rows = table(
        launch(100, 105, called=1, name="cudaGraphLaunch"),
        kernel(115, 120, by=1),
        kernel(130, 135, by=1),
        kernel(145, 150, by=1),
        launch(200, 205, called=2),
        kernel(225, 230, by=2),
        launch(300, 305, called=3),
        kernel(290, 295, by=3),  # before its launch: skew
        kernel(0, 5, by=4),  # untimed
        launch(400, 405, called=4),
    )
    assert rows[0][9] == 20  # of 15 and 25


def test_the_latency_of_a_record_in_another_clock_is_no_latency():
    ms = 1_000_000
    rows = table(
        launch(10, 15, called=1),
        kernel(90 * ms, 90 * ms + 5, by=1),
        launch(20, 25, called=2),
        kernel(50, 55, by=2),
        launch(60, 65, called=3),
        kernel(92, 97, by=3),
    )
    assert rows[0][9] == 31  # of 30 and 32


def test_the_kernels_of_windows_are_those_that_they_own():
    rows = table(
        launch(5, 6, called=1),
        kernel(7, 12, by=1, name="before"),
        window(20, 40),
        launch(25, 26, called=2),
        kernel(50, 60, by=2, name="own"),
        launch(27, 28, called=3, name="cudaMemcpyAsync"),
        copy(60, 70, by=3),
        of=kernels_of,
    )
    assert rows == [("own", 1, 10, 1.0, 10, 10, 10, [1, 1, 1], [32, 1, 1], 25)]


def test_a_trace_without_kernels_has_a_table_without_rows():
    assert table(copy(10, 20)) == []
