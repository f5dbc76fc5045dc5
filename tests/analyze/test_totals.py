"""Whole-trace totals. All times in ns."""

from tests.timelines import copy, fill, kernel, launch, op, sync, timeline_of
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.totals import totals
from tracelens.analyze.windows import choose


def total(*events) -> dict[str, int | None]:
    timeline = Timeline.of(timeline_of(*events))
    section = totals(timeline, choose(timeline))
    return {metric.tag.removeprefix("trace/"): metric.value for metric in section.metrics}


def device_times(found: dict[str, int | None]) -> dict[str, int | None]:
    device = ("kernel", "memory", "memcpy", "memset", "device")
    return {tag: value for tag, value in found.items() if tag.split("/")[0] in device}


def test_every_total_of_a_small_trace():
    found = total(
        op(0, 30),
        op(5, 25),
        op(20, 40, thread=2),
        launch(10, 16, called=1),
        launch(12, 15, called=11, name="cuLaunchKernel"),
        launch(22, 24, called=2),
        launch(26, 29, called=3, name="cudaMemcpyAsync"),
        launch(32, 33, called=4, name="cudaMemsetAsync"),
        sync(50, 90),
        kernel(50, 60, by=1),
        kernel(55, 70, by=2, stream=8),
        copy(65, 75, by=3, stream=9),
        copy(70, 78, stream=9),
        fill(80, 82, by=4),
    )
    assert found == {
        "events/count": 14,
        "kernel/count": 2,
        "kernel/sum": 25,
        "kernel/busy": 20,
        "kernel/span": 20,
        "memory/count": 3,
        "memory/busy": 15,
        "memcpy/busy": 13,
        "memset/busy": 2,
        "device/count": 5,
        "device/linked": 4,
        "device/busy": 30,
        "device/span": 32,
        "launch/count": 2,
        "launch/api": 8,  # 10 to 16 and 22 to 24
        "api/busy": 52,
        "sync/busy": 40,
        "host_op/busy": 40,
        "host_op/outside_api": 28,
    }


def test_launches_without_any_device_record_give_null_device_times():
    found = total(op(0, 20), launch(5, 10, called=1), sync(30, 40))
    assert device_times(found) == {
        "kernel/count": 0,
        "kernel/sum": None,
        "kernel/busy": None,
        "kernel/span": None,
        "memory/count": 0,
        "memory/busy": None,
        "memcpy/busy": None,
        "memset/busy": None,
        "device/count": 0,
        "device/linked": 0,
        "device/busy": None,
        "device/span": None,
    }
    assert (found["launch/count"], found["launch/api"], found["sync/busy"]) == (0, 5, 10)


def test_a_trace_of_the_host_alone_has_null_device_times():
    found = device_times(total(op(0, 20)))
    assert {tag for tag, value in found.items() if value is None} == {
        "kernel/sum",
        "kernel/busy",
        "kernel/span",
        "memory/busy",
        "memcpy/busy",
        "memset/busy",
        "device/busy",
        "device/span",
    }


def test_copies_alone_say_nothing_of_kernels_that_were_launched():
    found = device_times(
        total(
            launch(0, 5, called=1),
            launch(10, 15, called=2, name="cudaMemcpyAsync"),
            copy(20, 30, by=2),
        )
    )
    assert found == {
        "kernel/count": 0,
        "kernel/sum": None,
        "kernel/busy": None,
        "kernel/span": None,
        "memory/count": 1,
        "memory/busy": 10,
        "memcpy/busy": 10,
        "memset/busy": 0,
        "device/count": 1,
        "device/linked": 1,
        "device/busy": None,
        "device/span": None,
    }


def test_copies_alone_where_no_kernel_was_launched_make_a_kernel_time_of_zero():
    found = total(launch(10, 15, called=2, name="cudaMemcpyAsync"), copy(20, 30, by=2))
    assert (found["kernel/sum"], found["kernel/busy"], found["kernel/span"]) == (0, 0, None)
    assert (found["device/busy"], found["device/span"]) == (10, 10)


def test_corrupt_records_are_counted_but_kept_out_of_sums_unions_and_spans():
    found = device_times(
        total(
            kernel(100, 105),
            kernel(120, 108),  # negative
            kernel(0, 7),  # untimed: its duration is all that is known of it
            kernel(200, 2_000_000_000, stream=8),  # over its stream's later work
            kernel(300, 310, stream=8),
        )
    )
    assert (found["kernel/count"], found["kernel/sum"]) == (5, 5 + 7 + 10)
    assert (found["kernel/busy"], found["kernel/span"]) == (15, 210)


def test_where_no_record_can_be_believed_the_time_is_null_not_zero():
    found = device_times(total(kernel(120, 108), kernel(130, 129), copy(0, 5)))
    assert (found["kernel/count"], found["memory/count"]) == (2, 1)
    assert (found["kernel/sum"], found["kernel/busy"], found["kernel/span"]) == (None, None, None)
    assert (found["memory/busy"], found["memcpy/busy"], found["memset/busy"]) == (None, None, 0)
    assert (found["device/busy"], found["device/span"]) == (None, None)


def test_kernels_of_two_devices_on_one_stream_id_are_united_over_both():
    found = total(kernel(20, 120), kernel(50, 150, device=1), kernel(140, 150))
    assert (found["kernel/sum"], found["kernel/busy"]) == (210, 130)


def test_an_empty_trace_has_totals_too():
    found = total()
    assert found["events/count"] == 0
    assert found["host_op/busy"] == 0
    assert found["kernel/sum"] is None
