"""The tensors inside whatever an op takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import torch

from tracelens.model.cut import cut

_LONGEST_SCALAR = 80
"""Characters of a scalar argument: a string may be a megabyte."""


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in nested tuples, lists and dicts, and the parameters of modules."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module):
        yield from value.parameters()
        yield from value.buffers()
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)


def copied(value: Any) -> Any:
    """Return the value with every tensor in its tuples, lists and dicts replaced by a copy.

    Strides stay as they are, and tensors that share memory share it in the copy too. Everything
    else, modules too, is passed on as it is.
    """
    return replaced(value, _Copies())


def replaced(value: Any, tensor: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return the value with every tensor in its tuples, lists and dicts replaced by another."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(item, tensor) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(replaced(item, tensor) for item in value)
    if isinstance(value, dict):
        return {key: replaced(item, tensor) for key, item in value.items()}
    return value


def is_plain(tensor: torch.Tensor) -> bool:
    """Say whether a tensor is a view of one storage: no subclass with a layout of its own."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout == torch.strided
        and not tensor.is_nested
        and tensor.device.type != "meta"
        and tensor.untyped_storage().nbytes() > 0
    )


class _Copies:
    """Copies tensors, each storage once."""

    def __init__(self) -> None:
        self._storages: dict[int, torch.UntypedStorage] = {}

    def __call__(self, tensor: torch.Tensor) -> torch.Tensor:
        if not is_plain(tensor) or tensor.is_conj() or tensor.is_neg():
            return tensor.detach().clone().requires_grad_(tensor.requires_grad)
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._storages:
            self._storages[storage.data_ptr()] = storage.clone()  # type: ignore[no-untyped-call]  # torch does not type it
        with torch.no_grad():
            copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
                self._storages[storage.data_ptr()],
                tensor.storage_offset(),
                tensor.shape,
                tensor.stride(),
            )
        return copy.requires_grad_(tensor.requires_grad)


def difference_of_frames(one: Any, other: Any) -> str | None:
    """Say in what two values differ apart from their tensors' content, or None."""
    if type(one) is not type(other):
        return f"{type(one).__name__} became {type(other).__name__}"
    if isinstance(one, torch.Tensor):
        return _difference_of_tensors(one, other)
    if isinstance(one, torch.nn.Module):
        return difference_of_frames(one.state_dict(), other.state_dict())
    if isinstance(one, dict):
        one, other = list(one.items()), list(other.items())
    if isinstance(one, (tuple, list)):
        if len(one) != len(other):
            return f"{len(one)} items became {len(other)}"
        return next(filter(None, map(difference_of_frames, one, other)), None)
    plain = isinstance(one, (bool, int, float, complex, str, bytes))
    same = one == other if plain else one is other or _code(one) == _code(other) is not None
    return None if same else f"a value of type {type(one).__name__} changed"


def _code(value: Any) -> CodeType | None:
    """Return what a function runs: that is equal where `inputs()` defines it anew each time."""
    return getattr(value, "__code__", None)


def _difference_of_tensors(one: torch.Tensor, other: torch.Tensor) -> str | None:
    ours, theirs = (
        (spell_tensor(t), t.layout == torch.strided and t.stride(), t.requires_grad)
        for t in (one, other)
    )
    return None if ours == theirs else f"{ours[0]} became {theirs[0]}"


def spell_tensor(tensor: torch.Tensor) -> str:
    """Return dtype, shape and device, such as `bfloat16[4, 1024] cuda:0`."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"{dtype}[{', '.join(map(str, tensor.shape))}] {tensor.device}"


def spell_argument(value: Any) -> str:
    """Return what an op was called with: a tensor with its strides where they say something."""
    if isinstance(value, torch.Tensor):
        spelled = spell_tensor(value)
        if value.layout == torch.strided and not value.is_contiguous():
            spelled += f", strides {list(value.stride())}"
        return spelled
    if value is None or isinstance(value, (bool, int, float, str)):
        return cut(repr(value), _LONGEST_SCALAR)
    return f"an object of type {type(value).__name__}"


def spell_value(value: Any) -> str:
    """Return what a value is, where something else was needed."""
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return f"a tensor, {spell_tensor(value)}"
    return f"an object of type {type(value).__name__}"
