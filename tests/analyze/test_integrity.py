"""Whether device records and launches tell the same story. All times in ns."""

from tests.timelines import copy, kernel, launch, op, timeline_of
from tracelens.analyze.integrity import device_known, integrity, kernels_known, spell_linked
from tracelens.analyze.timeline import Timeline
from tracelens.model.report import Finding
from tracelens.model.trace import MISSING


def found(*events) -> tuple[Finding, ...]:
    return integrity(Timeline.of(timeline_of(*events)))


def facts(*events) -> list[tuple[str, str, str]]:
    return [(f.tag, f.severity, f.fact) for f in found(*events)]


def known(*events) -> tuple[bool, bool]:
    timeline = Timeline.of(timeline_of(*events))
    return device_known(timeline), kernels_known(timeline)


def test_where_everything_is_linked_there_is_nothing_to_find():
    linked = (launch(0, 5, called=1), kernel(10, 20, by=1))
    assert found(*linked) == ()
    timeline = Timeline.of(timeline_of(*linked))
    assert spell_linked(timeline) == "of 1 pieces of device work, unlinked 0 ns"


def test_device_work_without_a_launch_is_counted_and_timed():
    assert found(
        launch(0, 5, called=1), kernel(10, 20, by=1), kernel(30, 1530), copy(1600, 1590, by=7)
    ) == (
        Finding(
            tag="integrity/records_without_launches",
            severity="error",
            fact="linked 1 of 3 pieces of device work, unlinked 1.50 us",
            advice="totals include the unlinked work; windows that own work by its launch cannot: "
            "start the session before the work is launched",
        ),
    )


def test_launches_without_device_records_are_counted_and_named():
    lost = [launch(10 * n, 10 * n + 5, called=n) for n in range(1, 8)]
    assert found(*lost, launch(90, 95, called=9), kernel(100, 110, by=9))[0] == Finding(
        tag="integrity/launches_without_records",
        severity="error",
        fact="7 of 8 kernel launch calls have no device record (correlation 1, 2, 3, 4, 5, ...): "
        "device figures miss that work",
        advice="record again with a few warm-up calls in the session and a synchronize before it "
        "stops",
    )


def test_a_lost_launch_without_a_correlation_id_is_counted_all_the_same():
    assert facts(launch(10, 15, called=MISSING), kernel(20, 30)) == [
        (
            "integrity/launches_without_records",
            "error",
            "1 of 1 kernel launch calls have no device record: device figures miss that work",
        ),
        (
            "integrity/records_without_launches",
            "error",
            "linked 0 of 1 pieces of device work, unlinked 10 ns",
        ),
    ]


def test_launches_and_no_device_records_at_all_is_one_error():
    events = [launch(10 * n, 10 * n + 5, called=n) for n in (1, 2, 3)]
    assert facts(*events) == [
        (
            "integrity/no_device_records",
            "error",
            "3 kernel launches but no kernel records: device time unknown",
        )
    ]
    assert known(*events) == (False, False)


def test_a_trace_of_the_host_alone_is_another_thing():
    assert facts(op(0, 10)) == [
        (
            "integrity/no_device",
            "warning",
            "no device records and no kernel launches: this is a trace of the host alone, and "
            "device times are unknown, not zero",
        )
    ]
    assert known(op(0, 10)) == (False, False)


def test_kernel_times_are_known_where_kernels_are_there_or_none_was_launched():
    copied = (launch(0, 5, called=1, name="cudaMemcpyAsync"), copy(10, 20, by=1))
    assert known(*copied) == (True, True)
    assert known(*copied, launch(30, 35, called=2)) == (True, False)
    assert known(*copied, launch(30, 35, called=2), kernel(40, 50)) == (True, True)


def test_a_copy_of_zero_duration_has_no_bandwidth():
    linked = (launch(0, 5, called=1, name="cudaMemcpyAsync"), copy(10, 10, by=1))
    assert facts(*linked)[-1] == (
        "memory/zero_duration",
        "info",
        "1 copy has a duration of zero: bandwidth undefined, not infinite",
    )
    assert facts(*linked, copy(30, 30, by=1))[-1] == (
        "memory/zero_duration",
        "info",
        "2 copies have a duration of zero: bandwidth undefined, not infinite",
    )
