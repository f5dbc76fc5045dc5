"""One side of live pairs on a device with a scripted clock. Times in ns."""

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.contender import Contender
from tracelens.measure.device import Unavailable
from tracelens.measure.pairs import Plan
from tracelens.measure.timing import Timed

PLAN = Plan(rounds=1, heads=2, calls=3)


def contender(device):
    call = device.op(host_ns=10_000, kernel_ns=5_000)
    ways = {"eager": Timed(call=call, device=device, grad="no_grad")}
    return Contender(device=device, ways=ways, call_ns={"eager": 15_000})


def test_a_turn_is_the_calls_after_those_that_do_not_count():
    device = FakeDevice(wait_ns=700)
    turn = contender(device).take_turn("eager", PLAN)
    assert turn == {"full": (15_700,) * 3, "submit": (10_000,) * 3}
    assert device.log.count("call") == 5


def test_recorded_turns_are_split_by_the_device_work_of_each_call_one_after_the_other():
    device = FakeDevice(wait_ns=700, record_ns=40)
    ready = contender(device)
    ready.begin_records()
    assert [ready.take_turn("eager", PLAN)["full"] for _ in range(2)] == [(15_740,) * 3] * 2
    parts = {"before_first": 10_040, "busy": 5_000, "between": 0, "after_last": 700}
    assert ready.end_records() == [{part: (ns,) * 3 for part, ns in parts.items()}] * 2
    assert ready.take_turn("eager", PLAN)["full"] == (15_700,) * 3
    assert ready.end_records() == []


def test_without_records_there_are_no_parts_and_the_reason_is_raised():
    ready = contender(FakeDevice(records=False))
    with pytest.raises(Unavailable, match=r"There is no CUPTI\."):
        ready.begin_records()
    assert ready.end_records() == []
