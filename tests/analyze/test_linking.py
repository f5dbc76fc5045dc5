"""Which call launched which piece of device work. All times in ns."""

from tests.timelines import (
    UNKNOWN,
    arrives,
    copy,
    kernel,
    launch,
    leaves,
    sync,
    timeline_of,
    window,
)
from tracelens.analyze.timeline import Timeline
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING


def linked(*events) -> list[int | None]:
    """Return for each piece of device work, in order, the start of its launch call."""
    timeline = Timeline.of(timeline_of(*events))
    starts = timeline.trace.calls.start_ns.tolist()
    return [None if row == MISSING else starts[row] for row in timeline.launches.call]


def lost(*events) -> list[int]:
    """Return the starts of the launch calls whose device record is not in the file."""
    timeline = Timeline.of(timeline_of(*events))
    return timeline.trace.calls.start_ns[timeline.launches.lost].tolist()


def test_work_belongs_to_the_call_of_its_correlation_id():
    assert linked(
        launch(10, 15, called=5),
        launch(20, 25, called=8),
        kernel(30, 40, by=8),
        copy(50, 60, by=5),
    ) == [20, 10]


def test_one_graph_launch_owns_all_its_nodes_and_the_first_to_start_stands_for_it():
    timeline = Timeline.of(
        timeline_of(
            launch(10, 15, called=5, name="cudaGraphLaunch"),
            kernel(30, 40, by=5),
            kernel(20, 25, by=5),
            copy(45, 50, by=5),
        )
    )
    assert timeline.launches.call.tolist() == [0, 0, 0]
    assert timeline.launches.first_of_call.tolist() == [False, True, False]
    assert timeline.launches.owns_kernel.tolist() == [True]


def test_a_runtime_call_speaks_for_the_driver_call_of_the_same_id_inside_it():
    events = (
        launch(10, 24, called=5, external_id=1),
        launch(12, 22, called=5, name="cuLaunchKernel"),
        kernel(30, 40, by=5, external_id=1),
    )
    assert linked(*events) == [10]
    assert lost(*events) == []


def test_a_runtime_call_speaks_for_a_driver_call_with_an_id_of_its_own():
    kernel_of_the_driver_call = (
        launch(10, 24, called=5),
        launch(12, 22, called=6, name="cuLaunchKernel"),
        kernel(30, 40, by=6),
    )
    assert linked(*kernel_of_the_driver_call) == [10]
    assert lost(*kernel_of_the_driver_call) == []
    kernel_of_the_runtime_call = (
        launch(10, 24, called=5),
        launch(12, 22, called=6, name="cuLaunchKernel"),
        kernel(30, 40, by=5),
    )
    assert linked(*kernel_of_the_runtime_call) == [10]
    assert lost(*kernel_of_the_runtime_call) == []


def test_calls_that_touch_or_run_on_other_threads_are_not_inside_each_other():
    assert linked(
        launch(10, 20, called=5),
        launch(20, 30, called=6),
        launch(12, 14, called=7, thread=2),
        kernel(40, 50, by=5),
        kernel(50, 60, by=6),
        kernel(60, 70, by=7),
    ) == [10, 20, 12]


def test_two_processes_with_one_correlation_id_are_told_apart_by_external_id():
    assert linked(
        launch(10, 15, called=5, process=1, external_id=100),
        launch(11, 16, called=5, process=2, external_id=200),
        kernel(30, 40, by=5, external_id=200, device=1),
        kernel(31, 41, by=5, external_id=100),
    ) == [11, 10]


def test_the_external_id_of_a_nested_call_decides_as_well():
    assert linked(
        launch(10, 20, called=5, process=1, name="hipLaunchKernel"),
        launch(12, 18, called=5, process=1, external_id=100, name="hipModuleLaunchKernel"),
        launch(11, 16, called=5, process=2, external_id=200),
        kernel(30, 40, by=5, external_id=100),
    ) == [10]


def test_what_no_external_id_decides_stays_unknown_and_is_reported():
    events = (
        launch(10, 15, called=5, process=1, external_id=100),
        launch(11, 16, called=5, process=2, external_id=100),
        kernel(30, 40, by=5, external_id=100),
        kernel(41, 45, by=5, device=1),
        launch(20, 25, called=6, process=1),
        kernel(50, 60, by=6),
    )
    assert linked(*events) == [None, None, 20]
    assert lost(*events) == []  # their records are there: only whose is whose is not known
    found = [f for f in Timeline.of(timeline_of(*events)).findings if f.severity == "error"]
    assert found == [
        Finding(
            tag="launch/ambiguous",
            severity="error",
            fact="2 pieces of device work have a correlation id that several processes or sessions "
            "in this file use, and no External id that decides: their launch is unknown",
            advice="analyze each rank's own trace, or merge with distinct ids",
        )
    ]


def test_a_missing_external_id_and_an_arrow_decide_nothing_between_processes():
    assert linked(
        launch(10, 15, called=5, process=1),
        launch(11, 16, called=5, process=2, external_id=200),
        leaves(10, id=1),
        arrives(30, id=1),
        kernel(30, 40, by=5),
    ) == [None]


def test_an_external_id_is_never_taken_for_a_correlation_id():
    assert linked(
        launch(10, 15, called=5, external_id=8),
        launch(20, 25, called=8, external_id=5),
        kernel(30, 40, by=MISSING, external_id=5),
        kernel(40, 50, by=9, external_id=8),
    ) == [None, None]


