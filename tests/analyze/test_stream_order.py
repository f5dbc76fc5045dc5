"""Records that contradict the order in which a stream runs its work. All times in ns."""

from tests.timelines import copy, kernel, launch, timeline_of
from tracelens.analyze.timeline import Timeline
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING

MS = 1_000_000


def unplaced(*events) -> list[int]:
    """Return the starts of the device work that has no place in time."""
    timeline = Timeline.of(timeline_of(*events))
    return timeline.trace.device_work.start_ns[~timeline.sound.placed].tolist()


def test_a_record_of_seconds_over_its_streams_later_work_is_kept_out_of_sums():
    timeline = Timeline.of(
        timeline_of(
            *[launch(10 * n, 10 * n + 5, called=n) for n in (1, 2, 3)],
            kernel(100, 2_000_000_100, by=1),
            kernel(200, 210, by=2),
            kernel(220, 230, by=3),
        )
    )
    assert timeline.sound.summed.tolist() == [False, True, True]
    assert timeline.sound.placed.tolist() == [False, True, True]
    assert timeline.sound.latency_ns.tolist() == [90, 180, 190]  # its start is still believed
    assert timeline.findings == (
        Finding(
            tag="records/enclosing",
            severity="error",
            fact="1 kernel enclosing later work of the same stream (up to 2.00 s long): counted, "
            "kept out of every sum",
            advice="record again; a stream runs its work in order, so the record is wrong",
        ),
    )


def test_a_record_over_another_streams_or_devices_or_processs_work_encloses_nothing():
    assert (
        unplaced(
            kernel(100, 900, stream=7),
            kernel(200, 210, stream=8),
            kernel(220, 230, stream=7, device=1),
            kernel(240, 250, stream=7, process=5),
        )
        == []
    )


def test_records_that_overlap_partly_or_end_together_enclose_nothing():
    assert unplaced(kernel(100, 150), kernel(140, 180), kernel(160, 180), kernel(170, 180)) == []


def test_the_nodes_of_one_graph_launch_may_run_beside_each_other_on_one_stream():
    nodes = (kernel(100, 200, by=1), kernel(110, 120, by=1), kernel(130, 140, by=1))
    assert unplaced(launch(10, 20, called=1, name="cudaGraphLaunch"), *nodes) == []
    assert unplaced(*nodes) == []  # its launch is not in the file: one id is one launch


def test_a_graphs_node_over_the_work_that_follows_the_graph_is_kept_out():
    assert unplaced(
        launch(10, 20, called=1, name="cudaGraphLaunch"),
        launch(30, 40, called=2),
        kernel(100, 500, by=1),
        kernel(110, 120, by=1),
        kernel(200, 210, by=2),
    ) == [100]


def test_records_without_a_launch_and_an_id_are_each_a_launch_of_their_own():
    assert unplaced(kernel(100, 200), kernel(110, 120)) == [100]
    assert unplaced(kernel(100, 200, by=0), kernel(110, 120, by=0)) == [100]


def test_the_long_record_is_not_to_blame_for_a_short_one_that_begins_before_its_launch():
    assert (
        unplaced(
            launch(10, 15, called=1),
            launch(180, 185, called=2),
            kernel(100, 200, by=1),
            kernel(150, 160, by=2),
        )
        == []
    )


def test_a_kernel_that_waits_behind_slow_work_is_not_overtaken():
    assert (
        unplaced(
            launch(10, 15, called=1),
            launch(20, 25, called=2),
            kernel(100, 90 * MS, by=1),
            kernel(90 * MS, 91 * MS, by=2),
        )
        == []
    )


def test_a_launch_that_was_still_running_when_another_began_can_be_overtaken():
    """Two threads launch on one stream; the first loads its module for 5 ms before it does."""
    assert (
        unplaced(
            launch(10, 5 * MS, called=1),
            launch(20, 25, called=2, thread=2),
            launch(30, 35, called=3, thread=2),
            kernel(5 * MS + 10, 5 * MS + 20, by=1),
            kernel(100, 110, by=2),
            kernel(120, 130, by=3),
        )
        == []
    )


def test_copies_graphs_and_other_streams_overtake_nobody():
    late = (launch(10, 15, called=1), kernel(90 * MS, 90 * MS + 5, by=1))
    early = launch(20, 25, called=2)
    assert unplaced(*late, early, kernel(100, 105, by=2, stream=8)) == []
    assert unplaced(*late, early, copy(100, 105, by=2)) == []
    assert unplaced(*late, early, kernel(100, 105, by=2), kernel(110, 115, by=2)) == []
    others = (launch(30, 35, called=3), kernel(200, 205, by=3))
    assert unplaced(*late, early, kernel(100, 105, by=2), *others) == [90 * MS]


def test_work_without_times_or_launches_takes_part_in_no_order():
    assert unplaced(kernel(0, 50), kernel(10, 20, by=MISSING)) == [0]
    assert unplaced() == []
