from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from tracelens.errors import OpFileError
from tracelens.measure.expected import Known, read_expected
from tracelens.model.expectation import ExpectedKernel

PATH = Path("my_op.py")
KNOWN = Known(cases=("m1", "m8"), variants=("fast", "plain"), configs={"gemv": ("NW", "UG")})
NOTHING = Known(cases=(), variants=(), configs={})


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Warps(IntEnum):
    FOUR = 4


def read(stated: object, known: Known = KNOWN) -> tuple[ExpectedKernel, ...]:
    return read_expected(stated, known, PATH)


def test_an_op_file_need_not_expect_anything() -> None:
    assert (read(None), read([])) == ((), ())


def test_a_kernel_is_named_by_a_pattern_or_a_family_and_every_other_key_is_a_field() -> None:
    assert read({"kernel": "nvjet*", "tile": "64x8", "splitK": True}) == (
        ExpectedKernel(kernel="nvjet*", fields={"tile": "64x8", "splitK": True}),
    )
    assert read([{"family": "nvjet", "calls": 2}, {"kernel": "k"}]) == (
        ExpectedKernel(family="nvjet", fields={"calls": 2}),
        ExpectedKernel(kernel="k"),
    )


def test_a_shape_is_kept_as_text() -> None:
    assert read({"kernel": "k", "grid": (132, 1, 1)})[0].fields == {"grid": "132x1x1"}


def test_a_member_of_an_enumeration_is_the_number_that_it_stands_for() -> None:
    (expected,) = read({"kernel": "k", "num_warps": Warps.FOUR, "calls": Warps.FOUR})
    assert [(name, type(value)) for name, value in expected.fields.items()] == [
        ("num_warps", int),
        ("calls", int),
    ]


def test_a_config_gives_values_to_the_names_that_configs_has() -> None:
    assert read({"kernel": "gemv", "config": (16, 1), "calls": 1})[0].fields == {
        "calls": 1,
        "NW": 16,
        "UG": 1,
    }


def test_case_and_variant_say_what_an_expectation_is_about() -> None:
    assert read({"kernel": "k", "case": "m*", "variant": "fast"}) == (
        ExpectedKernel(kernel="k", case="m*", variant="fast"),
    )


def test_a_tuned_table_is_an_expectation_for_each_row() -> None:
    table = {"m1": (16, 1), "m8": {"kernel": "nvjet*", "tile": "64x8"}}

    assert read({"kernel": "gemv", "variant": "fast", "calls": 1, "by_case": table}) == (
        ExpectedKernel(
            kernel="gemv", variant="fast", case="m1", fields={"calls": 1, "NW": 16, "UG": 1}
        ),
        ExpectedKernel(
            kernel="nvjet*", variant="fast", case="m8", fields={"calls": 1, "tile": "64x8"}
        ),
    )


@pytest.mark.parametrize(
    ("stated", "fact"),
    [
        (3, "expect in my_op.py is 3; it must be a dict, or a list of dicts."),
        ([3], "expect[0] in my_op.py is 3; it must be a dict of a kernel and its fields."),
        ({1: 2}, "expect in my_op.py is {1: 2}; it must be a dict of a kernel and its fields."),
        ({"tile": 8}, "it must be a dict with `kernel`, a pattern for its name, or `family`."),
        ({"kernel": 3}, "expect['kernel'] in my_op.py is 3; it must be a text, such as 'nvjet*'."),
        ({"kernel": ""}, "expect['kernel'] in my_op.py is ''; it must be a text"),
        (
            [{"kernel": "k"}, {"kernel": "k", "case": "m2"}],
            "expect[1]['case'] in my_op.py is 'm2'; it must be a case of the file: m1, m8.",
        ),
        (
            {"kernel": "k", "variant": "slow"},
            "expect['variant'] in my_op.py is 'slow'; it must be a variant of the file: fast, pla",
        ),
        (
            {"kernel": "k", "tile": 0.5},
            "expect['tile'] in my_op.py is 0.5; it must be a whole number, a text, True or False",
        ),
        ({"kernel": "k", "n": 2**63}, "expect['n'] in my_op.py is 9223372036854775808; it must be"),
        ({"kernel": "k", "grid": (1.5,)}, "expect['grid'] in my_op.py is (1.5,); it must be"),
        (
            {"kernel": "k*", "config": (1, 2)},
            "expect['config'] in my_op.py is (1, 2); it must be for a kernel that `configs` names "
            "(gemv).",
        ),
        (
            {"kernel": "gemv", "config": (1,)},
            "expect['config'] in my_op.py is (1,); it must be a value each for NW, UG.",
        ),
        (
            {"kernel": "gemv", "by_case": {"m3": (1, 2)}},
            "expect['by_case'] in my_op.py is 'm3'; it must be a dict by case of the file: m1, m8.",
        ),
        (
            {"kernel": "gemv", "by_case": {"m1": (1, 2), "m8": {"NW": None}}},
            "expect['by_case']['m8']['NW'] in my_op.py is None; it must be a whole number",
        ),
        (
            {"kernel": "gemv", "config": (1, 2), "UG": 2},
            "it must be an entry that says UG once.",
        ),
        (
            {"kernel": "gemv", "by_case": {"m1": {"case": "m8"}}},
            "expect['by_case']['m1'] in my_op.py is {'case': 'm8'}; it must be a row of the table",
        ),
        (
            {"kernel": "k", "calls": True},
            "expect['calls'] in my_op.py is True; it must be how many launches one call makes",
        ),
        ({"kernel": "k", "calls": -1}, "expect['calls'] in my_op.py is -1; it must be how many"),
        ({"kernel": "k", "calls": "2"}, "expect['calls'] in my_op.py is '2'; it must be how many"),
        ({"kernel": "k", "n": 10**5000}, "expect['n'] in my_op.py is an object of type int; it"),
        ({"kernel": Unprintable()}, "expect['kernel'] in my_op.py is an object of type Unprin"),
        (
            {"kernel": "gemv", "case": "m1", "by_case": {"m1": (1, 2)}},
            "it must be a dict by case, and the only word on cases.",
        ),
    ],
)
def test_what_cannot_be_expected_is_named_with_its_place(stated: Any, fact: str) -> None:
    with pytest.raises(OpFileError) as caught:
        read(stated)
    assert fact in caught.value.fact


def test_an_op_file_without_cases_and_variants_has_none_to_name() -> None:
    for stated in ({"kernel": "k", "case": "m1"}, {"kernel": "k", "by_case": {"m1": {}}}):
        with pytest.raises(OpFileError, match="it has none"):
            read(stated, NOTHING)
