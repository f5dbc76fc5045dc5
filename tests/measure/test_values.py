from __future__ import annotations

from collections import namedtuple

import torch

from tracelens.measure.values import copied, spell_argument, spell_tensor, tensors

Pair = namedtuple("Pair", "left right")


def test_tensors_are_found_in_containers_and_modules() -> None:
    one, two, three = torch.ones(1), torch.ones(2), torch.ones(3)
    layer = torch.nn.Linear(2, 1)

    found = list(tensors((one, [two, "text"], {"key": Pair(three, None)}, layer)))

    assert [list(tensor.shape) for tensor in found] == [[1], [2], [3], [1, 2], [1]]


def test_copies_share_no_memory_and_keep_structure_strides_and_gradients() -> None:
    left = torch.ones(2, 3).t()
    value = Pair(left, [{"key": torch.ones(1, requires_grad=True)}, "text"])

    copy = copied(value)
    left.add_(1)

    assert isinstance(copy, Pair)
    assert copy.left.tolist() == [[1.0, 1.0]] * 3
    assert copy.left.stride() == left.stride()
    assert copy.right[0]["key"].requires_grad
    assert copy.right[1] == "text"


def test_modules_are_passed_on_as_they_are() -> None:
    layer = torch.nn.Linear(2, 1)

    assert copied((layer,)) == (layer,)


def test_a_tensor_is_spelled_by_dtype_shape_and_device() -> None:
    assert spell_tensor(torch.ones(4, 1024, dtype=torch.bfloat16)) == "bfloat16[4, 1024] cpu"
    assert spell_tensor(torch.tensor(1)) == "int64[] cpu"


def test_an_argument_is_spelled_with_the_strides_that_say_something() -> None:
    turned = torch.ones(2, 3).t()

    assert [spell_argument(value) for value in (torch.ones(2, 3), turned, 0.5, None, "a" * 99)] == [
        "float32[2, 3] cpu",
        "float32[3, 2] cpu, strides [1, 3]",
        "0.5",
        "None",
        "'" + "a" * 78 + "…",
    ]
    assert spell_argument(object()) == "an object of type object"
