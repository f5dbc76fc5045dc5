from __future__ import annotations

from typing import Literal

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.cache import choose_l2, prepare_cold
from tracelens.measure.cpu import Cpu
from tracelens.measure.device import Device, Unavailable
from tracelens.measure.options import Options
from tracelens.measure.timing import Timed, sample_calls
from tracelens.model.measurement import Noticed, Record

L2 = Literal["cold", "warm", "both"]


def on(device: Device) -> Timed:
    return Timed(call=lambda: None, device=device, grad="no_grad")


def prepared(device: FakeDevice, l2: L2) -> tuple[list[Record], Timed | None]:
    stream = prepare_cold(on(device), Options(flush="read"), l2)
    records: list[Record] = []
    while True:
        try:
            records.append(next(stream))
        except StopIteration as end:
            return records, end.value


@pytest.mark.parametrize(
    ("asked", "moves_stated", "l2"),
    [
        (None, False, "warm"),
        (None, True, "both"),
        ("warm", True, "warm"),
        ("cold", False, "cold"),
        ("both", False, "both"),
    ],
)
def test_without_a_wish_an_op_that_says_what_it_moves_is_measured_both_ways(
    asked: L2 | None, moves_stated: bool, l2: L2
) -> None:
    assert choose_l2(Options(l2=asked), on(FakeDevice()), moves_stated=moves_stated) == l2


def test_a_cpu_is_measured_as_it_is() -> None:
    assert choose_l2(Options(l2="cold"), on(Cpu()), moves_stated=True) == "warm"


def test_a_warm_cache_needs_nothing() -> None:
    assert prepared(FakeDevice(), "warm") == ([], None)


def test_a_cold_subject_is_flushed_after_its_inputs_are_restored_and_before_each_sample() -> None:
    device = FakeDevice()
    _, cold = prepared(device, "both")
    assert cold is not None
    whole = Timed(
        call=device.op(host_ns=1, kernel_ns=1),
        device=device,
        grad="no_grad",
        before=lambda: device.log.append("restore"),
        flush=cold.flush,
    )

    sample_calls(whole, samples=1, budget_ns=10**18)

    assert device.log == [
        *("wait", "clock"),
        *("restore", "flush by read", "wait"),
        *("clock", "call", "clock", "wait", "clock"),
    ]
    assert cold.cache_state == "cold (twice the L2 read)"
    assert (cold.warm.flush, cold.warm.cache_state) == (None, "warm")


def test_amortised_calls_that_stay_warm_are_named_where_all_else_is_cold() -> None:
    (noticed,), cold = prepared(FakeDevice(), "cold")

    assert isinstance(noticed, Noticed)
    assert noticed.finding.tag == "cache/amortised_warm"
    assert cold is not None


def test_a_flush_that_cannot_be_had_is_a_warning_and_all_stays_warm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(device: FakeDevice, way: str) -> None:
        raise Unavailable("There is no memory left.", "Free some.")

    monkeypatch.setattr(FakeDevice, "flush", refuse)

    (noticed,), cold = prepared(FakeDevice(), "cold")

    assert isinstance(noticed, Noticed)
    assert (noticed.finding.tag, noticed.finding.severity) == ("cache/not_flushed", "warning")
    assert cold is None
