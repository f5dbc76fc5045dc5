from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from tracelens.errors import OpFileError
from tracelens.measure.contract import read_contract
from tracelens.model.op import Case, Layer, Op, Tolerance

PATH = Path("my_op.py")


def one(x: Any) -> Any:
    return x


def two(x: Any) -> Any:
    return x


def stated(**names: Any) -> Op:
    module = ModuleType("my_op")
    vars(module).update({"inputs": lambda: (), **names})
    return read_contract(module, PATH)


def trouble(**names: Any) -> str:
    with pytest.raises(OpFileError) as caught:
        stated(**names)
    return caught.value.fact


def test_an_op_alone_is_one_case_of_one_variant_without_names() -> None:
    op = stated(op=one)

    assert [(variant.name, variant.call) for variant in op.variants] == [(None, one)]
    assert op.cases == (Case(),)
    assert op.mode == "forward"


def test_variants_stand_with_the_baseline_first() -> None:
    names = {"variants": {"one": one, "two": two}}

    assert [v.name for v in stated(**names).variants] == ["one", "two"]
    assert [v.name for v in stated(**names, baseline="two").variants] == ["two", "one"]


def test_an_op_beside_variants_is_one_of_them_and_the_baseline_unless_another_is_named() -> None:
    names = {"variants": {"two": two}, "op": one}

    assert [(v.name, v.call) for v in stated(**names).variants] == [("op", one), ("two", two)]
    assert [v.name for v in stated(**names, baseline="two").variants] == ["two", "op"]


def test_layers_are_the_baselines_unless_they_stand_under_a_variants_name() -> None:
    variants = {"fast": one, "plain": two}
    layers = {"outer": two, "kernel": one}

    plain = stated(variants=variants, layers=layers)
    by_name = stated(variants=variants, layers={"plain": layers})

    named = (Layer(name="outer", call=two), Layer(name="kernel", call=one))
    assert [variant.layers for variant in plain.variants] == [named, ()]
    assert [variant.layers for variant in by_name.variants] == [(), named]
    assert [variant.layers for variant in stated(op=one, layers=layers).variants] == [named]


@pytest.mark.parametrize(
    ("layers", "fact"),
    [
        ({"kernel": 3}, "layers['kernel'] in my_op.py is an object of type int; each layer must"),
        ({"op": one}, "layers['op'] in my_op.py is an object of type function; each layer must"),
        ({"slow": {"kernel": one}}, "layers in my_op.py names 'slow', which is no variant."),
        ({}, "layers in my_op.py is {}; it must be a dict under names of 1 to 80"),
        ([one], "layers in my_op.py is [<function one"),
    ],
)
def test_layers_that_break_the_rules_are_refused(layers: Any, fact: str) -> None:
    assert trouble(op=one, layers=layers).startswith(fact)


def test_cases_are_keyword_arguments_of_inputs_in_their_order() -> None:
    op = stated(op=one, cases={"b": {"n": 2}, "a": {}})

    assert op.cases == (Case(name="b", arguments={"n": 2}), Case(name="a", arguments={}))


def test_a_tolerance_may_be_stated_by_dtype() -> None:
    sides = {"atol": 1, "rtol": 0}

    op = stated(op=one, tolerance={"bfloat16": sides, torch.float32: sides})

    assert op.tolerance == {
        "bfloat16": Tolerance(atol=1.0, rtol=0.0),
        "float32": Tolerance(atol=1.0, rtol=0.0),
    }


def test_flops_and_bytes_may_differ_by_variant() -> None:
    op = stated(variants={"one": one, "two": two}, flops=one, bytes_moved={"two": two})

    assert [(v.flops, v.bytes_moved) for v in op.variants] == [(one, None), (one, two)]


def test_torchs_own_function_of_the_name_states_no_mode() -> None:
    assert stated(op=one, mode=torch.mode).mode == "forward"  # by `from torch import *`


def test_setup_teardown_and_mode_are_read() -> None:
    op = stated(op=one, setup=one, teardown=two, mode="forward+backward")

    assert (op.setup, op.teardown, op.mode) == (one, two, "forward+backward")


@pytest.mark.parametrize(
    ("names", "fact"),
    [
        ({"variants": {}}, "variants in my_op.py is {}; it must be a dict under names of 1 to 80"),
        ({"variants": {"a'b": one}}, "it must be a dict under names of 1 to 80 printable"),
        ({"variants": {"a\n": one}}, "it must be a dict under names of 1 to 80 printable"),
        ({"variants": {"a": 3}}, "variants['a'] in my_op.py is an object of type int; it must be"),
        (
            {"variants": {"a": one, "b": two}, "baseline": "c"},
            "baseline in my_op.py is 'c'; the variants are a, b.",
        ),
        (
            {"variants": {"a": one}, "baseline": ["a"]},
            "baseline in my_op.py is ['a']; the variants are a.",
        ),
        (
            {"variants": {"a": one}, "baseline": torch.ones(2)},
            "baseline in my_op.py is tensor([1., 1.]); the variants are a.",
        ),
        ({"op": one, "cases": []}, "cases in my_op.py is []; it must be a dict under names"),
        ({"op": one, "cases": {"a": 3}}, "cases['a'] in my_op.py is 3; it must hold keyword"),
        ({"op": one, "cases": {"a": {1: 2}}}, "cases['a'] in my_op.py is {1: 2}; it must hold"),
        ({"op": one, "tolerance": {"atol": 10**400, "rtol": 0}}, "tolerance in my_op.py is"),
        ({"op": one, "tolerance": {"bf16": {"atol": 1, "rtol": 1}}}, "tolerance in my_op.py is"),
        ({"op": one, "flops": 12}, "flops in my_op.py is an object of type int; it must be a fun"),
        ({"op": one, "mode": "train"}, "mode in my_op.py is 'train'; it must be one of inference"),
    ],
)
def test_what_breaks_the_contract_is_named(names: dict[str, Any], fact: str) -> None:
    assert fact in trouble(**names)


class Unspellable:
    def __repr__(self) -> str:
        raise ValueError("no")

    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "name",
    [
        "variants",
        "cases",
        "tolerance",
        "layers",
        "configs",
        "expect",
        "predict",
        "mode",
        "baseline",
    ],
)
def test_what_cannot_be_spelled_is_refused_all_the_same(name: str) -> None:
    names = {"variants": {"a": one, "b": two}, name: Unspellable()}
    assert "is an object of type Unspellable" in trouble(**names)


@pytest.mark.parametrize(
    "configs",
    [3, {"k": 3}, {"k": "NW"}, {"k": (1,)}, {"k": ("NW", "NW")}, {"k": ("",)}, {3: ("NW",)}],
)
def test_the_template_arguments_of_a_kernel_have_different_names(configs: Any) -> None:
    assert trouble(op=one, configs=configs) == (
        f"configs in my_op.py is {configs}; it must map a kernel's name to the names of its "
        "template arguments, each a different one."
    )
