"""Every piece of device work with its launch. All times in ns."""

from tests.timelines import UNKNOWN, copy, kernel, launch, timeline_of
from tracelens.analyze.launch_table import launch_table
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.trace import MISSING


def table(*events) -> list[tuple]:
    timeline = Timeline.of(timeline_of(*events))
    (found,) = launch_table(timeline, choose(timeline)).tables
    assert [(column.name, column.unit) for column in found.columns] == [
        *(("correlation", None), ("name", None), ("stream", None), ("device", None)),
        *(("start_ns", "ns"), ("duration_ns", "ns"), ("launch_start_ns", "ns")),
        *(("latency_ns", "ns"), ("queue_ns", "ns")),
    ]
    return list(found.rows)


def test_every_piece_of_device_work_is_a_row_in_the_order_of_the_file():
    assert table(
        launch(10, 15, called=1),
        launch(20, 24, called=2, name="cudaMemcpyAsync"),
        launch(30, 33, called=3),
        copy(60, 70, by=2, stream=0, device=1),
        kernel(40, 90, by=1),
        kernel(95, 99, by=3),
    ) == [
        (2, "Memcpy HtoD", 0, 1, 60, 10, 20, 40, 0),
        (1, "k", 7, 0, 40, 50, 10, 30, 0),
        (3, "k", 7, 0, 95, 4, 30, 65, 50),  # 40 to 90 behind the first
    ]


def test_what_a_record_lacks_is_null():
    assert table(
        kernel(UNKNOWN, UNKNOWN, by=MISSING, stream=MISSING, device=MISSING),
        launch(UNKNOWN, UNKNOWN, called=7),
        kernel(50, 55, by=7),
    ) == [
        (None, "k", None, None, None, None, None, None, None),
        (7, "k", 7, 0, 50, 5, None, None, None),
    ]


def test_figures_of_corrupt_records_are_shown_as_recorded():
    assert table(
        launch(100, 105, called=1),
        kernel(97, 103, by=1),
        launch(110, 115, called=2),
        kernel(120, 112, by=2),
        launch(130, 135, called=3),
        kernel(0, 9, by=3),
    ) == [
        (1, "k", 7, 0, 97, 6, 100, -3, None),
        (2, "k", 7, 0, 120, -8, 110, 10, 0),
        (3, "k", 7, 0, 0, 9, 130, None, None),
    ]
