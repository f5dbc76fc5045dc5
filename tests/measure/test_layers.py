from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure.bench import Bench
from tracelens.measure.layers import measure_layers, take_turns
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan
from tracelens.measure.timing import Timed
from tracelens.model.layered import Layered
from tracelens.model.measurement import Noticed, Record, Stage
from tracelens.model.op import Case, Layer, Op, Variant
from tracelens.model.report import Finding

OPTIONS = Options(warmup_ns=0, warmup_calls=1)
TRACE = Path("trace.json.gz")


def records(
    device: FakeDevice, call: Callable[..., Any], **layers: Callable[..., Any]
) -> list[Record]:
    """Measure an op without inputs, and its layers by name, outermost first."""
    named = tuple(Layer(name=name, call=inner) for name, inner in layers.items())
    variant = Variant(call=call, layers=named)
    op = Op(name="op", inputs=lambda: (), variants=(variant,))
    timed = Timed(call=call, device=device, grad="no_grad")
    return list(measure_layers(Bench(op, Case(), seed=0), variant, timed, OPTIONS))


def layered(device: FakeDevice, call: Callable[..., Any], **layers: Callable[..., Any]) -> Layered:
    stage, found = records(device, call, **layers)
    assert stage == Stage(name="layers")
    assert isinstance(found, Layered)
    return found


def test_each_layer_takes_what_it_is_known_to_take_in_every_round() -> None:
    device = FakeDevice(wait_ns=2_000)

    found = layered(
        device,
        device.op(host_ns=50_000, kernel_ns=5_000),
        middle=device.op(host_ns=30_000, kernel_ns=5_000),
        kernel=device.op(host_ns=10_000, kernel_ns=5_000),
    )

    times = [(one.name, set(one.full_ns), set(one.submit_ns)) for one in found.layers]
    assert times == [
        ("op", {57_000}, {50_000}),
        ("middle", {37_000}, {30_000}),
        ("kernel", {17_000}, {10_000}),
    ]
    assert [set(one.busy_ns) for one in found.layers] == [{5_000}] * 3
    assert {len(one.full_ns) for one in found.layers} == {200}


def test_a_layer_that_raises_is_left_out_with_its_reason_and_the_others_are_measured() -> None:
    device = FakeDevice()

    def refuses() -> None:
        raise ValueError("no such overload")

    found = layered(
        device,
        device.op(host_ns=9_000, kernel_ns=1_000),
        middle=refuses,
        kernel=device.op(host_ns=4_000, kernel_ns=1_000),
    )

    middle, kernel = found.layers[1:]
    assert middle.full_ns == ()
    assert re.fullmatch(
        r"it raised ValueError in test_layers.py:\d+: no such overload", middle.failed or ""
    )
    assert set(kernel.full_ns) == {5_000}


def test_a_layer_that_raises_in_its_turn_costs_the_layers_and_nothing_else() -> None:
    device = FakeDevice()
    calls: list[None] = []

    def tires() -> None:
        calls.append(None)
        if len(calls) > 5:
            raise ValueError("no more")

    call = device.op(host_ns=9_000, kernel_ns=1_000)
    _, noticed = records(device, call, kernel=tires)

    assert isinstance(noticed, Noticed)
    assert noticed.finding.tag == "layers/failed"
    assert noticed.finding.fact.endswith(": no more")


def test_a_layer_that_ends_the_process_is_left_out_as_if_it_had_raised() -> None:
    device = FakeDevice()
    call = device.op(host_ns=9_000, kernel_ns=1_000)

    found = layered(device, call, kernel=lambda: sys.exit(3))

    assert re.fullmatch(
        r"it raised SystemExit in test_layers.py:\d+: 3", found.layers[1].failed or ""
    )


def with_a_tensor(
    device: FakeDevice, seen: list[list[float]], inner: Callable[[torch.Tensor], Any]
) -> list[Record]:
    """Measure an op that notes what its input holds, beside a layer."""

    def call(x: torch.Tensor) -> object:
        seen.append(x.tolist())
        return device.op(host_ns=9_000, kernel_ns=1_000)()

    variant = Variant(call=call, layers=(Layer(name="inner", call=inner),))
    op = Op(name="op", inputs=lambda: (torch.ones(3),), variants=(variant,))
    bench = Bench(op, Case(), seed=0)
    timed = Timed(call=partial(call, *bench.inputs), device=device, grad="no_grad")
    found = list(measure_layers(bench, variant, timed, OPTIONS))
    seen.append(bench.inputs[0].tolist())
    return found


def test_inputs_that_a_layer_changes_are_restored_before_every_sample() -> None:
    seen: list[list[float]] = []

    _, noticed, found = with_a_tensor(FakeDevice(), seen, lambda x: x.add_(1))

    assert noticed == Noticed(
        finding=Finding(
            tag="layers/changes_inputs",
            severity="info",
            fact="a layer changes 1 of the inputs: they are restored before each sample of the op "
            "and of every layer, outside the timed stretch",
            advice="",
        )
    )
    assert isinstance(found, Layered)
    assert set(map(tuple, seen)) == {(1.0, 1.0, 1.0)}


def test_a_layer_that_gives_its_input_another_shape_is_left_out_and_the_op_keeps_its_own() -> None:
    seen: list[list[float]] = []

    _, found = with_a_tensor(FakeDevice(), seen, lambda x: x.resize_(2))

    assert isinstance(found, Layered)
    assert [one.failed for one in found.layers] == [
        None,
        "it makes other inputs of its own: float32[3] cpu became float32[2] cpu",
    ]
    assert set(map(tuple, seen)) == {(1.0, 1.0, 1.0)}


def test_the_order_of_the_layers_changes_from_round_to_round_and_each_is_called_in_all() -> None:
    device = FakeDevice()
    order: list[str] = []

    def subject(name: str) -> Timed:
        return Timed(call=lambda: order.append(name), device=device, grad="no_grad")

    plan = Plan(rounds=20, heads=1, calls=2)
    take_turns({name: subject(name) for name in "abc"}, plan, seed=0)

    turns = order[:: plan.heads + plan.calls]
    rounds = [tuple(turns[at : at + 3]) for at in range(0, len(turns), 3)]
    assert {tuple(sorted(one)) for one in rounds} == {("a", "b", "c")}
    assert len(set(rounds)) == 6


def test_where_the_device_cannot_be_recorded_only_its_part_is_unknown() -> None:
    device = FakeDevice(records=False)
    call = device.op(host_ns=9_000, kernel_ns=1_000)

    found = layered(device, call, kernel=call)

    assert [(set(one.full_ns), one.busy_ns) for one in found.layers] == [({10_000}, ())] * 2
