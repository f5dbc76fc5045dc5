"""Which fields of damaged records are believed, and what is said of them. All times in ns."""

from tests.timelines import UNKNOWN, copy, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.timeline import Timeline
from tracelens.model.report import Finding
from tracelens.model.trace import UNKNOWN_NS

MS = 1_000_000
HOUR = 3_600 * 1000 * MS
EPOCH = 1_755_000_000 * 1000 * MS


def judged(*events) -> Timeline:
    return Timeline.of(timeline_of(*events))


def latencies(timeline: Timeline) -> list[int | None]:
    return [None if ns == UNKNOWN_NS else ns for ns in timeline.sound.latency_ns.tolist()]


def facts(timeline: Timeline) -> list[tuple[str, str, str]]:
    return [(f.tag, f.severity, f.fact) for f in timeline.findings]


def test_sound_records_are_summed_and_placed_and_nothing_is_said_of_them():
    timeline = judged(launch(10, 15, called=1), kernel(20, 25, by=1), kernel(30, 35))
    assert timeline.sound.summed.tolist() == [True, True]
    assert timeline.sound.placed.tolist() == [True, True]
    assert latencies(timeline) == [10, None]
    assert timeline.findings == ()


def test_a_negative_duration_costs_the_sum_and_the_place_but_not_the_latency():
    timeline = judged(
        launch(10, 15, called=1),
        kernel(20, 12, by=1),
        launch(30, 35, called=2),
        copy(40, 37, by=2),
        launch(50, 55, called=3),
        copy(60, 58, by=3),
    )
    assert timeline.sound.summed.tolist() == [False, False, False]
    assert timeline.sound.placed.tolist() == [False, False, False]
    assert latencies(timeline) == [10, 10, 10]
    assert timeline.findings == (
        Finding(
            tag="records/negative_duration",
            severity="warning",
            fact="1 kernel with negative duration (down to -8 ns): counted, kept out of every sum",
            advice="record again; the profiler closed these records wrongly",
        ),
        Finding(
            tag="records/negative_duration",
            severity="warning",
            fact="2 copies or sets with negative duration (down to -3 ns): counted, kept out of "
            "every sum",
            advice="record again; the profiler closed these records wrongly",
        ),
    )


def test_a_start_of_zero_or_none_costs_the_place_and_the_latency_but_not_the_sum():
    timeline = judged(
        launch(10, 15, called=1),
        kernel(0, 5, by=1),
        launch(20, 25, called=2),
        kernel(UNKNOWN, UNKNOWN, by=2),
    )
    assert timeline.sound.summed.tolist() == [True, False]
    assert timeline.sound.placed.tolist() == [False, False]
    assert latencies(timeline) == [None, None]
    assert facts(timeline) == [
        (
            "records/no_duration",
            "warning",
            "1 kernel without a duration: counted, kept out of every sum",
        ),
        (
            "records/untimed",
            "warning",
            "2 kernels without a start time: counted, placed nowhere in time, latency unknown",
        ),
    ]


def test_a_small_negative_latency_is_kept_as_recorded_and_out_of_statistics():
    timeline = judged(
        launch(5_000, 5_500, called=1),
        kernel(1_800, 2_800, by=1),
        launch(6_000, 6_500, called=2),
        kernel(7_000, 8_000, by=2),
    )
    assert latencies(timeline) == [-3_200, 1_000]
    assert timeline.steady_latency.tolist() == [False, True]
    assert timeline.sound.placed.tolist() == [True, True]
    assert timeline.findings == (
        Finding(
            tag="records/before_launch",
            severity="warning",
            fact="1 kernel starts before its launch (down to -3.20 us): clock skew; shown as "
            "recorded, excluded from latency statistics",
            advice="trust durations and sums, not the latency of these records",
        ),
    )


def test_work_long_before_its_launch_is_stamped_in_another_clock_and_has_no_place_in_time():
    timeline = judged(
        launch(10 * HOUR, 10 * HOUR + 5, called=1),
        kernel(8 * HOUR, 8 * HOUR + 30, by=1),
        *[launch(10 * HOUR + 10 * n, 10 * HOUR + 10 * n + 5, called=n) for n in (2, 3)],
        *[kernel(10 * HOUR + 100 * n, 10 * HOUR + 100 * n + 40, by=n) for n in (2, 3)],
    )
    assert timeline.sound.summed.tolist() == [True, True, True]
    assert timeline.sound.placed.tolist() == [False, True, True]
    assert timeline.steady_latency.tolist() == [False, True, True]
    assert timeline.findings == (
        Finding(
            tag="records/other_clock",
            severity="error",
            fact="1 kernel stamped in another clock (off by 7200 s): counted and summed, placed "
            "nowhere in time",
            advice="record again: one profiler session per process, first calls discarded",
        ),
    )


def test_a_head_record_stamped_after_its_whole_stream_has_no_place_in_time():
    timeline = judged(
        launch(10, 15, called=1),
        kernel(90 * MS, 90 * MS + 40, by=1),
        *[launch(10 + 10 * n, 15 + 10 * n, called=n) for n in (2, 3)],
        *[kernel(100 * n, 100 * n + 40, by=n) for n in (2, 3)],
    )
    assert timeline.sound.placed.tolist() == [False, True, True]
    assert timeline.steady_latency.tolist() == [False, True, True]
    assert facts(timeline) == [
        (
            "records/other_clock",
            "error",
            "1 kernel stamped in another clock (off by 90.0 ms): counted and summed, placed "
            "nowhere in time",
        )
    ]


