"""Where an op turns from host-bound to device-bound, by sizes whose times are known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tracelens.analyze.sweep import sweep_sections
from tracelens.model.measurement import Failure, Noticed, Protocol, SubjectRun
from tracelens.model.report import Finding, Section
from tracelens.model.sweep import SweepPoint

HOST_NS = 10_000


def point(size: int, busy_ns: int, *, seen: bool = True, host_ns: int = HOST_NS) -> SweepPoint:
    """Return a size at which the slower of host and device sets the pace."""
    return SweepPoint(
        parameter="n",
        size=size,
        full_ns=(host_ns + busy_ns,),
        submit_ns=(host_ns,),
        amortised_ns=(max(host_ns, busy_ns),),
        in_row_ns=(host_ns,),
        busy_ns=(busy_ns,) if seen else (),
        busy_unknown=None if seen else "There is no CUPTI.",
    )


def protocol(device: str) -> Protocol:
    return Protocol(
        device=device,
        seed=0,
        grad_mode="no_grad",
        warmup_calls=1,
        warmup_ns=0,
        samples=50,
        batch=100,
        profiled_calls=0,
        head_calls=1,
        cache_state="warm",
        clock="c",
        threads=4,
    )


def swept(points: Sequence[SweepPoint], *, device: str = "cuda:0") -> tuple[Finding, Section]:
    found = SubjectRun(protocol=protocol(device), sweep=tuple(points))
    verdict, section = sweep_sections(found)
    (said,) = verdict.findings
    return said, section


def linear(*sizes: int, ns_each: float, seen: bool = True) -> list[SweepPoint]:
    return [point(size, round(size * ns_each), seen=seen) for size in sizes]


@pytest.mark.parametrize("ns_each", [0.5, 1.0, 3.0])
def test_a_device_time_that_grows_with_the_size_is_found_where_it_reaches_the_host(
    ns_each: float,
) -> None:
    truth = 0.9 * HOST_NS / ns_each

    verdict, section = swept(linear(*(2**p for p in range(8, 20)), ns_each=ns_each))

    low, high, estimate = (metric.value for metric in section.metrics)
    assert verdict.tag == "verdict/turns_device_bound"
    assert isinstance(low, int)
    assert isinstance(estimate, int)
    assert (high, low <= truth <= high) == (2 * low, True)
    assert abs(estimate / truth - 1) < 0.05  # it has two digits


def test_the_crossover_is_said_as_two_sizes_and_an_estimate_between_them() -> None:
    verdict, section = swept(linear(1_000, 10_000, 100_000, ns_each=0.5))

    assert verdict == Finding(
        tag="verdict/turns_device_bound",
        severity="info",
        fact="host-bound up to n = 10,000, device-bound from 100,000: the crossover is at about "
        "18,000",
        advice="below it cut the host's work, above it make the kernels faster",
    )
    assert section.tables[0].rows == (
        (1_000, 10_000, 10_500, 10_000, 500, "host", 0.05, 10_000, 0.0),
        (10_000, 10_000, 15_000, 10_000, 5_000, "host", 0.5, 10_000, 0.0),
        (100_000, 10_000, 60_000, 50_000, 50_000, "device", 1.0, 10_000, 0.0),
    )
    assert section.findings == ()


def test_sizes_are_reported_in_their_order_whatever_order_they_were_measured_in() -> None:
    points = linear(1_000, 10_000, 100_000, ns_each=0.5)

    assert swept(points[::-1]) == swept(points)


def test_an_op_that_never_turns_says_on_which_side_it_is() -> None:
    small, _ = swept(linear(100, 200, ns_each=1))
    large, _ = swept(linear(100_000, 200_000, ns_each=1))

    assert (small.tag, small.fact, small.advice) == (
        "verdict/host_bound",
        "host-bound at n from 100 to 200",
        "sweep to larger n: at the last the device is busy 2.0 % of a call",
    )
    assert (large.tag, large.fact, large.advice) == (
        "verdict/device_bound",
        "device-bound at n from 100,000 to 200,000",
        "sweep to smaller n to see where the host takes over",
    )


def test_without_the_devices_own_times_the_host_tells_the_two_sizes_and_no_estimate() -> None:
    verdict, section = swept(linear(1_000, 10_000, 100_000, ns_each=0.5, seen=False))

    assert verdict.fact == "host-bound up to n = 10,000, device-bound from 100,000"
    assert [row[4:7] for row in section.tables[0].rows] == [
        (None, "host", None),
        (None, "host", None),
        (None, "device", None),
    ]
    assert [(f.tag, f.fact) for f in section.findings] == [
        ("sweep/busy_unknown", "device busy time is unknown: There is no CUPTI.")
    ]


def test_on_a_cpu_there_are_not_two_to_be_told_apart() -> None:
    verdict, section = swept(linear(10, 20, ns_each=1, seen=False), device="cpu")

    assert (verdict.tag, verdict.fact) == (
        "verdict/host_only",
        "on the CPU with 4 threads: the call takes 10.0 us at n = 10, 10.0 us at n = 20",
    )
    assert [row[5] for row in section.tables[0].rows] == [None, None]
    assert section.findings == ()
    one, _ = swept(linear(10, ns_each=1, seen=False), device="cpu")
    assert one.fact == "on the CPU with 4 threads: the call takes 10.0 us at n = 10"


def test_sizes_that_failed_stand_in_the_table_and_are_passed_over() -> None:
    failed = SweepPoint(parameter="n", size=10_000, failed="out of memory")

    verdict, section = swept([*linear(1_000, 100_000, ns_each=0.5), failed])

    assert verdict.fact.startswith("host-bound up to n = 1,000, device-bound from 100,000")
    assert section.tables[0].rows[1] == (10_000, *[None] * 4, "failed", *[None] * 3)
    assert [(f.severity, f.fact) for f in section.findings] == [
        ("warning", "nothing was measured at n = 10,000: out of memory")
    ]


def test_a_sweep_of_which_nothing_was_measured_says_so() -> None:
    verdict, section = swept([SweepPoint(parameter="n", size=8, failed="out of memory")])

    assert (verdict.tag, verdict.severity, verdict.fact) == (
        "verdict/none",
        "error",
        "nothing was measured at n = 8",
    )
    assert [(f.severity, f.tag) for f in section.findings] == [("error", "sweep/failed")]


def test_an_op_that_turns_back_is_told() -> None:
    slow_again = point(400_000, 50_000, host_ns=100_000)  # another path, dearer on the host

    verdict, section = swept([*linear(1_000, 100_000, ns_each=0.5), slow_again])

    assert verdict.tag == "verdict/turns_device_bound"
    assert [f.fact for f in section.findings] == ["it is host-bound again at n = 400,000"]


def test_a_sweep_that_ended_early_reports_what_it_has() -> None:
    failure = Failure(stage="n = 64", kind="crashed", fact="It was killed.", hint="See op.log.")
    found = SubjectRun(sweep=tuple(linear(16, 32, ns_each=1)), failure=failure)

    _, section = sweep_sections(found)

    assert len(section.tables[0].rows) == 2
    assert [(f.tag, f.fact) for f in section.findings] == [
        ("run/ended_early", "the sweep ended during 'n = 64': It was killed.")
    ]


def test_sizes_that_failed_for_one_reason_are_told_together_and_each_reason_is() -> None:
    reasons = {8: "no inputs", 16: "out of memory", 32: "out of memory"}
    failed = [SweepPoint(parameter="n", size=n, failed=why) for n, why in reasons.items()]

    _, section = swept([*linear(64, ns_each=1), *failed])

    assert [f.fact for f in section.findings] == [
        "nothing was measured at n = 8: no inputs",
        "nothing was measured at n = 16, 32: out of memory",
    ]


def test_a_sweep_that_came_to_its_end_and_measured_nothing_says_why_once() -> None:
    point = SweepPoint(parameter="n", size=8, failed="out of memory")
    failure = Failure(stage="n = 8", kind="input", fact="Nothing was measured.", hint="")

    _, section = sweep_sections(SubjectRun(sweep=(point,), failure=failure))

    assert [f.fact for f in section.findings] == ["nothing was measured at n = 8: out of memory"]


def test_of_many_reasons_the_first_few_are_told_and_all_sizes() -> None:
    failed = [SweepPoint(parameter="n", size=n, failed=f"no {n} bytes") for n in range(8, 13)]

    _, section = swept(failed)

    assert [f.fact for f in section.findings] == [
        "nothing was measured at n = 8: no 8 bytes",
        "nothing was measured at n = 9: no 9 bytes",
        "nothing was measured at n = 10: no 10 bytes",
        "nothing was measured at n = 11, 12: each for a reason of its own, the first: no 11 bytes",
    ]


def test_what_was_noticed_of_the_op_file_is_told_in_a_sweep_too() -> None:
    finding = Finding(tag="op/misspelled", severity="warning", fact="is 'op' meant?", advice="")
    found = SubjectRun(
        protocol=protocol("cuda:0"),
        sweep=tuple(linear(64, 128, ns_each=1.0)),
        noticed=(Noticed(finding=finding),),
    )
    _, section = sweep_sections(found)
    assert finding in section.findings
