"""Launch time spent behind another window's work. All times in ns."""

from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose


def queued(*events, **asked) -> list[tuple[int, int]]:
    """Return for each window its launch time, and how much of it is queued behind others."""
    timeline = Timeline.of(timeline_of(*events))
    found = split(timeline, choose(timeline, **asked))
    return list(zip(found.launch_ns.tolist(), found.launch_queued_ns.tolist(), strict=True))


BEHIND = (
    launch(5, 8, called=1),
    kernel(10, 60, by=1),  # nobody's: launched before the window
    window(20, 40),
    launch(25, 30, called=2),
    kernel(70, 80, by=2),
    sync(50, 90),
)


def test_a_launch_behind_work_of_nobodys_window_is_queued():
    assert queued(*BEHIND) == [(45, 35)]  # in flight 25 to 70, behind until 60


def test_a_launch_behind_work_of_another_stream_is_not_queued():
    elsewhere = kernel(70, 80, by=2, stream=8)
    assert queued(*[elsewhere if e == BEHIND[4] else e for e in BEHIND]) == [(45, 0)]


def test_a_launch_behind_its_own_windows_work_is_kernel_time_not_queued():
    assert queued(
        window(0, 40),
        launch(5, 8, called=1),
        kernel(10, 60, by=1),
        launch(25, 30, called=2),
        kernel(70, 80, by=2),
        sync(50, 90),
    ) == [(15, 0)]  # 5 to 10 and 60 to 70


def test_each_window_is_queued_behind_the_others_on_each_stream_on_its_own():
    assert queued(
        window(0, 10),
        launch(1, 2, called=1),
        launch(3, 4, called=2),
        window(20, 100),
        launch(21, 22, called=3),
        launch(23, 24, called=4),
        kernel(5, 50, by=1, stream=7),
        kernel(5, 30, by=2, stream=8),
        kernel(60, 65, by=3, stream=8),
        kernel(70, 75, by=4, stream=7),
    ) == [(4, 0), (44, 29)]  # 21 to 30 on stream 8, 23 to 50 on stream 7


def test_a_time_window_takes_all_work_for_its_own():
    steps = [
        window(e.start, e.end, name="ProfilerStep#1") if e.sort == "annotation" else e
        for e in BEHIND
    ]
    assert queued(*steps) == [(0, 0)]
    assert queued(*[e for e in BEHIND if e.sort != "annotation"]) == [(15, 0)]
