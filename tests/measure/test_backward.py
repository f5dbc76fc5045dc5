from __future__ import annotations

import pytest
import torch

from tracelens.errors import OpFileError
from tracelens.measure.backward import Backward


def test_a_call_returns_the_result_and_the_gradients_of_the_inputs_that_ask_for_them() -> None:
    x, y = torch.tensor([3.0], requires_grad=True), torch.tensor([5.0])

    result, gradients = Backward(lambda x, y: x * y)(x, y)

    (again,) = Backward(lambda x: x * 1)(x)[1]
    assert result.tolist() == [15.0]
    assert [gradient.tolist() for gradient in gradients] == [(again * 5).tolist()]


def test_no_gradient_is_accumulated_so_that_every_call_does_the_same() -> None:
    x = torch.tensor([3.0], requires_grad=True)
    call = Backward(lambda x: x * x)

    first, second = call(x)[1], call(x)[1]

    assert torch.equal(first[0], second[0])
    assert x.grad is None


def test_an_op_and_its_reference_are_given_the_same_gradient() -> None:
    x = torch.randn(8, requires_grad=True)

    ours = Backward(lambda x: torch.softmax(x, -1))(x)[1][0]
    theirs = Backward(lambda x: x.exp() / x.exp().sum())(x)[1][0]

    torch.testing.assert_close(ours, theirs)
    assert ours.abs().max() > 1e-3


def test_parameters_that_the_op_brings_itself_take_part() -> None:
    weight = torch.tensor([2.0], requires_grad=True)
    reached = []
    weight.register_hook(reached.append)

    Backward(lambda x: x * weight)(torch.tensor([3.0]))

    assert len(reached) == 1


def test_an_op_without_anything_to_differentiate_is_said() -> None:
    with pytest.raises(OpFileError, match="no output of op\\(\\) records gradients"):
        Backward(lambda x: x + 1)(torch.ones(2))
