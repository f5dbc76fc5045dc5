from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
import pytest
import torch

from tracelens.errors import OpFileError, WrongResultError
from tracelens.measure.check import compare, require_result, unchecked
from tracelens.model.measurement import Check
from tracelens.model.op import Tolerance

CLOSE = Tolerance(atol=0.1, rtol=0.0)
T = torch.tensor
Pair = namedtuple("Pair", "left right")


def passes(result: object, expected: object, tolerance: Tolerance | None = CLOSE) -> Check:
    return compare(result, expected, tolerance=tolerance)


def refusal(result: object, expected: object, tolerance: Tolerance | None = CLOSE) -> str:
    with pytest.raises(WrongResultError) as caught:
        compare(result, expected, tolerance=tolerance)
    return caught.value.fact


def test_a_result_within_tolerance_passes_and_says_its_largest_error() -> None:
    check = passes(T([1.0, 2.0, 3.0]), T([1.0, 2.0625, 3.03125]))

    assert check == Check(
        status="passed", max_abs_error=0.0625, atol=0.1, rtol=0.0, outputs=("float32[3] cpu",)
    )


def test_a_wrong_result_says_the_largest_error_where_and_what_both_are() -> None:
    result = torch.zeros(4, 5)
    result[2, 3], result[1, 1] = 0.5, 0.25

    assert refusal(result, torch.zeros(4, 5)) == (
        "Wrong result: the result at [2, 3] is 0.5; the reference has 0, so the largest error is "
        "0.5. 2 of 20 elements lie outside atol=0.1, rtol=0. Both are float32[4, 5] cpu."
    )


def test_the_place_is_that_of_a_wrong_element_not_of_a_larger_error_that_is_allowed() -> None:
    relative = Tolerance(atol=0.0, rtol=0.1)

    fact = refusal(T([105.0, 1.5]), T([100.0, 1.0]), relative)

    assert fact.startswith("Wrong result: the result at [1] is 1.5; the reference has 1, ")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.nan, math.nan),
        (math.inf, 1.0),
        (1.0, math.inf),
        (math.inf, -math.inf),
        (math.nan, math.inf),
    ],
)
@pytest.mark.parametrize("tolerance", [CLOSE, Tolerance(atol=1.0, rtol=1.0)])
def test_neither_nan_nor_an_infinity_for_a_number_ever_passes(
    result: float, expected: float, tolerance: Tolerance
) -> None:
    assert refusal(T([0.0, result]), T([0.0, expected]), tolerance).startswith(
        "Wrong result: the result at [1] is "
    )


def test_equal_infinities_pass() -> None:
    assert passes(T([math.inf, -math.inf, 1.0]), T([math.inf, -math.inf, 1.0])).max_abs_error == 0


def test_a_nan_is_a_larger_error_than_any_number() -> None:
    fact = refusal(T([9.0, math.nan, 9.0]), torch.zeros(3))

    assert "at [1] is nan" in fact
    assert "the largest error is nan. 3 of 3" in fact


@pytest.mark.parametrize(
    ("result", "expected", "fact"),
    [
        (
            T([1.0]),
            T([1.0], dtype=torch.float64),
            "the result is float32[1] cpu; the reference has float64[1] cpu.",
        ),
        (
            torch.ones(2, 1),
            torch.ones(2),
            "the result is float32[2, 1] cpu; the reference has float32[2] cpu.",
        ),
        (
            T([1.0]).to("meta"),
            T([1.0]),
            "the result is float32[1] meta; the reference has float32[1] cpu.",
        ),
        (
            (T(1.0), T(2.0)),
            (T(1.0),),
            "the result is a tuple of 2; the reference has a tuple of 1.",
        ),
        (T(1.0), None, "the result is float32[] cpu; the reference has None."),
        (
            {"a": T(1.0)},
            {"b": T(1.0)},
            "the result is a dict with the keys [\"'a'\"]; "
            "the reference has a dict with the keys [\"'b'\"].",
        ),
        (
            {"a": [T(1.0), T(2)]},
            {"a": [T(1.0), T(2.0)]},
            "the result['a'][1] is int64[] cpu; the reference has float32[] cpu.",
        ),
        (("x", T(1.0)), ("y", T(1.0)), "the result[0] is 'x'; the reference has 'y'."),
        (1, "1", "the result is 1; the reference has '1'."),
    ],
)
def test_another_structure_shape_dtype_or_device_is_wrong(
    result: object, expected: object, fact: str
) -> None:
    assert refusal(result, expected) == f"Wrong result: {fact}"


@pytest.mark.parametrize(
    "value",
    [
        (T(1.0), None, "text"),
        [T(1.0), {"a": T(2)}],
        Pair(T(1.0), T(2.0)),
        np.array([1.0, 2.0]),
        2.5,
        True,
        T([True, False]),
        T([1 + 2j]),
        torch.ones(3).to(torch.float8_e4m3fn),
        torch.ones(2, 3).t(),
        torch.empty(0, 3),
    ],
    ids=repr,
)
def test_a_result_equals_itself_whatever_it_is(value: object) -> None:
    assert passes(value, value, Tolerance(atol=0.0, rtol=0.0)).status == "passed"


def test_numbers_are_compared_within_tolerance() -> None:
    assert passes(1.0, 1.0625).max_abs_error == 0.0625
    assert refusal(1.0, 2).startswith("Wrong result: the result at [] is 1; the reference has 2, ")


def test_large_integers_are_told_apart_where_floats_cannot() -> None:
    assert "1 of 1 elements" in refusal(T([2**53 + 1]), T([2**53]), None)


def test_without_a_tolerance_each_dtype_has_its_own_and_the_loosest_is_reported() -> None:
    half, single = T([1.0], dtype=torch.bfloat16), T([1.0])

    check = passes((half, single), (half, single), None)

    assert (check.atol, check.rtol) == (1e-5, 1.6e-2)
    assert refusal(T([1.0001]), T([1.0]), None).endswith("Both are float32[1] cpu.")


def test_large_results_are_compared_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracelens.measure.check._ELEMENTS_AT_ONCE", 4)
    result = torch.zeros(10)
    result[[2, 9]] = T([1.0, 3.0])

    fact = refusal(result, torch.zeros(10))

    assert "at [9] is 3;" in fact
    assert "2 of 10 elements" in fact


def test_gradients_do_not_hinder() -> None:
    assert passes(torch.ones(2, requires_grad=True), torch.ones(2)).status == "passed"


@pytest.mark.parametrize("nothing", [None, (), [None], {"a": (None, [])}])
def test_an_op_that_returns_nothing_is_an_error_with_a_hint(nothing: object) -> None:
    with pytest.raises(OpFileError, match=r"^op\(\) returned .*; it must return its result\.$") as (
        caught
    ):
        require_result(nothing)

    assert caught.value.hint == (
        "Return the result; an op that works in place returns the tensor that it changed."
    )


@pytest.mark.parametrize("something", [0, False, torch.empty(0), (None, T(1.0))])
def test_an_op_that_returns_anything_is_accepted(something: object) -> None:
    require_result(something)


def test_without_a_reference_the_outputs_are_described() -> None:
    assert unchecked((torch.ones(2), {"a": T([1, 2])}, 3)) == Check(
        status="no reference", outputs=("float32[2] cpu", "int64[2] cpu")
    )
