from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.errors import OpFileError, UsageError
from tracelens.measure.options import Options
from tracelens.measure.sweep import sweep_cases, swept
from tracelens.model.measurement import Failure, Outline, Record, Stage, Subject
from tracelens.model.op import Case, Choice, Op, Variant
from tracelens.model.sweep import Sweep, SweepPoint

OPTIONS = Options(warmup_ns=0, warmup_calls=1, head_calls=1)
HOST_NS = 10_000
NS_PER_ELEMENT = 10


def sized_op(device: FakeDevice, **parts: Any) -> Op:
    """Return an op whose kernel takes 10 ns an element, behind 10 us of the host."""

    def call(x: torch.Tensor) -> object:
        return device.op(host_ns=HOST_NS, kernel_ns=NS_PER_ELEMENT * len(x))()

    given = {
        "name": "op",
        "inputs": lambda n, fill=1.0: (torch.full((n,), fill),),
        "variants": (Variant(call=call),),
    }
    return Op(**{**given, **parts})


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    fake = FakeDevice(wait_ns=2_000)
    monkeypatch.setattr("tracelens.measure.sweep.choose_device", lambda *_, **__: fake)
    return fake


def points(records: list[Record]) -> list[SweepPoint]:
    return [record for record in records if isinstance(record, SweepPoint)]


def test_each_size_has_the_times_that_it_is_known_to_take(device: FakeDevice) -> None:
    sweep = Sweep(parameter="n", sizes=(100, 10_000))

    records = list(swept(sized_op(device), sweep, Choice(), OPTIONS))

    times = [
        (
            p.size,
            *(set(s) for s in (p.full_ns, p.submit_ns, p.amortised_ns, p.in_row_ns, p.busy_ns)),
        )
        for p in points(records)
    ]
    assert times == [
        (100, {13_000}, {10_000}, {10_030}, {10_000}, {1_000}),
        (10_000, {112_000}, {10_000}, {100_135}, {10_000}, {100_000}),  # 89 calls a run
    ]
    stages = [record.name for record in records if isinstance(record, Stage)]
    assert stages == ["environment", "n = 100", "n = 10,000"]


def test_variants_take_turns_at_each_size_and_share_its_inputs(device: FakeDevice) -> None:
    made = []

    def inputs(n: int) -> tuple[torch.Tensor]:
        made.append(n)
        return (torch.ones(n),)

    calls = {"fast": 1_000, "slow": 2_000}
    variants = tuple(
        Variant(name=name, call=lambda x, ns=ns: device.op(host_ns=ns, kernel_ns=100)())
        for name, ns in calls.items()
    )
    op = sized_op(device, inputs=inputs, variants=variants)

    records = list(swept(op, Sweep(parameter="n", sizes=(4, 8)), Choice(), OPTIONS))

    assert records[0] == Outline(
        subjects=(
            Subject(variant="fast", baseline=True),
            Subject(variant="slow", baseline=False),
        )
    )
    about, seen = None, []
    for record in records:
        about = record.variant if isinstance(record, Subject) else about
        if isinstance(record, SweepPoint):
            seen.append((record.size, about, record.submit_ns[0]))
    assert seen == [(4, "fast", 1_000), (4, "slow", 2_000), (8, "fast", 1_000), (8, "slow", 2_000)]
    assert made == [4, 4, 8, 8]  # the second of each are other values, for checks


def test_a_size_that_fails_costs_its_own_figures_alone(device: FakeDevice) -> None:
    def inputs(n: int) -> tuple[torch.Tensor]:
        if n == 20:
            raise ValueError("no twenty")
        return (torch.ones(n),)

    sweep = Sweep(parameter="n", sizes=(10, 20, 30))

    records = list(swept(sized_op(device, inputs=inputs), sweep, Choice(), OPTIONS))

    assert [bool(point.full_ns) for point in points(records)] == [True, False, True]
    failed = points(records)[1].failed
    assert failed is not None
    assert failed.endswith("no twenty.")
    assert not any(isinstance(record, Failure) for record in records)


def test_a_wrong_result_is_not_timed(device: FakeDevice) -> None:
    op = sized_op(device, reference=lambda x: torch.zeros(1))

    with pytest.raises(OpFileError) as caught:
        list(swept(op, Sweep(parameter="n", sizes=(4,)), Choice(), OPTIONS))

    assert caught.value.fact.startswith("Nothing was measured at any size of n: Wrong result: ")