def test_a_record_without_a_launch_far_from_the_session_has_no_place_in_time():
    timeline = judged(
        kernel(5 * HOUR, 5 * HOUR + 30),
        launch(10 * HOUR, 10 * HOUR + 5, called=1),
        kernel(10 * HOUR + 10, 10 * HOUR + 20, by=1),
        kernel(10 * HOUR - 500, 10 * HOUR - 400),  # launched before the session: late is not far
    )
    assert timeline.sound.placed.tolist() == [False, True, True]
    assert timeline.extent == (10 * HOUR - 500, 10 * HOUR + 20)
    assert facts(timeline) == [
        (
            "records/other_clock",
            "error",
            "1 kernel stamped in another clock (off by an unknown time): counted and summed, "
            "placed nowhere in time",
        )
    ]


def test_a_record_that_never_ends_is_counted_and_kept_out_of_sums():
    timeline = judged(
        launch(10, 15, called=1),
        kernel(20, 20 + 3 * HOUR, by=1, stream=8),
        kernel(30, 30 + 100 * 24 * HOUR, stream=9),
        kernel(40, 50, stream=7),
    )
    assert timeline.sound.summed.tolist() == [False, False, True]
    assert timeline.sound.placed.tolist() == [False, False, True]
    assert latencies(timeline) == [10, None, None]
    assert facts(timeline) == [
        (
            "records/endless",
            "error",
            "2 kernels longer than a day, or running on for an hour after the last host record "
            "(up to 8640000 s): counted, kept out of every sum",
        )
    ]


def test_where_most_work_is_before_its_launch_the_clocks_are_to_blame_not_the_records():
    timeline = judged(
        *[launch(10 * MS + 10 * n, 10 * MS + 10 * n + 5, called=n) for n in (1, 2, 3)],
        *[kernel(1 * MS + 100 * n, 1 * MS + 100 * n + 40, by=n) for n in (1, 2)],
        kernel(10 * MS + 100, 10 * MS + 140, by=3),
    )
    assert timeline.sound.placed.tolist() == [True, True, True]
    assert facts(timeline) == [
        (
            "records/before_launch",
            "warning",
            "2 kernels start before their launch (down to -9.00 ms): clock skew; shown as "
            "recorded, excluded from latency statistics",
        ),
        (
            "records/clock_offset",
            "error",
            "2 pieces of device work lie far from their launches (up to 9.00 ms): the device's "
            "clock is not aligned to the host's, so every launch latency and split of this trace "
            "is off by that",
        ),
    ]


def test_a_launch_with_a_bad_end_still_gives_its_work_a_latency():
    timeline = judged(launch(10, 8, called=1), kernel(20, 25, by=1))
    assert latencies(timeline) == [10]
    assert timeline.sound.begun.tolist() == [True]
    assert timeline.sound.calls.tolist() == [False]


def test_host_records_without_a_usable_start_and_end_are_left_out_and_counted():
    timeline = judged(
        op(5, 4),
        op(6, 5),
        op(10, 20),
        sync(30, 28),
        sync(40, UNKNOWN),
        window(UNKNOWN, UNKNOWN),
    )
    assert timeline.sound.ops.tolist() == [False, False, True]
    assert timeline.sound.calls.tolist() == [False, False]
    assert timeline.sound.annotations.tolist() == [False]
    assert facts(timeline) == [
        ("records/api_call", "warning", "2 API calls without a usable start and end: left out"),
        ("records/cpu_op", "warning", "2 cpu_ops with negative duration (unfinished): left out"),
        ("records/annotation", "warning", "1 annotation without a usable start and end: left out"),
    ]


def test_a_host_record_days_from_the_others_of_its_process_is_left_out():
    timeline = judged(
        *[op(EPOCH + n, EPOCH + n + 5) for n in (0, 10, 20)],
        op(EPOCH + 48 * HOUR, EPOCH + 48 * HOUR + 5),
        op(EPOCH + 30, EPOCH + 48 * HOUR),
        op(90, 99),
        *[op(70 + n, 80 + n, process=2) for n in (0, 20)],  # a process of another time base
    )
    assert timeline.sound.ops.tolist() == [True, True, True, False, False, False, True, True]
    assert facts(timeline) == [
        ("records/cpu_op", "warning", "3 cpu_ops without a usable start and end: left out")
    ]


def test_host_time_zero_is_a_time_only_where_the_trace_counts_from_its_own_start():
    relative = judged(launch(0, 5, called=1), kernel(10, 20, by=1), op(0, 8))
    assert relative.sound.calls.tolist() == [True]
    assert relative.sound.ops.tolist() == [True]
    assert latencies(relative) == [10]
    absolute = judged(
        launch(0, 5, called=1),
        kernel(EPOCH + 10, EPOCH + 20, by=1),
        launch(EPOCH, EPOCH + 5, called=2),
        op(0, 8),
    )
    assert absolute.sound.calls.tolist() == [False, True]
    assert absolute.sound.ops.tolist() == [False]
    assert latencies(absolute) == [None]
