from __future__ import annotations

from pathlib import Path

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.profiled import Pass, profile_calls
from tracelens.measure.timing import Timed


def profiled(device: FakeDevice, *, replay: bool, budget_ns: int = 10**18) -> tuple[int, ...]:
    subject = Timed(call=device.op(host_ns=5_000, kernel_ns=9_000), device=device, grad="no_grad")
    replaying = device.op(host_ns=1_000, kernel_ns=9_000) if replay else None
    (instants,) = profile_calls(
        [Pass(subject=subject, replay=replaying)],
        head_calls=1,
        calls=2,
        replays=1,
        budget_ns=budget_ns,
        path=Path("trace.json.gz"),
    )
    return instants.full_ns


def test_head_calls_then_calls_then_replays_each_wait_outside_their_annotation() -> None:
    device = FakeDevice()

    profiled(device, replay=True)

    one = ["clock", "call", "clock", "close", "wait", "clock"]
    assert device.log == [
        *("wait", "profiler on"),
        *("clock", "open tracelens::head", *one),
        *("clock", "open tracelens::call", *one, "open tracelens::call", *one),
        *("clock", "open tracelens::replay", *one),
        *("profiler off", "write trace.json.gz"),
    ]


def test_without_a_graph_there_are_no_replay_windows() -> None:
    device = FakeDevice()

    profiled(device, replay=False)

    assert not [event for event in device.log if "replay" in event]


def test_the_times_are_those_of_the_calls_that_count() -> None:
    assert profiled(FakeDevice(wait_ns=2_000), replay=True) == (16_000, 16_000)


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        (None, "tracelens::call"),
        ("fast#1", "tracelens::call[fast#1]"),
        ("größe", "tracelens::call[gr&#246;&#223;e]"),
    ],
)
def test_a_window_s_name_is_ascii_which_is_all_that_a_trace_keeps(
    variant: str | None, name: str
) -> None:
    device = FakeDevice()
    subject = Timed(call=device.op(host_ns=1, kernel_ns=1), device=device, grad="no_grad")

    assert Pass(subject=subject, variant=variant).window("tracelens::call") == name


def test_variants_share_a_session_and_their_windows_bear_their_names() -> None:
    device = FakeDevice()
    subject = Timed(call=device.op(host_ns=1, kernel_ns=1), device=device, grad="no_grad")
    passes = [Pass(subject=subject, variant=name) for name in ("plain", "fast#1")]

    profile_calls(passes, head_calls=1, calls=1, replays=1, budget_ns=1, path=Path("trace.json.gz"))

    assert [event for event in device.log if event.startswith(("open", "profiler"))] == [
        "profiler on",
        "open tracelens::head",
        "open tracelens::call[plain]",
        "open tracelens::head",
        "open tracelens::call[fast#1]",
        "profiler off",
    ]
