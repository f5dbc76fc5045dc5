"""What a window sees of launches in flight. All times in ns."""

from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose


def launch_ns(*events, kind: str = "window") -> int:
    timeline = Timeline.of(timeline_of(*events))
    return int(split(timeline, choose(timeline, **{kind: "tracelens::call"})).launch_ns[0])


def around(*events) -> tuple:
    return (window(0, 90), *events, sync(90, 100))


def test_a_launch_is_in_flight_from_its_call_until_its_work_begins():
    assert launch_ns(*around(launch(10, 15, called=1), kernel(40, 50, by=1))) == 30


def test_work_with_a_bad_duration_has_a_launch_in_flight_until_its_start():
    assert launch_ns(*around(launch(10, 15, called=1), kernel(40, 35, by=1))) == 30


def test_work_without_a_place_in_time_has_a_launch_in_flight_while_its_call_runs():
    untimed = around(launch(10, 15, called=1), kernel(0, 5, by=1))
    assert launch_ns(*untimed) == 5
    assert launch_ns(*untimed, kind="time_window") == 5


def test_a_lost_launch_is_in_flight_while_its_call_runs():
    lost = around(launch(10, 15, called=1), launch(20, 25, called=2), kernel(40, 50, by=2))
    assert launch_ns(*lost) == 5 + 20


def test_work_before_its_launch_has_none_in_flight():
    assert launch_ns(*around(launch(10, 15, called=1), kernel(8, 30, by=1))) == 0


def test_a_call_window_sees_its_own_launches_and_a_time_window_all():
    strangers = (launch(-50, -45, called=1), kernel(20, 30, by=1))
    assert launch_ns(*around(*strangers)) == 0
    assert launch_ns(*around(*strangers), kind="time_window") == 20
