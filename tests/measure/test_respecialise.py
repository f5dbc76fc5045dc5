"""What an op pays for a change of its inputs, on a device whose every time is known."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure.bench import Bench
from tracelens.measure.respecialise import Varied, vary
from tracelens.measure.timing import Timed
from tracelens.measure.variations import ways
from tracelens.model.invocation import Variation
from tracelens.model.op import Case, Op, Variant

FOREVER_NS = 10**18
COMPILING_NS = 5_000_000
CALLING_NS = 10_000

Key = Callable[..., object]


def memoising(device: FakeDevice, key: Key) -> Callable[..., object]:
    """Return an op that is slow for every key that it has not seen."""
    seen: set[object] = set()

    def op(*inputs: Any) -> None:
        new = key(*inputs) not in seen
        seen.add(key(*inputs))
        device.spin(COMPILING_NS if new else CALLING_NS)

    return op


def varied(
    device: FakeDevice, call: Callable[..., object], *inputs: Any, budget_ns: int = FOREVER_NS
) -> dict[str, Variation]:
    """Vary the inputs of an op that was called before; return what came of each change."""
    op = Op(name="op", inputs=lambda: inputs, variants=(Variant(call=call),))
    bench = Bench(op, Case(), seed=0)
    call(*bench.inputs)
    own = Timed(call=partial(call, *bench.inputs), device=device, grad=bench.grad)
    found = Varied(bench=bench, calling=lambda: call, own=own, device=device)
    steps = vary(found, budget_ns=budget_ns)
    return {one.name: one for one in steps if isinstance(one, Variation)}


def paid(found: dict[str, Variation]) -> list[str]:
    """Return the changes whose first call was a slow one."""
    return [name for name, one in found.items() if one.first_ns == COMPILING_NS]


def test_an_op_that_remembers_shapes_pays_for_each_new_one_once() -> None:
    device = FakeDevice()

    found = varied(device, memoising(device, lambda x: x.shape), torch.ones(64))

    assert paid(found) == ["size", "another size", "size, odd", "size, one"]
    one = found["size"]
    assert (one.change, one.status) == ("float32[64] cpu -> float32[80] cpu", "measured")
    assert (one.second_ns, one.back_ns) == (CALLING_NS, CALLING_NS)
    steady = set(one.before_ns), set(one.changed_ns), set(one.after_ns)
    assert steady == ({CALLING_NS}, {CALLING_NS}, {CALLING_NS})


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        (lambda x, y, n: (x.stride(), y.stride()), ["strides, transposed", "strides, every other"]),
        (lambda x, y, n: x.dtype, ["dtype", "dtype promotion"]),
        (lambda x, y, n: y.dtype, ["dtype"]),
        (lambda x, y, n: x.data_ptr() % 16, ["alignment"]),
        (lambda x, y, n: (type(n), n == 1), ["argument 2, one", "argument 2, type"]),
        (lambda x, y, n: n, ["argument 2, value", "argument 2, one"]),
        (lambda x, y, n: x.requires_grad, ["gradients"]),
        (lambda x, y, n: torch.is_autocast_enabled("cpu"), ["autocast"]),
    ],
    ids=["strides", "dtype", "other dtype", "alignment", "specialised", "scalar", "grad", "cast"],
)
def test_each_thing_that_an_op_remembers_is_caught_by_its_own_change(
    key: Key, changes: list[str]
) -> None:
    device = FakeDevice()

    found = varied(device, memoising(device, key), torch.ones(24, 64), torch.ones(24, 64), 8)

    expected = [*changes, "strides, expanded"] if "strides, transposed" in changes else changes
    assert [name for name in paid(found) if not name.startswith("size")] == [
        name for name in found if name in expected
    ]


def test_an_op_that_remembers_its_tensors_pays_again_for_every_new_set() -> None:
    device = FakeDevice()

    found = varied(device, memoising(device, lambda x: x.data_ptr()), torch.ones(64))

    one = found["other tensors"]
    assert (one.first_ns, one.second_ns) == (COMPILING_NS, COMPILING_NS)
    assert set(one.changed_ns) == {COMPILING_NS}
    assert set(one.before_ns) == set(one.after_ns) == {CALLING_NS}


def test_a_stream_that_an_op_has_not_seen_is_another_one() -> None:
    device = FakeDevice()

    found = varied(device, memoising(device, lambda x: device._stream), torch.ones(64))

    assert paid(found) == ["stream"]


def test_an_op_that_is_slower_ever_after_shows_it_in_the_calls_behind() -> None:
    device = FakeDevice()
    shapes: set[object] = set()

    def generalising(x: torch.Tensor) -> None:
        shapes.add(x.shape)
        device.spin(CALLING_NS * (1 if len(shapes) == 1 else 3))

    one = varied(device, generalising, torch.ones(64))["size"]

    assert set(one.before_ns) == {CALLING_NS}
    assert set(one.after_ns) == {3 * CALLING_NS}


def test_tensors_inside_lists_and_dicts_are_changed_too() -> None:
    device = FakeDevice()
    op = memoising(device, lambda parts, named: (parts[0].shape, named["x"].dtype))

    found = varied(device, op, [torch.ones(64)], {"x": torch.ones(3)})

    assert paid(found) == ["size", "another size", "dtype", "size, odd", "size, one"]
    assert found["dtype"].change == "float32[64] cpu -> bfloat16[64] cpu, and 1 more"


def test_a_scalar_that_equals_nothing_is_not_changed_into_itself() -> None:
    device = FakeDevice()

    found = varied(device, memoising(device, lambda n: None), float("nan"))

    one = found["argument 0, value"]
    assert (one.status, one.fact) == ("not measured", "it is nan already")


def test_an_op_that_would_end_the_process_does_not_accept_the_change() -> None:
    device = FakeDevice()

    def only_float32(x: torch.Tensor) -> None:
        if x.dtype != torch.float32:
            sys.exit(4)
        device.spin(CALLING_NS)

    found = varied(device, only_float32, torch.ones(64))

    refused = found["dtype"]
    assert (refused.status, refused.fact.rpartition(": ")[2]) == ("not accepted", "4")
    assert found["autocast"].status == "measured"


def test_what_an_op_does_not_accept_is_said_and_the_next_change_is_measured() -> None:
    device = FakeDevice()

    def only_float32(x: torch.Tensor) -> None:
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        device.spin(CALLING_NS)

    found = varied(device, only_float32, torch.ones(64))

    refused = found["dtype"]
    assert (refused.status, refused.fact.rpartition(": ")[2]) == ("not accepted", "float32 only")
    assert found["alignment"].status == "measured"


def test_what_there_is_nothing_to_change_about_is_not_measured_and_says_why() -> None:
    device = FakeDevice()

    found = varied(device, device.spin, 100)

    assert found["size"] == Variation(
        name="size",
        change="",
        status="not measured",
        fact="no tensor has a first dimension above 1",
    )
    assert found["dtype promotion"].fact == "there are no two floating tensors"
    assert found["argument 0, value"].first_ns == 99


def test_no_change_is_begun_when_the_time_is_spent() -> None:
    device = FakeDevice()
    call = memoising(device, lambda x: x.shape)

    found = varied(device, call, torch.ones(64), budget_ns=2_000_000)

    begun = [name for name, one in found.items() if one.status == "measured"]
    assert begun == ["other tensors", "size"]
    assert found["another size"].fact == "0.002 s were spent before it"
    assert (
        len(found)
        == len(list(ways(Bench(Op(name="", inputs=lambda: (1,), variants=()), Case(), seed=0)))) - 3
    )


def test_a_device_that_is_lost_ends_the_changes_and_says_by_which() -> None:
    device = FakeDevice()
    broken: list[str] = []

    def breaking(x: torch.Tensor) -> None:
        if x.dtype == torch.bfloat16:
            broken.append("an illegal memory access was encountered")
            raise RuntimeError(broken[0])
        device.spin(CALLING_NS)

    synchronize = device.synchronize

    def failing() -> None:
        if broken:
            raise RuntimeError(broken[0])
        synchronize()

    device.synchronize = failing  # type: ignore[method-assign]  # as a lost device does
    found = varied(device, breaking, torch.ones(64))

    assert found["dtype"].status == "not accepted"
    assert found["stream"].status == "not measured"
    assert found["stream"].fact.startswith("the device was lost by 'dtype': RuntimeError in ")


def test_inputs_are_changed_with_room_to_spare_and_stay_what_they_were() -> None:
    x = torch.arange(24.0).reshape(4, 6)
    op = Op(name="op", inputs=lambda: (x,), variants=(Variant(call=lambda x: x),))
    bench, device = Bench(op, Case(), seed=0), FakeDevice()

    for way in ways(bench):
        if way.name in ("size", "size, one", "strides, expanded", "alignment"):
            ((changed,),) = way.change(bench, device).inputs
            assert changed.untyped_storage().nbytes() >= 2 * x.nbytes, way.name

    assert torch.equal(x, torch.arange(24.0).reshape(4, 6))


def test_graphs_of_torch_compile_are_counted_and_sizes_become_dynamic() -> None:
    device = FakeDevice()
    compiled = torch.compile(lambda x: x * 2, backend="eager")

    found = varied(device, compiled, torch.ones(64))

    assert (found["size"].graphs, found["another size"].graphs) == (1, 0)
    assert found["dtype"].graphs == 1