def test_without_records_of_the_device_its_part_is_unknown_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeDevice(records=False)
    monkeypatch.setattr("tracelens.measure.sweep.choose_device", lambda *_, **__: fake)

    (point,) = points(
        list(swept(sized_op(fake), Sweep(parameter="n", sizes=(4,)), Choice(), OPTIONS))
    )

    assert (point.busy_ns, point.busy_unknown) == ((), "There is no CUPTI.")
    assert set(point.full_ns) == {10_040}


def test_an_op_that_changes_its_inputs_finds_them_as_they_were_at_every_call(
    device: FakeDevice,
) -> None:
    seen = set()

    def call(x: torch.Tensor) -> torch.Tensor:
        seen.add(float(x[0]))
        return x.add_(1)

    op = sized_op(device, variants=(Variant(call=call),))
    list(swept(op, Sweep(parameter="n", sizes=(4,)), Choice(), OPTIONS))

    assert min(seen) == 1.0


CASES = (
    Case(name="big", arguments={"n": 64, "fill": 2.0}),
    Case(name="small", arguments={"n": 8, "fill": 2.0}),
)


def test_the_sizes_of_a_sweep_take_the_place_of_the_cases_own(device: FakeDevice) -> None:
    op = sized_op(device, cases=CASES)

    sized = sweep_cases(op, Sweep(parameter="n", sizes=(1, 2)), CASES[0])

    assert [case.arguments for case in sized] == [{"n": 1, "fill": 2.0}, {"n": 2, "fill": 2.0}]


def test_without_sizes_they_are_those_of_the_cases(device: FakeDevice) -> None:
    op = sized_op(device, cases=CASES)

    records = list(swept(op, Sweep(parameter="n"), Choice(), OPTIONS))

    assert [point.size for point in points(records)] == [8, 64]


def test_cases_that_differ_in_more_than_the_size_are_no_sweep(device: FakeDevice) -> None:
    cases = (CASES[0], Case(name="other", arguments={"n": 8, "fill": 3.0}))

    with pytest.raises(UsageError) as caught:
        sweep_cases(sized_op(device, cases=cases), Sweep(parameter="n"), cases[0])

    assert (caught.value.fact, caught.value.hint) == (
        "The cases of the op file do not differ in the integer 'n' alone.",
        "Name the sizes: --sweep n=256..16777216.",
    )


def test_a_size_at_which_the_op_would_end_the_process_costs_its_own_figures_alone(
    device: FakeDevice,
) -> None:
    def inputs(n: int) -> tuple[torch.Tensor]:
        if n == 20:
            sys.exit(3)
        return (torch.ones(n),)

    sweep = Sweep(parameter="n", sizes=(10, 20, 30))

    records = list(swept(sized_op(device, inputs=inputs), sweep, Choice(), OPTIONS))

    assert [bool(point.full_ns) for point in points(records)] == [True, False, True]


def test_an_argument_that_inputs_does_not_have_is_a_usage_error_before_anything_runs(
    device: FakeDevice,
) -> None:
    with pytest.raises(UsageError) as caught:
        list(swept(sized_op(device), Sweep(parameter="m", sizes=(4,)), Choice(), OPTIONS))

    assert caught.value.fact == "inputs() has no argument 'm' to sweep; its arguments: n, fill."


def test_a_case_whose_size_is_none_is_a_usage_error(device: FakeDevice) -> None:
    op = sized_op(device, cases=(Case(name="a", arguments={"n": 0}),))

    with pytest.raises(UsageError) as caught:
        sweep_cases(op, Sweep(parameter="n"), op.cases[0])

    assert caught.value.fact == "The sweep of n has the size 0; it must be from 1 to 2^63 - 1."


def test_setup_and_teardown_are_stages_around_the_sizes(device: FakeDevice) -> None:
    op = sized_op(device, setup=lambda: None, teardown=lambda: None)

    records = list(swept(op, Sweep(parameter="n", sizes=(4,)), Choice(), OPTIONS))

    stages = [record.name for record in records if isinstance(record, Stage)]
    assert stages == ["environment", "setup", "n = 4", "teardown"]
