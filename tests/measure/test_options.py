from __future__ import annotations

import pytest

from tracelens.errors import UsageError
from tracelens.measure.options import Options


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        ("samples", 0, 1),
        ("batch", -1, 1),
        ("budget_ns", 0, 1),
        ("seed", -1, 0),
        ("warmup_ns", -1, 0),
    ],
)
def test_a_number_that_means_nothing_is_refused(name: str, value: int, least: int) -> None:
    with pytest.raises(UsageError) as caught:
        Options(**{name: value})  # type: ignore[arg-type]  # one of the whole-number options

    assert caught.value.fact == f"{name} is {value}; it must be at least {least}."


def test_zero_is_enough_for_what_may_be_left_out() -> None:
    assert Options(seed=0, warmup_calls=0, warmup_ns=0, head_calls=0).warmup_calls == 0
