from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch

from tracelens.measure.case import measure_op, trace_name
from tracelens.measure.options import Options
from tracelens.model.invocation import Variation
from tracelens.model.layered import Layered
from tracelens.model.measurement import (
    Check,
    Failure,
    Measurement,
    Noticed,
    Predicted,
    Protocol,
    Record,
    Stage,
    Subject,
    Work,
)
from tracelens.model.op import Case, Layer, Op, Variant

QUICK = Options(
    functions=False,
    device="cpu",
    samples=5,
    most_samples=5,
    batches=5,
    batch=2,
    warmup_calls=1,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
)


def measured(tmp_path: Path, **stated: Any) -> list[Record]:
    given = {"name": "op", "inputs": lambda: (torch.ones(4),), **stated}
    return list(measure_op(Op(**given), trace_path=tmp_path / "trace.json.gz", options=QUICK))


def only(records: list[Record], kind: type[Any]) -> list[Any]:
    return [record for record in records if isinstance(record, kind)]


def variants(**calls: Callable[..., Any]) -> tuple[Variant, ...]:
    return tuple(Variant(name=name, call=call) for name, call in calls.items())


def neg(x: torch.Tensor) -> torch.Tensor:
    return -x


def boom(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("boom")


def test_a_variant_that_fails_leaves_the_others_measured_and_profiled(tmp_path: Path) -> None:
    calls = variants(plain=lambda x: x + 1, bad=boom, fast=lambda x: x.add(1))

    records = measured(tmp_path, variants=calls)

    about = None
    full: list[str | None] = []
    failed: list[str | None] = []
    for record in records:
        about = record.variant if isinstance(record, Subject) else about
        if isinstance(record, Measurement) and record.tag == "full_profiled/eager":
            full.append(about)
        if isinstance(record, Failure):
            failed.append(about)
    assert (full, failed) == (["plain", "fast"], ["bad"])


def test_without_a_reference_the_baseline_is_one(tmp_path: Path) -> None:
    calls = variants(plain=lambda x: x + 1, wrong=lambda x: x + 2)

    records = measured(tmp_path, variants=calls)

    assert [check.status for check in only(records, Check)] == ["no reference"]
    (failure,) = only(records, Failure)
    assert failure.fact.startswith("Wrong result: the result at [0] is 3; the reference has 2")


def test_setup_comes_before_the_inputs_and_teardown_after_all_whatever_happens(
    tmp_path: Path,
) -> None:
    order = []

    def inputs() -> tuple[Any, ...]:
        order.append("inputs")
        return (torch.ones(4),)

    measured(
        tmp_path,
        inputs=inputs,
        variants=(Variant(call=boom),),
        setup=lambda: order.append("setup"),
        teardown=lambda: order.append("teardown"),
    )

    assert order == ["setup", "inputs", "inputs", "teardown"]


@pytest.mark.parametrize(
    ("mode", "grad_mode", "seen"),
    [("inference", "inference", (True, False)), ("forward", "no_grad", (False, False))],
)
def test_the_grad_mode_is_that_of_the_op_and_is_stated(
    tmp_path: Path, mode: str, grad_mode: str, seen: tuple[bool, bool]
) -> None:
    modes = set()

    def call(x: torch.Tensor) -> torch.Tensor:
        modes.add((torch.is_inference_mode_enabled(), torch.is_grad_enabled()))
        return x + 1

    records = measured(tmp_path, variants=(Variant(call=call),), mode=mode)

    (protocol,) = only(records, Protocol)
    assert (protocol.mode, protocol.grad_mode, modes) == (mode, grad_mode, {seen})
    assert not only(records, Failure)


def test_a_call_with_its_backward_pass_is_checked_by_its_gradients(tmp_path: Path) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            return gradient * 3

    records = measured(
        tmp_path,
        inputs=lambda: (torch.randn(4, requires_grad=True),),
        variants=(Variant(call=Wrong.apply),),
        reference=lambda x: x * 2,
        mode="forward+backward",
    )

    (failure,) = only(records, Failure)
    assert failure.fact.startswith("Wrong result: the result[1][0] at ")


def test_what_is_predicted_of_a_case_is_told_of_each_of_its_variants(tmp_path: Path) -> None:
    case = Case(name="small", predictions=("kernel: -20%",))
    calls = variants(plain=lambda x: x + 1, fast=boom)
    records = measured(tmp_path, cases=(case,), variants=calls)

    assert only(records, Predicted) == [Predicted(claims=("kernel: -20%",))] * 2
    assert records.index(Predicted(claims=("kernel: -20%",))) < [
        isinstance(record, Measurement) for record in records
    ].index(True)


def test_work_is_counted_from_the_inputs(tmp_path: Path) -> None:
    one = Variant(call=lambda x: x + 1, bytes_moved=lambda x: 2 * x.nbytes)

    assert only(measured(tmp_path, variants=(one,)), Work) == [Work(bytes_moved=32)]


@pytest.mark.parametrize(
    ("flops", "fact"),
    [
        (lambda x: None, "flops() returned None; it must return a number above 0."),
        (lambda x: 0, "flops() returned 0; it must return a number above 0."),
        (lambda x: 1e19, "flops() returned 1e+19; it must be below 2^63."),
        (lambda x: 10**400, "flops() returned 1000"),
        (boom, "flops() raised ValueError in test_case.py:"),
    ],
)
def test_work_that_is_no_number_is_an_error_of_the_file(
    tmp_path: Path, flops: Callable[..., Any], fact: str
) -> None:
    records = measured(tmp_path, variants=(Variant(call=lambda x: x + 1, flops=flops),))

    (failure,) = only(records, Failure)
    assert failure.kind == "input"
    assert failure.fact.startswith(fact)


def test_a_trace_is_named_by_its_case_in_letters_that_every_path_holds() -> None:
    names = ["a b", "a/b", "../" * 40, "ü"]
    op = Op(
        name="op",
        inputs=lambda: (),
        variants=(Variant(call=boom),),
        cases=tuple(Case(name=name) for name in names),
    )

    assert [trace_name(op, name) for name in [None, *names]] == [
        "trace.json.gz",
        "trace-1-a-b.json.gz",
        "trace-2-a-b.json.gz",
        "trace-3.json.gz",
        "trace-4.json.gz",
    ]


def test_inputs_are_varied_behind_all_else_and_other_layouts_only_then(tmp_path: Path) -> None:
    op = Op(name="op", inputs=lambda: (torch.ones(4),), variants=variants(a=neg, b=neg))

    records = list(
        measure_op(op, trace_path=tmp_path / "t.json.gz", options=replace(QUICK, variations=True))
    )

    stages = [(record.name, record.is_extra) for record in records if isinstance(record, Stage)]
    profiled = stages.index(("profiled calls", False))
    kinds = [(name.partition(":")[0], is_extra) for name, is_extra in stages[profiled:]]
    assert [kind for kind, _ in groupby(kinds) if kind[0] in ("variations", "other layouts")] == [
        ("variations", True),
        ("other layouts", False),
        ("variations", True),
        ("other layouts", False),
    ]
    assert ("variations: size, odd", True) in stages
    assert len(only(records, Variation)) == 2 * 14
    assert not only(records, Failure)


def test_inputs_are_not_varied_unless_it_is_asked_for(tmp_path: Path) -> None:
    records = measured(tmp_path, variants=variants(a=neg))

    assert only(records, Variation) == []


def test_layers_are_measured_with_the_variant_that_has_them(tmp_path: Path) -> None:
    layer = Layer(name="inner", call=neg)
    plain, layered = Variant(name="a", call=neg), Variant(name="b", call=neg, layers=(layer,))

    records = measured(tmp_path, variants=(plain, layered))

    about = None
    found = []
    for record in records:
        about = record.variant if isinstance(record, Subject) else about
        if isinstance(record, Layered):
            found.append((about, [one.name for one in record.layers]))
    assert found == [("b", ["op", "inner"])]


def test_a_layer_that_changes_the_inputs_leaves_them_as_they_were(tmp_path: Path) -> None:
    seen: list[float] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        seen.append(float(x[0]))
        return x + 1

    layer = Layer(name="inner", call=lambda x: x.zero_())
    stream = measure_op(
        Op(
            name="op",
            inputs=lambda: (torch.ones(4),),
            variants=(Variant(call=call, layers=(layer,)),),
        ),
        trace_path=tmp_path / "trace.json.gz",
        options=QUICK,
    )
    for record in stream:
        if record == Stage(name="profiled calls"):
            seen.clear()

    assert set(seen) == {1.0}


def test_a_teardown_is_a_stage_of_its_own_and_costs_nothing_that_was_measured(
    tmp_path: Path,
) -> None:
    def teardown() -> None:
        raise ValueError("gone already")

    records = measured(tmp_path, variants=variants(a=neg), teardown=teardown)

    assert records[-2] == Stage(name="teardown", is_extra=True)
    (noticed,) = only(records[-1:], Noticed)
    assert (noticed.finding.tag, noticed.finding.severity) == ("teardown/failed", "warning")
    assert re.fullmatch(
        r"teardown\(\) raised ValueError in test_case.py:\d+: gone already; all else had been "
        "measured",
        noticed.finding.fact,
    )
    assert not only(records, Failure)


def test_behind_an_op_that_failed_a_teardown_that_fails_too_does_not_hide_it(
    tmp_path: Path,
) -> None:
    def inputs() -> tuple[Any, ...]:
        raise ValueError("no inputs")

    def teardown() -> None:
        raise ValueError("gone already")

    records = measured(tmp_path, inputs=inputs, variants=variants(a=neg), teardown=teardown)

    (failure,) = only(records, Failure)
    assert failure.fact.endswith("no inputs.")
    assert not only(records, Noticed)
