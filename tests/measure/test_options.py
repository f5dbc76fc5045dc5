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


@pytest.mark.parametrize(
    ("name", "value", "fact"),
    [
        ("precision", 0.0, "precision is 0.0; it must be a share between 0 and 1."),
        ("precision", 1.0, "precision is 1.0; it must be a share between 0 and 1."),
        ("l2", "tepid", "l2 is 'tepid', which means nothing."),
        ("flush", "copy", "flush is 'copy', which means nothing."),
    ],
)
def test_a_word_or_a_share_that_means_nothing_is_refused(
    name: str, value: object, fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        Options(**{name: value})  # type: ignore[arg-type]  # what a caller without mypy may pass

    assert caught.value.fact == fact
