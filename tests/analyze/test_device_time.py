"""Device time per call, from the profiled timeline. All times in ns."""

from tests.timelines import copy, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.device_time import device_time
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.measurement import Measurement


def taken(*events, way: str = "eager") -> dict[str, Measurement]:
    timeline = Timeline.of(timeline_of(*events))
    return device_time(timeline, choose(timeline, window="tracelens::call"), way)


def test_each_window_is_a_sample_of_three_times():
    found = taken(
        window(0, 20),
        launch(1, 2, called=1),
        launch(3, 4, called=2),
        launch(5, 6, called=3, name="cudaMemcpyAsync"),
        kernel(10, 40, by=1, stream=1),
        kernel(20, 50, by=2, stream=2),
        copy(45, 60, by=3, stream=3),
        sync(30, 70),
        window(100, 120),
        launch(101, 102, called=4),
        kernel(110, 117, by=4),
        sync(121, 130),
        way="graph",
    )
    assert {tag: m.samples_ns for tag, m in found.items()} == {
        "kernel/graph/busy": (40, 7),
        "kernel/graph/sum": (60, 7),
        "device/graph/busy": (50, 7),
    }
    assert {m.clock for m in found.values()} == {"device timeline (torch.profiler)"}


def test_a_window_that_lacks_some_of_its_records_gives_no_sample():
    whole = (
        window(0, 20),
        launch(1, 2, called=1),
        kernel(10, 40, by=1),
        sync(30, 70),
    )
    lost = (
        window(100, 120),
        launch(101, 102, called=2),
        launch(103, 104, called=3),
        kernel(110, 117, by=3),
        sync(121, 130),
    )
    assert taken(*whole, *lost)["kernel/eager/busy"].samples_ns == (30,)
    assert taken(*lost) == {}


def test_without_kernel_records_nothing_is_taken_rather_than_zero():
    assert taken(window(0, 20), op(1, 9)) == {}
    assert taken(window(0, 20), launch(1, 5, called=1)) == {}
