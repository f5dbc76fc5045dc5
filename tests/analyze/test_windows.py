"""Which stretches of a trace are looked at, and what they own. All times in ns."""

import pytest

from tests.timelines import kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows, choose
from tracelens.errors import UsageError


def chosen(*events, **asked) -> Windows:
    return choose(Timeline.of(timeline_of(*events)), **asked)


def stretches(windows: Windows) -> list[tuple[str, int, int]]:
    return list(zip(windows.names, windows.starts.tolist(), windows.ends.tolist(), strict=True))


def owned(windows: Windows, launched: list[int]) -> list[list[int]]:
    """Return for each window the numbers of the pieces it owns; `launched` names the pieces."""
    return [
        sorted(
            launched[p] for p, w in zip(windows.piece, windows.piece_window, strict=True) if w == i
        )
        for i in range(len(windows))
    ]


STEP = window(50, 80, name="ProfilerStep#3")
CALL = window(10, 40)
OTHER = window(0, 100, name="epoch")


def test_without_a_name_calls_go_before_steps_and_steps_before_the_whole_trace():
    assert stretches(chosen(STEP, CALL, OTHER)) == [("tracelens::call", 10, 40)]
    assert chosen(STEP, CALL, OTHER).kind == "call"
    assert stretches(chosen(STEP, OTHER)) == [("ProfilerStep#3", 50, 80)]
    assert chosen(STEP, OTHER).kind == "time"
    assert stretches(chosen(OTHER, op(5, 120), kernel(90, 130))) == [("whole trace", 0, 130)]
    assert chosen(OTHER).kind == "time"


def test_a_name_that_only_begins_like_a_step_is_none():
    assert chosen(window(5, 9, name="ProfilerStep#3 of mine")).names == ("whole trace",)
    assert chosen(window(5, 9, name="my tracelens::call")).names == ("whole trace",)


def test_a_name_stands_for_its_numbered_forms_and_for_no_longer_name():
    steps = [window(n, n + 1, name=f"ProfilerStep#{n}") for n in (9, 10)]
    assert chosen(*steps, OTHER, time_window="ProfilerStep").names == (
        "ProfilerStep#9",
        "ProfilerStep#10",
    )
    assert chosen(*steps, OTHER, time_window="ProfilerStep#9").names == ("ProfilerStep#9",)
    assert chosen(*steps, OTHER, window="epoch").names == ("epoch",)
    odd = window(3, 4, name="a.b(c)")
    assert chosen(odd, window(5, 6, name="aXb(c)"), window="a.b(c)").names == ("a.b(c)",)


def test_windows_stand_in_the_order_of_their_start_not_of_the_file():
    later, earlier = window(30, 40), window(10, 20)
    assert stretches(chosen(later, earlier)) == [
        ("tracelens::call", 10, 20),
        ("tracelens::call", 30, 40),
    ]


def test_a_name_that_is_not_there_is_an_error_that_lists_those_that_are():
    with pytest.raises(UsageError) as refused:
        chosen(*[window(n, n + 1, name=f"w{n}") for n in range(7)], window="x\x1b[31m")
    assert refused.value.fact == "no annotation on a host thread is named 'x\\x1b[31m'"
    assert refused.value.hint == "name one of: 'w0', 'w1', 'w2', 'w3', 'w4' and 2 more"


def test_where_there_are_no_annotations_the_error_says_that():
    with pytest.raises(UsageError) as refused:
        chosen(op(0, 10), time_window="step")
    assert refused.value.fact == "no annotation on a host thread is named 'step'"
    assert refused.value.hint == (
        "this trace has no annotations; leave the option out for the whole trace"
    )


def test_both_kinds_of_window_at_once_are_a_usage_error():
    with pytest.raises(UsageError) as refused:
        chosen(CALL, STEP, window="tracelens::call", time_window="ProfilerStep")
    assert refused.value.fact == (
        "both a call window and a time window were asked for; one trace is split one way"
    )
    assert refused.value.hint == "give either --window or --time-window"


def test_every_window_with_a_sync_of_its_own_ends_with_the_first():
    windows = chosen(
        window(10, 20), sync(25, 30), sync(32, 36), window(40, 50), sync(50, 55), sync(5, 8)
    )
    assert stretches(windows) == [("tracelens::call", 10, 30), ("tracelens::call", 40, 55)]
    assert windows.findings == ()


def test_a_sync_that_begins_inside_the_window_or_on_another_thread_is_not_the_one_after_it():
    windows = chosen(window(10, 20), sync(15, 30), sync(22, 60, thread=2), sync(70, 80))
    assert stretches(windows) == [("tracelens::call", 10, 80)]


