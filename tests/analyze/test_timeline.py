"""What every analysis looks at: waits, queues, the extent of a trace. All times in ns."""

from tests.timelines import copy, fill, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.timeline import Timeline
from tracelens.model.trace import UNKNOWN_NS


def made_of(*events) -> Timeline:
    return Timeline.of(timeline_of(*events))


def waits(*events) -> list[tuple[int, int]]:
    _, starts, ends = made_of(*events).waits
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def queues(*events) -> list[int | None]:
    return [None if ns == UNKNOWN_NS else ns for ns in made_of(*events).queue_ns.tolist()]


def test_calls_that_synchronize_and_xpus_waits_wait_from_start_to_end():
    names = ("cudaStreamSynchronize", "hipEventSynchronize", "urEventWait", "piQueueFinish")
    others = ("cudaStreamWaitEvent", "cudaEventQuery", "urEnqueueEventsWait", "cudaLaunchKernel")
    calls = [launch(10 * n, 10 * n + 5, called=n, name=name) for n, name in enumerate(names, 1)]
    others = [launch(10 * n, 10 * n + 5, called=n, name=name) for n, name in enumerate(others, 9)]
    assert waits(*calls, *others) == [(10, 15), (20, 25), (30, 35), (40, 45)]


def test_a_copy_call_waits_from_the_end_of_its_last_copy():
    assert waits(
        launch(10, 60, called=1, name="cudaMemcpy"),
        copy(20, 30, by=1),
        copy(35, 40, by=1),
    ) == [(40, 60)]


def test_an_asynchronous_copy_a_fill_and_a_graph_do_not_wait():
    assert (
        waits(
            launch(10, 20, called=1, name="cudaMemcpyAsync"),
            copy(15, 30, by=1),
            launch(40, 60, called=2, name="cudaMemsetAsync"),
            fill(45, 50, by=2),
            launch(70, 99, called=3, name="hipGraphLaunch"),
            copy(75, 80, by=3),
            kernel(82, 85, by=3),
        )
        == []
    )


def test_a_copy_stamped_before_its_call_does_not_make_the_host_wait_before_it():
    assert waits(
        launch(1000, 1060, called=1, name="cudaMemcpy"),
        copy(900, 950, by=1),
    ) == [(1000, 1060)]


def test_queue_time_is_when_the_stream_still_worked_between_launch_and_start():
    assert queues(
        launch(10, 15, called=1),
        kernel(20, 100, by=1),
        launch(30, 35, called=2),
        kernel(110, 120, by=2),  # in flight 30 to 110, of which 30 to 100 behind the first
        launch(40, 45, called=3),
        kernel(130, 140, by=3, stream=8),  # another stream: nothing before it
    ) == [0, 70, 0]


def test_queue_time_is_unknown_without_a_launch_or_before_it():
    assert queues(
        kernel(20, 100, by=9),
        launch(60, 65, called=1),
        kernel(50, 70, by=1),
    ) == [None, None]


def test_a_bad_duration_does_not_cost_the_queue_time():
    assert queues(
        launch(10, 15, called=1),
        kernel(20, 100, by=1),
        launch(30, 35, called=2),
        kernel(110, 105, by=2),
    ) == [0, 70]


def test_a_stream_is_one_of_its_device_and_process_stream_0_as_any_other():
    streams, _, busy = made_of(
        kernel(10, 20, stream=0),
        kernel(30, 40, stream=0, device=1),
        kernel(50, 60, stream=0, process=5),
        kernel(70, 80, stream=0),
    ).streams
    assert streams.tolist() == [0, 1, 2, 0]
    assert busy.length_ns == 40


def test_a_trace_extends_from_its_first_to_its_last_record_with_a_place():
    assert made_of(
        kernel(0, 900),
        kernel(40, 70),
        op(30, 35),
        op(5, 4),
        sync(50, 90),
        window(60, 80),
    ).extent == (30, 90)
    assert made_of().extent == (0, 0)
