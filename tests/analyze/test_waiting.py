"""Calls inside a window that wait for the device. All times in ns."""

from tests.timelines import copy, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.waiting import Wait, waiting
from tracelens.analyze.windows import choose


def waits(*events) -> tuple[Wait, ...]:
    timeline = Timeline.of(timeline_of(*events))
    return waiting(timeline, choose(timeline))


def call(at: int, *, waits_for: int) -> list:
    """Return a call that launches, waits for its kernel in `aten::item`, and is waited for."""
    return [
        window(at, at + 200),
        launch(at + 10, at + 20, called=at),
        kernel(at + 30, at + 60, by=at),
        op(at + 40, at + 150, name="aten::item"),
        op(at + 45, at + 140, name="aten::_local_scalar_dense"),
        sync(at + 50, at + 50 + waits_for),
        sync(at + 200, at + 220),
    ]


def test_a_wait_inside_the_call_has_the_ops_that_it_is_in_and_its_median():
    assert waits(
        *call(1000, waits_for=30), *call(2000, waits_for=34), *call(3000, waits_for=80)
    ) == (
        Wait(
            name="cudaDeviceSynchronize",
            inside=("aten::item", "aten::_local_scalar_dense"),
            median_ns=34,
            windows=3,
        ),
    )


def test_the_wait_that_ends_a_call_is_not_the_calls_own():
    assert waits(window(0, 50), launch(10, 20, called=1), kernel(30, 40, by=1), sync(50, 60)) == ()


def test_a_copy_call_waits_from_the_end_of_its_copy_on_and_the_longest_wait_comes_first():
    assert waits(
        window(0, 100),
        launch(10, 40, called=1, name="cudaMemcpy"),
        copy(20, 30, by=1),
        sync(60, 90),
        sync(100, 110),
    ) == (
        Wait(name="cudaDeviceSynchronize", inside=(), median_ns=30, windows=1),
        Wait(name="cudaMemcpy", inside=(), median_ns=10, windows=1),
    )
