from __future__ import annotations

import gc

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure.timing import (
    Instants,
    Timed,
    batch_within,
    sample_batches,
    sample_calls,
    sample_pairs,
    timed_stretch,
    warm_up,
)

FOREVER_NS = 10**18


def subject(device: FakeDevice, *, host_ns: int = 5_000, kernel_ns: int = 20_000) -> Timed:
    return Timed(
        call=device.op(host_ns=host_ns, kernel_ns=kernel_ns), device=device, grad="no_grad"
    )


def test_a_full_call_ends_with_the_wait_and_the_submit_time_with_the_return() -> None:
    device = FakeDevice(wait_ns=2_000)

    instants = sample_calls(subject(device), samples=3, budget_ns=FOREVER_NS)

    assert instants.submit_ns == (5_000, 5_000, 5_000)
    assert instants.full_ns == (27_000, 27_000, 27_000)


def test_each_call_is_between_two_clock_reads_and_each_wait_before_the_third() -> None:
    device = FakeDevice()

    sample_calls(subject(device), samples=2, budget_ns=FOREVER_NS)

    one_call = ["clock", "call", "clock", "wait", "clock"]
    assert device.log == ["wait", "clock", *one_call, *one_call]


def test_work_queued_before_the_first_sample_is_not_in_it() -> None:
    device = FakeDevice()
    device.op(host_ns=0, kernel_ns=1_000_000)()

    instants = sample_calls(subject(device), samples=1, budget_ns=FOREVER_NS)

    assert instants.full_ns == (25_000,)


def test_a_result_lives_until_the_wait_is_over() -> None:
    device = FakeDevice()
    seen = []

    class Result:
        def __del__(self) -> None:
            seen.append(device.log[-3:])

    def call() -> Result:
        device.log.append("call")
        return Result()

    sample_calls(Timed(call=call, device=device, grad="no_grad"), samples=1, budget_ns=FOREVER_NS)

    assert seen == [["clock", "wait", "clock"]]


def test_samples_end_with_the_budget_but_never_under_five() -> None:
    device = FakeDevice()

    spent_at_once = sample_calls(subject(device), samples=100, budget_ns=1)
    spent_later = sample_calls(subject(device), samples=100, budget_ns=25_000 * 8)

    assert (len(spent_at_once), len(spent_later)) == (5, 8)


def test_amortised_time_is_the_slower_of_host_and_device_per_call() -> None:
    host_bound = subject(FakeDevice(), host_ns=5_000, kernel_ns=1_000)
    device_bound = subject(FakeDevice(), host_ns=5_000, kernel_ns=20_000)

    slow_host = sample_batches(host_bound, batches=2, batch=10, budget_ns=FOREVER_NS)
    slow_device = sample_batches(device_bound, batches=2, batch=10, budget_ns=FOREVER_NS)

    assert slow_host.amortised_ns == (5_100, 5_100)  # ten calls, and the last kernel
    assert slow_device.amortised_ns == (20_500, 20_500)  # ten kernels, and the first call


def test_how_far_the_host_runs_ahead_shows_in_the_wait_behind_a_run_of_calls() -> None:
    host_bound = subject(FakeDevice(), host_ns=5_000, kernel_ns=1_000)
    device_bound = subject(FakeDevice(), host_ns=5_000, kernel_ns=20_000)

    slow_host = sample_batches(host_bound, batches=1, batch=10, budget_ns=FOREVER_NS)
    slow_device = sample_batches(device_bound, batches=1, batch=10, budget_ns=FOREVER_NS)

    assert (slow_host.in_row_ns, slow_host.backlog_ns) == ((5_000,), (1_000,))
    assert (slow_device.in_row_ns, slow_device.backlog_ns) == ((5_000,), (155_000,))


def test_a_batch_has_one_wait() -> None:
    device = FakeDevice()

    sample_batches(subject(device), batches=1, batch=3, budget_ns=FOREVER_NS)

    after = ["clock", "wait", "clock"]
    assert device.log == ["wait", "clock", "clock", "call", "call", "call", *after]


@pytest.mark.parametrize(
    ("call_ns", "batch"),
    [(10_000, 100), (1_000_000, 100), (4_000_000, 50), (900_000_000, 2), (0, 100)],
)
def test_a_batch_of_slow_calls_is_smaller_so_that_five_fit_the_budget(
    call_ns: int, batch: int
) -> None:
    assert batch_within(1_000_000_000, call_ns=call_ns, most=100) == batch


def test_warm_up_lasts_for_the_time_where_calls_are_short() -> None:
    assert len(warm_up(subject(FakeDevice()), calls=3, duration_ns=25_000 * 40)) == 40


def test_warm_up_makes_the_calls_where_the_time_is_short() -> None:
    assert len(warm_up(subject(FakeDevice()), calls=3, duration_ns=1)) == 3


def test_no_garbage_is_collected_and_no_gradient_recorded_in_a_timed_stretch() -> None:
    seen = []

    def call() -> None:
        seen.append((gc.isenabled(), torch.is_grad_enabled()))

    device = FakeDevice()
    sample_calls(Timed(call=call, device=device, grad="no_grad"), samples=1, budget_ns=1)
    sample_calls(Timed(call=call, device=device, grad="grad"), samples=1, budget_ns=1)

    assert seen == [(False, False), (False, True)]
    assert (gc.isenabled(), torch.is_grad_enabled()) == (True, True)


def test_an_op_that_raises_leaves_collector_and_grad_mode_as_they_were() -> None:
    def call() -> None:
        raise ValueError("no good")

    raising = Timed(call=call, device=FakeDevice(), grad="no_grad")
    with pytest.raises(ValueError, match="no good"):
        sample_calls(raising, samples=1, budget_ns=1)

    assert (gc.isenabled(), torch.is_grad_enabled()) == (True, True)


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with timed_stretch(grad="no_grad"):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_no_calls_have_no_samples() -> None:
    assert (len(Instants()), Instants().full_ns, Instants().submit_ns) == (0, (), ())


def test_pairs_of_calls_meet_one_speed_of_the_host_and_take_turns_at_being_first() -> None:
    device, order = FakeDevice(), []
    slower = iter(range(100))

    def taking(name: str, host_ns: int) -> Timed:
        def call() -> None:
            order.append(name)
            device.op(host_ns=host_ns + next(slower) // 2 * 1_000_000, kernel_ns=0)()

        return Timed(call=call, device=device, grad="no_grad")

    short, long = sample_pairs(taking("short", 1_000), taking("long", 3_000), pairs=4)

    assert "".join(name[0] for name in order) == "lssllssl"
    both = zip(short.full_ns, long.full_ns, strict=True)
    assert [after - before for before, after in both] == [2_000] * 4
