"""Host against device in calls in a row: the evidence behind the verdict."""

from __future__ import annotations

import pytest

from tracelens.analyze.pace import Bound, Pace, Waits, pace_of, pace_section
from tracelens.model.measurement import Measurement


def taken(**medians_ns: int) -> dict[str, Measurement]:
    """Return measurements of one sample each; `amortised_eager` stands for its tag."""
    tags = {
        "amortised": "amortised/eager",
        "host": "submit_in_row/eager",
        "busy": "device/eager/busy",
        "backlog": "backlog/eager",
        "full": "full/eager",
        "submit": "submit/eager",
    }
    return {
        tags[name]: Measurement(tag=tags[name], samples_ns=(ns,), clock="c", includes="i")
        for name, ns in medians_ns.items()
    }


@pytest.mark.parametrize(
    ("host_ns", "device_ns", "waits", "bound"),
    [
        (9_900, 9_000, None, "device-bound"),
        (9_900, 8_999, None, "host-bound"),
        (None, 8_999, None, "host-bound"),
        (9_900, 1_000, Waits(launch_ns=4_000, host_ns=5_000), "host-bound"),
        (9_900, 1_000, Waits(launch_ns=5_001, host_ns=5_000), "launch-bound"),
        (9_900, 9_500, Waits(launch_ns=5_001, host_ns=5_000), "device-bound"),
        (9_900, None, Waits(launch_ns=5_001, host_ns=5_000), None),
    ],
)
def test_nine_tenths_busy_is_device_bound_else_it_is_what_the_device_waits_for(
    host_ns: int | None, device_ns: int | None, waits: Waits | None, bound: Bound | None
) -> None:
    pace = Pace(amortised_ns=10_000, host_ns=host_ns, device_ns=device_ns, waits=waits)

    assert pace.bound == bound


def test_where_the_host_ran_ahead_the_device_sets_the_pace_with_its_work_or_its_launches() -> None:
    def bound(host_ns: int, device_ns: int) -> Bound | None:
        return Pace(amortised_ns=13_210, host_ns=host_ns, device_ns=device_ns).bound

    assert bound(7_500, 11_340) == "device-bound"  # as measured: gaps between kernels fill the rest
    assert bound(7_500, 3_000) == "launch-bound"
    assert bound(13_000, 11_340) == "host-bound"


def test_a_run_without_the_hosts_part_of_calls_in_a_row_is_judged_by_a_call_of_its_own() -> None:
    at_a_power_cap = taken(amortised=208_440, submit=17_380, busy=182_480)

    assert pace_of(at_a_power_cap).bound == "device-bound"


def test_without_a_call_in_a_row_nothing_is_bound() -> None:
    assert Pace(amortised_ns=None, host_ns=5_000, device_ns=1_000).bound is None


def test_host_time_is_exposed_where_the_device_waits_and_hidden_where_it_is_busy() -> None:
    host_bound = Pace(amortised_ns=10_000, host_ns=9_800, device_ns=1_000)
    device_bound = Pace(amortised_ns=20_100, host_ns=9_800, device_ns=20_000)

    assert (host_bound.exposed_ns, host_bound.hidden_ns) == (9_000, 800)
    assert (device_bound.exposed_ns, device_bound.hidden_ns) == (100, 9_700)


def test_the_evidence_says_how_far_ahead_the_host_ran() -> None:
    measured = taken(
        amortised=20_100, host=5_000, busy=20_000, full=27_000, submit=5_000, backlog=1_529_500
    )

    section = pace_section(measured, pace_of(measured), varied=True)

    assert {metric.tag: metric.value for metric in section.metrics} == {
        "pace/bound": "device-bound",
        "pace/busy_share": 20_000 / 20_100,
        "pace/host": 5_000,
        "pace/device": 20_000,
        "pace/exposed_host": 100,
        "pace/hidden_host": 4_900,
        "pace/calls_ahead": 4.0,
        "pace/backlog": 75.0,  # the wait behind one call takes 22 us
    }


def test_a_host_bound_op_is_no_calls_ahead_however_short_its_kernel() -> None:
    measured = taken(amortised=76_000, host=75_800, busy=900, full=81_100, submit=75_100, backlog=8)

    values = {
        m.tag: m.value for m in pace_section(measured, pace_of(measured), varied=True).metrics
    }

    assert (values["pace/bound"], values["pace/backlog"]) == ("host-bound", 0.0)


def test_where_the_devices_part_is_unknown_there_is_no_evidence() -> None:
    measured = taken(amortised=1_000, host=900)

    assert pace_section(measured, pace_of(measured), varied=True).metrics == ()


@pytest.mark.parametrize(
    ("host_ns", "bound"), [(8_999, "device-bound"), (9_000, "host-bound"), (None, None)]
)
def test_a_host_that_is_done_well_before_the_device_has_run_ahead_of_it(
    host_ns: int | None, bound: Bound | None
) -> None:
    assert Pace(amortised_ns=10_000, host_ns=host_ns, device_ns=None).bound_by_host == bound


def test_where_the_host_sets_the_pace_inputs_that_were_not_varied_are_said_to_be_so() -> None:
    def tags(busy_ns: int, *, varied: bool) -> list[str]:
        measured = taken(amortised=10_000, host=9_900, busy=busy_ns)
        return [f.tag for f in pace_section(measured, pace_of(measured), varied=varied).findings]

    assert tags(1_000, varied=False) == ["variations/not_measured"]
    assert tags(1_000, varied=True) == []
    assert tags(9_900, varied=False) == []
