"""The one line that a reader takes away."""

from tracelens.analyze.pace import Waits
from tracelens.analyze.verdict import verdict
from tracelens.model.measurement import Measurement
from tracelens.model.report import Finding


def found(
    *,
    launches: int | None = None,
    on_device: bool = True,
    threads: int | None = None,
    **medians_ns: int,
) -> tuple[Finding, ...]:
    """Give the verdict over measurements of one sample each; `full_eager` stands for its tag."""
    taken = {}
    for name, ns in medians_ns.items():
        tag = name.replace("_", "/")
        taken[tag] = Measurement(tag=tag, samples_ns=(ns,), clock="a clock", includes="all")
    return verdict(taken, launches, on_device=on_device, threads=threads).findings


def test_a_device_that_waits_for_the_host_between_calls_makes_a_host_bound_op():
    assert found(
        full_eager=18_300, amortised_eager=9_000, device_eager_busy=864, full_graph=14_000
    ) == (
        Finding(
            tag="verdict/host_bound",
            severity="info",
            fact="host-bound: the device is busy 4.7 % of the 18.3 us call; a CUDA Graph replay "
            "takes 14.0 us",
            advice="cut the host's work: look at the host table; faster kernels save at most "
            "864 ns of a call, and nothing of calls in a row",
        ),
    )


def test_a_host_bound_op_of_many_launches_is_told_how_many():
    (finding,) = found(
        launches=9, full_eager=141_000, amortised_eager=100_000, device_eager_busy=10_000
    )
    assert finding.fact == (
        "host-bound: the device is busy 7.1 % of the 141 us call; no CUDA Graph replay was measured"
    )
    assert finding.advice == ("cut host work or launches: one call makes 9 while the device waits")


def test_a_device_that_is_busy_back_to_back_makes_a_device_bound_op():
    assert found(
        full_eager=120_000, amortised_eager=95_000, device_eager_busy=92_000, full_graph=99_000
    ) == (
        Finding(
            tag="verdict/device_bound",
            severity="info",
            fact="device-bound: the device is busy 77 % of the 120 us call; a CUDA Graph replay "
            "takes 99.0 us",
            advice="back to back the device is busy 97 %: make the kernels faster",
        ),
    )


def test_nine_tenths_of_a_back_to_back_call_is_where_the_device_bounds_it():
    def tag(busy: int) -> str:
        times = {"full_eager": 20_000, "amortised_eager": 10_000}
        return found(**times, device_eager_busy=busy)[0].tag

    assert tag(9_000) == "verdict/device_bound"
    assert tag(8_999) == "verdict/host_bound"


def test_on_a_cpu_the_call_is_told_with_the_threads_that_it_may_use() -> None:
    def said(threads: int | None) -> Finding:
        times = {"full_eager": 2_480, "amortised_eager": 2_290}
        (finding,) = found(**times, on_device=False, threads=threads)
        return finding

    assert said(2) == Finding(
        tag="verdict/host_only",
        severity="info",
        fact="on the CPU with 2 threads: the call takes 2.48 us, 2.29 us back to back",
        advice="see below what it is made of",
    )
    assert said(1).fact.startswith("on the CPU with 1 thread: ")
    assert said(None).fact.startswith("on the CPU: the call takes 2.48 us, ")


def test_a_device_whose_times_are_unknown_is_not_taken_for_none():
    assert found(full_eager=18_300, full_graph=14_000) == (
        Finding(
            tag="verdict/device_unknown",
            severity="warning",
            fact="device time unknown: the call takes 18.3 us",
            advice="read the findings below: they say why no device time was read",
        ),
    )


def test_a_run_that_measured_nothing_says_so():
    assert found(cold_first=5) == (
        Finding(
            tag="verdict/none",
            severity="error",
            fact="nothing was measured: the run ended before the first timed call",
            advice="read the findings below",
        ),
    )


def test_a_device_that_waits_for_launches_more_than_for_the_host_makes_a_launch_bound_op():
    taken = {
        tag: Measurement(tag=tag, samples_ns=(ns,), clock="a clock", includes="all")
        for tag, ns in {
            "full/eager": 141_000,
            "amortised/eager": 100_000,
            "device/eager/busy": 10_000,
        }.items()
    }

    section = verdict(taken, 9, on_device=True, waits=Waits(launch_ns=67_570, host_ns=47_010))

    assert section.findings == (
        Finding(
            tag="verdict/launch_bound",
            severity="info",
            fact="launch-bound: the device is busy 7.1 % of the 141 us call; no CUDA Graph replay "
            "was measured",
            advice="launch fewer kernels or capture them in a graph: launches in flight keep the "
            "device waiting for 67.6 us of a profiled call, the host's way to them for 47.0 us",
        ),
    )
