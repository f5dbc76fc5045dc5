"""The split of a window, on timelines that fit on a screen. All times in ns."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timelines import copy, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.split import Split, split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.trace import KERNEL, MEMCPY

PARTS = ("kernel", "memory", "launch", "sync", "host_dispatch", "return")


def split_of(*events, **asked) -> Split:
    timeline = Timeline.of(timeline_of(*events))
    return split(timeline, choose(timeline, **asked))


def parts(found: Split, at: int = 0) -> dict[str, int]:
    return {part: int(getattr(found, f"{part}_ns")[at]) for part in PARTS}


def test_one_launch_and_a_wait():
    found = split_of(
        window(100, 160),
        op(110, 150),
        launch(120, 140, called=1),
        kernel(150, 170, by=1),
        sync(165, 190),
    )
    assert found.wall_ns.tolist() == [90]
    assert parts(found) == {
        "kernel": 20,
        "memory": 0,
        "launch": 30,  # from the call's begin to the kernel's
        "sync": 20,  # 170 to 190: the wait behind the kernel counts as kernel
        "host_dispatch": 20,  # 100 to 120
        "return": 0,
    }
    assert found.launch_in_call_ns.tolist() == [20]
    assert found.launch_before_first_ns.tolist() == [10]
    assert found.host_in_ops_ns.tolist() == [10]  # 110 to 120


def test_overlapping_kernels_count_once_in_the_split_and_twice_in_the_sum():
    found = split_of(
        window(0, 10),
        launch(1, 2, called=1),
        launch(3, 4, called=2),
        kernel(10, 40, by=1, stream=1),
        kernel(20, 50, by=2, stream=2),
        sync(10, 60),
    )
    assert (found.kernel_ns.tolist(), found.kernel_sum_ns.tolist()) == ([40], [60])


def test_a_copy_shows_only_where_no_kernel_runs():
    found = split_of(
        window(0, 10),
        launch(1, 2, called=1),
        launch(3, 4, called=2, name="cudaMemcpyAsync"),
        kernel(10, 30, by=1),
        copy(20, 45, by=2, stream=8),
        sync(10, 60),
    )
    assert parts(found) == {
        "kernel": 20,
        "memory": 15,
        "launch": 9,
        "sync": 15,
        "host_dispatch": 1,
        "return": 0,
    }


def test_a_blocking_copy_waits_from_the_end_of_its_copy():
    found = split_of(
        window(0, 100),
        launch(10, 60, called=1, name="cudaMemcpy"),
        copy(20, 30, by=1),
        launch(80, 85, called=2),
        kernel(90, 95, by=2),
    )
    assert parts(found) == {
        "kernel": 5,
        "memory": 10,
        "launch": 20,  # 10 to 20 and 80 to 90
        "sync": 30,  # 30 to 60, inside the copy call
        "host_dispatch": 30,  # 0 to 10 and 60 to 80
        "return": 5,
    }


def test_gaps_between_the_nodes_of_a_graph_are_launch():
    found = split_of(
        window(0, 20),
        launch(5, 10, called=1, name="cudaGraphLaunch"),
        kernel(30, 40, by=1),
        kernel(45, 50, by=1),
        sync(20, 60),
    )
    assert found.launch_ns.tolist() == [30]  # 5 to 30 and 40 to 45
    assert found.launch_between_ns.tolist() == [5]


def test_work_belongs_to_the_window_that_launched_it_not_to_the_one_it_runs_in():
    found = split_of(
        window(0, 10),
        launch(1, 2, called=1),
        window(20, 30),
        launch(21, 22, called=2),
        kernel(22, 40, by=1),
        kernel(40, 50, by=2),
    )
    assert found.kernel_sum_ns.tolist() == [18, 10]
    assert found.kernel_ns.tolist() == [0, 0]  # both run after their window has ended
    assert found.outside_ns.tolist() == [18, 10]
    assert found.launch_queued_ns.tolist() == [0, 8]  # 22 to 30, behind the first kernel


def test_a_window_without_device_work_is_all_sync_and_host_dispatch():
    found = split_of(window(0, 30), op(2, 8), sync(40, 55))
    assert parts(found) == {
        "kernel": 0,
        "memory": 0,
        "launch": 0,
        "sync": 15,
        "host_dispatch": 40,
        "return": 0,
    }


def test_a_lost_launch_is_in_flight_only_while_its_call_runs():
    found = split_of(
        window(0, 100),
        launch(10, 20, called=1),
        kernel(30, 40, by=1),
        launch(50, 60, called=2),
        sync(100, 120),
    )
    assert found.launch_ns.tolist() == [30]  # 10 to 30, and 50 to 60 of the lost one


def test_a_time_window_cuts_device_work_but_owns_it_by_launch():
    found = split_of(
        window(0, 10, name="ProfilerStep#0"),
        launch(1, 2, called=1),
        window(10, 20, name="ProfilerStep#1"),
        launch(11, 12, called=2),
        kernel(5, 15, by=1),
        kernel(15, 25, by=2),
    )
    assert found.kernel_ns.tolist() == [5, 10]
    assert found.kernel_sum_ns.tolist() == [10, 10]


def test_a_launch_from_the_backward_thread_belongs_to_the_window():
    found = split_of(
        window(0, 50),
        op(10, 40, thread=2, name="AddBackward0"),
        launch(20, 25, called=1, thread=2),
        kernel(30, 45, by=1),
        sync(60, 70),
    )
    assert found.kernel_count.tolist() == [1]
    assert found.host_in_ops_ns.tolist() == [10]  # 10 to 20, on the thread that launches


@st.composite
def random_timelines(draw):
    """Windows, launches, kernels, copies, ops and waits of a few threads, streams and processes."""
    count = draw(st.integers(0, 12))
    events = []
    for start in sorted(draw(st.lists(st.integers(0, 200), min_size=1, max_size=4, unique=True))):
        length = draw(st.integers(1, 60))
        events.append(window(start, start + length, thread=draw(st.integers(1, 2))))
    for number in range(count):
        start = draw(st.integers(0, 250))
        events.append(
            launch(
                start,
                start + draw(st.integers(0, 9)),
                called=number,
                thread=draw(st.integers(1, 3)),
            )
        )
        make = draw(st.sampled_from([kernel, copy, None]))
        if make:
            begin = start + draw(st.integers(-5, 80))
            end = begin + draw(st.integers(-2, 60))
            events.append(make(begin, end, by=number, stream=draw(st.integers(1, 3))))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, 250))
        events.append(sync(start, start + draw(st.integers(0, 60)), thread=draw(st.integers(1, 2))))
        start = draw(st.integers(0, 250))
        events.append(op(start, start + draw(st.integers(0, 60)), thread=draw(st.integers(1, 3))))
    return events


@given(random_timelines(), st.sampled_from(["call", "time", "whole"]))
def test_the_parts_of_every_window_sum_to_its_wall_exactly(events, kind):
    asked = {"call": {"window": "tracelens::call"}, "time": {"time_window": "tracelens::call"}}
    found = split_of(
        *[e for e in events if kind != "whole" or e.sort != "annotation"], **asked.get(kind, {})
    )
    total = sum(getattr(found, f"{part}_ns") for part in PARTS)
    assert (total == found.wall_ns).all()
    shares = found.launch_in_call_ns + found.launch_before_first_ns + found.launch_between_ns
    assert (shares == found.launch_ns).all()
    for part in (*PARTS, "launch_between", "outside", "host_hidden"):
        assert (getattr(found, f"{part}_ns") >= 0).all()
    assert (found.host_in_ops_ns <= found.host_dispatch_ns).all()
    assert (found.launch_queued_ns <= found.launch_ns).all()


def split_by_the_nanosecond(events, at, end, thread) -> dict[str, int]:
    """The definition of a call window's split, word by word, one instant at a time."""
    others = {e.thread for e in events if e.sort == "annotation"} - {thread}
    calls = {
        e.correlation: e
        for e in events
        if e.sort == "call" and e.correlation >= 0 and at.start <= e.start < at.end
        if e.thread not in others
    }
    work = [e for e in events if e.sort == "work" and e.correlation in calls]
    owners = {e.correlation for e in events if e.sort == "work"}
    lost = [call for number, call in calls.items() if number not in owners]
    waits = [e for e in events if e.sort == "call" and e.correlation < 0 and e.thread == thread]
    waits = [(e.start, e.end) for e in waits]
    for piece in work:
        if piece.kind == MEMCPY and calls[piece.correlation].thread == thread:
            waits.append((piece.end, calls[piece.correlation].end))
    counts = dict.fromkeys(PARTS, 0)
    for t in range(at.start, end):
        running = [e.kind for e in work if e.start <= t < e.end]
        flying = any(calls[e.correlation].start <= t < e.start for e in work)
        flying |= any(e.start <= t < e.end for e in lost)
        if KERNEL in running:
            part = "kernel"
        elif running:
            part = "memory"
        elif flying:
            part = "launch"
        elif any(start <= t < stop for start, stop in waits):
            part = "sync"
        elif any(e.start > t for e in calls.values()) or not work:
            part = "host_dispatch"
        else:
            part = "return"
        counts[part] += 1
    return counts