def test_one_window_without_a_sync_of_its_own_leaves_all_as_they_are():
    bare = (window(10, 20), window(40, 50), sync(60, 70), window(80, 90))
    windows = chosen(*bare, kernel(5, 95))
    assert stretches(windows) == [
        ("tracelens::call", 10, 20),
        ("tracelens::call", 40, 50),
        ("tracelens::call", 80, 90),
    ]
    (finding,) = windows.findings
    assert (finding.tag, finding.severity) == ("windows/unsynchronised", "warning")
    assert finding.fact == (
        "2 of 3 call windows have no sync call of their own after them, so none is extended: each "
        "ends with its annotation, and device work may run past it"
    )
    assert chosen(*bare).findings == ()  # no device work: nothing to wait for


def test_the_next_window_of_another_name_or_thread_does_not_end_the_search_for_a_sync():
    windows = chosen(
        window(10, 20),
        window(22, 24, name="other"),
        window(23, 24, thread=2),
        sync(30, 35),
        sync(30, 40, thread=2),
    )
    assert stretches(windows) == [("tracelens::call", 10, 35), ("tracelens::call", 23, 40)]


def test_time_windows_are_never_extended():
    assert stretches(chosen(window(10, 20), sync(25, 30), time_window="tracelens::call")) == [
        ("tracelens::call", 10, 20)
    ]


def test_a_window_inside_another_of_its_name_and_thread_is_part_of_that_call():
    windows = chosen(
        window(10, 90), window(20, 30), window(40, 50), window(20, 30, thread=2), sync(95, 99)
    )
    assert stretches(windows) == [("tracelens::call", 10, 90), ("tracelens::call", 20, 30)]
    nested = windows.findings[-1]
    assert (nested.tag, nested.severity, nested.fact) == (
        "windows/nested",
        "info",
        "2 windows of this name lie inside another one on the same thread: the outer one is the "
        "call",
    )


def test_windows_that_touch_are_not_nested():
    assert stretches(chosen(window(10, 20), window(20, 30))) == [
        ("tracelens::call", 10, 20),
        ("tracelens::call", 20, 30),
    ]


def test_a_window_owns_the_work_of_launch_calls_that_begin_inside_its_annotation():
    windows = chosen(
        window(10, 20),
        launch(9, 10, called=1),
        launch(10, 11, called=2),
        launch(19, 20, called=3),
        launch(20, 22, called=4),  # at its end, before the sync that extends it
        sync(30, 40),
        *[kernel(50 + n, 51 + n, by=n) for n in (1, 2, 3, 4)],
        kernel(15, 16),
    )
    assert stretches(windows) == [("tracelens::call", 10, 40)]
    assert owned(windows, [1, 2, 3, 4, 5]) == [[2, 3]]


def test_any_thread_of_the_process_launches_for_a_window_but_no_other_process():
    windows = chosen(
        window(10, 20),
        launch(12, 13, called=1, thread=2),
        launch(14, 15, called=2, process=9),
        kernel(50, 51, by=1),
        kernel(52, 53, by=2),
    )
    assert owned(windows, [1, 2]) == [[1]]


def test_a_thread_with_windows_of_its_own_keeps_its_own():
    windows = chosen(
        window(10, 40),
        window(20, 50, thread=2),
        launch(25, 26, called=1),
        launch(27, 28, called=2, thread=2),
        launch(29, 30, called=3, thread=3),  # no windows: it may launch for both
        launch(45, 46, called=4),  # outside its own thread's window
        *[kernel(60 + n, 61 + n, by=n) for n in (1, 2, 3, 4)],
    )
    assert owned(windows, [1, 2, 3, 4]) == [[1, 3], [2, 3]]


def test_each_rank_of_a_merged_trace_has_windows_of_its_own():
    windows = chosen(
        window(10, 20, process=1),
        window(12, 22, process=2),
        launch(14, 15, called=1, process=1),
        launch(14, 15, called=2, process=2),
        kernel(30, 40, by=1),
        kernel(30, 40, by=2, device=1),
        sync(25, 50, process=1),
        sync(25, 60, process=2),
    )
    assert stretches(windows) == [("tracelens::call", 10, 50), ("tracelens::call", 12, 60)]
    assert owned(windows, [1, 2]) == [[1], [2]]


def test_a_launch_whose_end_is_bad_is_still_owned_where_it_begins():
    windows = chosen(window(10, 20), launch(12, 11, called=1), kernel(30, 40, by=1))
    assert owned(windows, [1]) == [[1]]


def test_the_whole_trace_owns_all_device_work_launched_or_not():
    windows = chosen(launch(5, 6, called=1), kernel(10, 20, by=1), kernel(30, 40))
    assert owned(windows, [1, 2]) == [[1, 2]]
    assert windows.call.tolist() == [0]


def test_a_window_without_a_usable_start_and_end_is_no_window():
    assert chosen(window(20, 10), op(0, 5)).names == ("whole trace",)
