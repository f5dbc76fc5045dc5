"""What a careful reader of the timeline would point at. All times in ns."""

from tests.timelines import kernel, launch, overhead, timeline_of
from tracelens.analyze.notable import notable
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING

US = 1_000
MS = 1_000_000


def found(*events) -> tuple[Finding, ...]:
    timeline = Timeline.of(timeline_of(*events))
    return notable(timeline, choose(timeline)).findings


def facts(*events) -> list[str]:
    return [finding.fact for finding in found(*events)]


def test_overhead_of_the_profiler_inside_a_launch_is_named_with_its_kind():
    assert found(
        launch(10 * US, 1_441_500, called=241),
        launch(1500 * US, 1504 * US, called=242),
        overhead(20 * US, 1420 * US),
        overhead(1600 * US, 1700 * US, name="Buffer Flush"),
        kernel(1450 * US, 1460 * US, by=241),
        kernel(1510 * US, 1520 * US, by=242),
    ) == (
        Finding(
            tag="profiler/overhead",
            severity="warning",
            fact="launch 241 overlaps 1.40 ms of profiler overhead (Activity Buffer Request); "
            "launch calls without all of it: 35.5 us of 1.44 ms",
            advice="this time is the profiler's, not the op's: look at the median call, and warm "
            "the profiler up with a few calls",
        ),
    )


def test_overhead_outside_of_launches_or_a_trifle_of_them_is_not_worth_a_line():
    launches = (launch(1000, 2000, called=1), kernel(3000, 3100, by=1))
    assert facts(*launches, overhead(2000, 9000)) == []
    assert facts(*launches, overhead(1990, 9000)) == []
    assert len(facts(*launches, overhead(1989, 9000))) == 1
    assert facts(*launches, overhead(1900, 1100)) == []


def test_a_launch_of_two_nested_calls_is_one_launch_and_without_an_id_it_has_no_number():
    assert facts(
        launch(1000, 2000, called=MISSING),
        launch(1200, 1800, called=MISSING, name="cuLaunchKernel"),
        overhead(1300, 1500),
    ) == [
        "launch overlaps 200 ns of profiler overhead (Activity Buffer Request); launch calls "
        "without all of it: 800 ns of 1.00 us"
    ]


def test_code_that_is_loaded_in_the_first_launch_is_its_cold_path():
    cold = (
        launch(1 * MS, 6 * MS, called=1),
        launch(1_200 * US, 5_900 * US, called=11, name="cuLaunchKernel"),
        overhead(2 * MS, 4 * MS, name="Runtime Triggered Module Loading"),
        overhead(5 * MS, 5_500 * US, name="Lazy Function Loading"),
        launch(7 * MS, 7 * MS + 4 * US, called=2),
    )
    assert found(*cold) == (
        Finding(
            tag="launch/module_loading",
            severity="warning",
            fact="first launch includes 2.50 ms of module/function loading",
            advice="warm the op up before the session: this is its cold path",
        ),
    )
    again = overhead(7 * MS, 7 * MS + 2 * US, name="Lazy Function Loading")
    assert facts(*cold, again) == ["2 launches include 2.50 ms of module/function loading"]
    earlier = launch(100, 200, called=3)
    assert facts(*cold, earlier) == ["1 launch includes 2.50 ms of module/function loading"]


def test_a_call_that_loads_code_inside_a_launch_counts_once_with_the_overhead_around_it():
    cold = (
        launch(1 * MS, 6 * MS, called=1),
        launch(2 * MS, 4 * MS, called=11, name="cuModuleLoadData"),
        overhead(3 * MS, 5 * MS, name="Runtime Triggered Module Loading"),
        launch(7 * MS, 8 * MS, called=12, name="hipModuleLoad"),  # before its launch
        launch(8 * MS, 8 * MS + 4 * US, called=2),
    )
    assert facts(*cold) == ["first launch includes 3.00 ms of module/function loading"]


def test_a_call_far_from_the_median_of_its_kernel_is_an_outlier():
    waits = kernel(0 + 10, 2_000_000_010, name="ncclAllReduce")
    usual = [
        kernel(3_000_000_000 + n, 3_000_014_300 + n, name="ncclAllReduce", stream=n)
        for n in range(4)
    ]
    assert found(waits, *usual) == (
        Finding(
            tag="kernels/outlier",
            severity="warning",
            fact="outlier: 1 of 5 calls of 'ncclAllReduce' is 139860x the median (2.00 s against "
            "14.3 us)",
            advice="use the median: a collective that waits for a late rank, or a cold call, says "
            "nothing of the kernel",
        ),
    )


def test_only_the_worst_outlier_is_named_and_a_long_name_is_cut():
    def calls(name: str, at: int, slow: int) -> list:
        lengths = [10, 10, 10, 10, slow, slow // 2]
        starts = [at + sum(lengths[:n]) for n in range(6)]
        return [kernel(s, s + n, name=name) for s, n in zip(starts, lengths, strict=True)]

    assert facts(*calls("k" * 1000, 10, 4_000), *calls("other", 10_000, 3_000)) == [
        f"outlier: 2 of 6 calls of '{'k' * 79}…' are up to 400x the median (4.00 us against 10 ns)"
    ]


def test_a_spread_below_a_hundredfold_or_a_kernel_that_ran_twice_is_no_outlier():
    assert facts(kernel(10, 20), kernel(30, 40), kernel(50, 1_049)) == []
    assert facts(kernel(10, 20), kernel(30, 40), kernel(50, 1_050)) != []
    assert facts(kernel(10, 11), kernel(50, 1_000_000)) == []


def test_calls_of_two_sizes_have_a_median_between_them_and_no_outlier():
    assert facts(kernel(10, 20), kernel(30, 40), kernel(50, 2_040), kernel(3_000, 5_000)) == []


def test_launches_that_queue_behind_a_busy_device_are_not_slow_launches():
    """Three steps of 100 us that each launch one kernel of 250 us."""
    steps = [
        (launch(start * US, (start + 4) * US, called=n), kernel(runs * US, (runs + 250) * US, by=n))
        for n, (start, runs) in enumerate([(8, 20), (108, 270), (208, 520)])
    ]
    assert found(*[event for step in steps for event in step]) == (
        Finding(
            tag="launch/queueing",
            severity="info",
            fact="launch latency grows from 12.0 us to 312 us: 98 % of it is queueing behind "
            "earlier kernels (GPU-bound), not launch overhead",
            advice="the host runs ahead of the device: make the kernels faster",
        ),
    )


def test_slow_launches_of_an_idle_device_are_not_queueing():
    assert (
        facts(
            *[launch(1000 * n, 1000 * n + 5, called=n) for n in (1, 2, 3)],
            *[kernel(1000 * n + 300 * n, 1000 * n + 300 * n + 10, by=n) for n in (1, 2, 3)],
        )
        == []
    )


def test_an_ordinary_or_an_empty_trace_has_nothing_to_point_at():
    assert facts(launch(10, 15, called=1), kernel(20, 30, by=1)) == []
    assert facts() == []