@st.composite
def sane_timelines(draw):
    """Like the above, but every record is sound: work follows its launch, streams run in order."""
    events, free = [], {1: 0, 2: 0}  # time 0 means untimed
    at = 100
    for index in range(draw(st.integers(1, 3))):
        at += draw(st.integers(0, 5))
        begin, thread = at, draw(st.integers(1, 2))
        for number in range(draw(st.integers(0, 4))):
            at += draw(st.integers(0, 6))
            called = 10 * index + number
            call = launch(
                at,
                at + draw(st.integers(0, 5)),
                called=called,
                thread=draw(st.sampled_from([thread, 3])),
            )
            events.append(call)
            make = draw(st.sampled_from([kernel, copy, None]))
            if make:
                stream = draw(st.integers(1, 2))
                start = max(free[stream], at + draw(st.integers(0, 9)))
                free[stream] = start + draw(st.integers(1, 12))
                events.append(make(start, free[stream], by=called, stream=stream))
            at = call.end + draw(st.integers(0, 3))
        at += draw(st.integers(1, 5))
        events.append(window(begin, at, thread=thread))
        if draw(st.booleans()):
            events.append(sync(at, at + draw(st.integers(0, 30)), thread=thread))
            at = events[-1].end
    return events


@settings(max_examples=300, deadline=None)
@given(sane_timelines())
def test_the_split_is_what_the_definition_says_of_every_nanosecond(events):
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline)
    found = split(timeline, windows)
    opened = sorted((e for e in events if e.sort == "annotation"), key=lambda e: e.start)
    for i, at in enumerate(opened):
        expected = split_by_the_nanosecond(events, at, int(windows.ends[i]), at.thread)
        assert parts(found, i) == expected
