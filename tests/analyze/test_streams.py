"""How busy each device and each of its streams was. All times in ns."""

from tests.timelines import copy, kernel, timeline_of
from tracelens.analyze.streams import streams
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.trace import MISSING


def tables(*events) -> dict[str, list[tuple]]:
    timeline = Timeline.of(timeline_of(*events))
    return {table.tag: list(table.rows) for table in streams(timeline, choose(timeline)).tables}


def test_a_stream_id_is_one_stream_per_device_and_devices_unite_their_streams():
    assert tables(
        kernel(20, 120, stream=7),
        kernel(110, 130, stream=9),
        copy(125, 150, stream=9),
        kernel(50, 150, stream=7, device=1),
        kernel(60, 55, stream=7, device=1),  # corrupt: counted only
    ) == {
        # process, device | kernels, sum, kernel busy, memory busy, device busy
        "devices": [("0", 0, 2, 120, 110, 25, 130), ("0", 1, 2, 100, 100, 0, 100)],
        "streams": [
            ("0", 0, 7, 1, 100, 100, 0, 100),
            ("0", 0, 9, 1, 20, 20, 25, 40),
            ("0", 1, 7, 2, 100, 100, 0, 100),
        ],
    }


def test_the_devices_of_two_processes_and_an_unknown_stream_are_apart():
    assert tables(kernel(20, 30, process=5), kernel(20, 40, process=6, stream=MISSING)) == {
        "devices": [("5", 0, 1, 10, 10, 0, 10), ("6", 0, 1, 20, 20, 0, 20)],
        "streams": [("5", 0, 7, 1, 10, 10, 0, 10), ("6", 0, None, 1, 20, 20, 0, 20)],
    }


def test_a_trace_without_device_work_has_no_rows():
    assert tables() == {"devices": [], "streams": []}