def test_an_arrow_from_the_very_start_of_a_call_links_work_without_a_correlation_id():
    assert linked(
        launch(10, 15, called=MISSING),
        leaves(10, id=1),
        arrives(30, id=1),
        kernel(30, 40),
        launch(20, 20, called=MISSING),
        leaves(20, id=2),
        arrives(50, id=2),
        kernel(50, 60),
    ) == [10, 20]


def test_an_arrow_links_to_the_outermost_call_that_contains_its_start():
    assert linked(
        launch(10, 25, called=MISSING),
        launch(12, 20, called=MISSING, name="cuLaunchKernel"),
        leaves(22, id=1),
        arrives(30, id=1),
        kernel(30, 40),
    ) == [10]


def test_an_arrow_links_to_no_call_that_is_over_or_on_another_thread():
    assert linked(
        launch(10, 15, called=MISSING),
        leaves(15, id=1),
        arrives(30, id=1),
        kernel(30, 40),
        launch(20, 25, called=MISSING, thread=2),
        leaves(22, id=2),
        arrives(50, id=2),
        kernel(50, 60),
        leaves(5, id=3),
        arrives(70, id=3),
        kernel(70, 80),
    ) == [None, None, None]
    assert linked(
        launch(40, 49, called=MISSING),
        leaves(45, id=4, thread=2),
        arrives(90, id=4),
        kernel(90, 99),
    ) == [None]


def test_a_corrupt_call_does_not_hide_the_call_that_contains_an_arrow():
    assert linked(
        launch(10, 25, called=MISSING),
        launch(14, 13, called=MISSING, name="cuLaunchKernel"),
        leaves(20, id=1),
        arrives(30, id=1),
        kernel(30, 40),
    ) == [10]


def test_the_arrows_of_one_graph_launch_reach_all_its_nodes():
    assert linked(
        launch(10, 25, called=MISSING, name="cudaGraphLaunch"),
        leaves(10, id=1),
        arrives(30, id=1),
        arrives(40, id=1),
        kernel(30, 35),
        kernel(40, 45),
    ) == [10, 10]


def test_an_arrow_that_could_mean_two_pieces_or_two_begins_links_nothing():
    two_pieces = (
        launch(10, 15, called=MISSING),
        leaves(10, id=1),
        arrives(30, id=1),
        kernel(30, 40),
        kernel(30, 50, stream=8),
    )
    assert linked(*two_pieces) == [None, None]
    two_begins = (
        launch(10, 15, called=MISSING),
        launch(20, 25, called=MISSING),
        leaves(10, id=1),
        leaves(20, id=1),
        arrives(30, id=1),
        kernel(30, 40),
    )
    assert linked(*two_begins) == [None]


def test_the_correlation_id_goes_before_the_arrow():
    assert linked(
        launch(10, 15, called=5),
        launch(20, 25, called=6),
        leaves(20, id=1),
        arrives(30, id=1),
        kernel(30, 40, by=5),
    ) == [10]


def test_times_that_are_unknown_on_both_sides_are_not_equal():
    assert linked(
        launch(10, 15, called=MISSING),
        leaves(10, id=1),
        arrives(UNKNOWN, id=1),
        kernel(UNKNOWN, UNKNOWN),
    ) == [None]


def test_kernels_whose_launch_is_not_in_the_file_stay_without_one():
    assert linked(
        launch(10, 15, called=5003),
        kernel(20, 23, by=5000),
        kernel(24, 28, by=5000),
        kernel(30, 36),
        kernel(40, 43, by=5003),
    ) == [None, None, None, 10]


def test_a_launch_call_without_a_record_is_lost_and_a_host_function_is_no_launch():
    assert lost(
        launch(10, 15, called=1),
        kernel(20, 25, by=1),
        launch(30, 35, called=2),
        launch(40, 45, called=3, name="cudaLaunchHostFunc"),
        launch(50, 55, called=4, name="cudaMemcpyAsync"),
        launch(60, 65, called=5, name="hipModuleLaunchKernel"),
        launch(70, 75, called=6, name="cudaGraphLaunch"),
    ) == [30, 60, 70]


def test_a_lost_launch_of_two_nested_calls_is_lost_once():
    assert lost(
        launch(10, 24, called=5),
        launch(12, 22, called=6, name="cuLaunchKernel"),
    ) == [10]


def test_launches_that_a_graph_captures_are_not_lost():
    assert (
        lost(
            launch(10, 11, called=1, name="cudaStreamBeginCapture"),
            launch(20, 25, called=2),
            launch(22, 24, called=3, thread=2),  # the backward thread, into the same capture
            launch(30, 31, called=4, name="cudaStreamEndCapture"),
            launch(40, 45, called=5, name="cudaGraphLaunch"),
            kernel(50, 60, by=5),
        )
        == []
    )


def test_launches_after_a_capture_or_in_another_process_are_lost():
    assert lost(
        launch(5, 6, called=MISSING, name="cudaStreamEndCapture"),  # of a capture before the trace
        launch(10, 11, called=1, name="hipStreamBeginCapture"),
        launch(20, 25, called=2),
        launch(22, 24, called=3, process=2),
        launch(30, 31, called=4, name="hipStreamEndCapture"),
        launch(40, 45, called=5),
        launch(50, 51, called=6, name="hipStreamBeginCapture"),  # still open where the trace ends
        launch(60, 65, called=7),
        launch(70, 75, called=8, process=2),
    ) == [22, 40, 70]


def test_a_trace_without_calls_or_without_work_links_nothing():
    assert linked(kernel(10, 20, by=3)) == [None]
    assert linked(launch(10, 20, called=3)) == []
    assert linked(sync(10, 20), window(0, 5)) == []
    assert linked() == []
