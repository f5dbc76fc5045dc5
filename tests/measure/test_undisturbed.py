from __future__ import annotations

import numpy as np
import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.device import DeviceTimes, Unavailable
from tracelens.measure.timing import Instants, Timed
from tracelens.measure.undisturbed import Undisturbed, sample_undisturbed, split_calls


def calls(*begun_and_done: tuple[int, int]) -> Instants:
    instants = Instants()
    for begun_ns, done_ns in begun_and_done:
        instants.add(begun_ns, begun_ns, done_ns)
    return instants


def work(*spans: tuple[int, int]) -> DeviceTimes:
    starts, ends = np.array(spans, np.int64).T
    return DeviceTimes(starts, ends, uncertainty_ns=30)


def test_a_call_splits_into_before_busy_between_and_after() -> None:
    found = split_calls(calls((100, 200)), work((130, 140), (160, 175)))

    assert found == Undisturbed(
        before_first=(30,),
        busy=(25,),
        between=(20,),
        after_last=(25,),
        full=(100,),
        uncertainty_ns=30,
    )


def test_kernels_that_overlap_count_once_and_the_last_to_end_ends_the_work() -> None:
    found = split_calls(calls((100, 200)), work((110, 190), (120, 130)))

    assert (found.busy, found.between, found.after_last) == ((80,), (0,), (10,))


def test_each_call_has_the_work_that_began_in_it_and_no_other() -> None:
    found = split_calls(
        calls((100, 200), (300, 400)), work((10, 20), (150, 160), (210, 290), (350, 390))
    )

    assert (found.before_first, found.busy) == ((50, 50), (10, 40))


def test_a_call_without_a_record_withholds_them_all() -> None:
    with pytest.raises(Unavailable, match="1 of 2 timed calls have no record of device work"):
        split_calls(calls((100, 200), (300, 400)), work((150, 160)))


def test_sampling_recovers_what_the_op_does_and_what_recording_it_costs() -> None:
    device = FakeDevice(wait_ns=2_000, record_ns=400)
    call = device.op(host_ns=5_000, kernel_ns=9_000)

    found = sample_undisturbed(
        Timed(call=call, device=device, grad="no_grad"),
        head_calls=3,
        samples=50,
        budget_ns=10**18,
    )

    assert found == Undisturbed(
        before_first=(5_400,) * 50,
        busy=(9_000,) * 50,
        between=(0,) * 50,
        after_last=(2_000,) * 50,
        full=(16_400,) * 50,
        uncertainty_ns=30,
        full_off=(16_000,) * 50,
    )


def test_blocks_with_and_without_records_alternate_and_so_does_which_comes_first() -> None:
    device = FakeDevice()
    switched: list[str] = []
    device.resume = lambda: switched.append("on")  # type: ignore[method-assign]  # to see it called
    device.pause = lambda: switched.append("off")  # type: ignore[method-assign]  # to see it called
    subject = Timed(call=device.op(host_ns=1, kernel_ns=1), device=device, grad="no_grad")

    sample_undisturbed(subject, head_calls=0, samples=50, budget_ns=10**18)

    assert switched == [*["on", "off", "off", "on"] * 5, "on"]


def test_slow_calls_end_with_the_budget_and_have_as_many_blocks_of_each_kind() -> None:
    device = FakeDevice()
    subject = Timed(call=device.op(host_ns=0, kernel_ns=10**9), device=device, grad="no_grad")

    found = sample_undisturbed(subject, head_calls=0, samples=50, budget_ns=10**9)

    assert (len(found.full), len(found.full_off)) == (5, 5)


def test_a_flush_before_a_call_is_none_of_its_work() -> None:
    device = FakeDevice(miss_ns=30_000)
    warm = Timed(call=device.op(host_ns=5_000, kernel_ns=9_000), device=device, grad="no_grad")
    cold = warm.flushed(device.flush("write"), state="cold")

    found = sample_undisturbed(cold, head_calls=0, samples=50, budget_ns=10**18)

    assert (set(found.before_first), set(found.busy)) == ({5_000}, {39_000})
