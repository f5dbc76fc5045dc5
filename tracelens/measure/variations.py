"""Ways to change one thing about an op's inputs, each made from the inputs themselves.

A fast path may hold for one shape, one alignment, one set of tensors. What a change needs is made
with room to spare: an op that takes no notice of it still reads and writes memory of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import torch

from tracelens.measure.bench import Bench
from tracelens.measure.device import Device, Unavailable
from tracelens.measure.values import copied, is_plain, replaced, spell_argument, tensors
from tracelens.model.measurement import GradMode
from tracelens.model.op import Inputs

_COPIES = 24
"""A set of tensors for each call with `other tensors`."""
_COPIED_BYTES = 256 << 20
_MOST_SCALARS = 3
_DIVISOR = 16
"""What Triton looks for in sizes and addresses to choose between kernels."""
_OTHER_DTYPE = {
    torch.float64: torch.float32,
    torch.float32: torch.bfloat16,
    torch.bfloat16: torch.float16,
    torch.float16: torch.bfloat16,
}
_PROMOTING_DTYPE = {
    torch.float64: torch.float32,
    torch.float32: torch.float64,
    torch.bfloat16: torch.float32,
    torch.float16: torch.float32,
}

TensorChange = Callable[[torch.Tensor], torch.Tensor | None]
"""Returns a tensor changed, or None to leave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Inputs with one thing changed, a set for each call in turn, and how they are called."""

    inputs: Sequence[Inputs]
    change: str
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    grad: GradMode | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that can be changed. `change` raises Unavailable where there is nothing to."""

    name: str
    change: Callable[[Bench, Device], Changed]


def ways(bench: Bench) -> Iterator[Way]:
    """Yield every way to change something, those last that may be the end of a careless op."""
    yield Way("other tensors", _other_tensors)
    yield Way("size", partial(_resized, lambda size: size + _DIVISOR))
    yield Way("another size", partial(_resized, lambda size: size + 2 * _DIVISOR))
    yield Way("strides, transposed", partial(_laid_out, _transposed))
    yield Way("strides, every other", partial(_laid_out, _stepped))
    yield Way("strides, expanded", partial(_laid_out, _expanded))
    yield Way("dtype", partial(_laid_out, _retyped))
    yield Way("dtype promotion", _promoted)
    for place in _scalars(bench.inputs)[:_MOST_SCALARS]:
        yield Way(f"argument {place}, value", partial(_other_value, place))
        yield Way(f"argument {place}, one", partial(_one, place))
        yield Way(f"argument {place}, type", partial(_other_type, place))
    yield Way("stream", _other_stream)
    yield Way("gradients", _with_gradients)
    yield Way("autocast", _under_autocast)
    yield Way("size, odd", partial(_resized, lambda size: size + 1))
    yield Way("size, one", partial(_resized, lambda size: 1))
    yield Way("alignment", _misaligned)


def _other_tensors(bench: Bench, _: Device) -> Changed:
    size = sum(t.untyped_storage().nbytes() for t in tensors(bench.inputs) if is_plain(t))
    copies = max(2, min(_COPIES, _COPIED_BYTES // max(size, 1)))
    return Changed(
        inputs=[copied(bench.inputs) for _ in range(copies)],
        change=f"{copies} copies of the inputs at other addresses, one after the other",
    )


def _resized(resize: Callable[[int], int], bench: Bench, _: Device) -> Changed:
    """Change the first dimension, every one that is as long, and every integer that says so."""
    plain = [t for t in tensors(bench.inputs) if is_plain(t)]
    old = next((size for tensor in plain for size in tensor.shape[:1] if size > 1), None)
    if old is None:
        raise Unavailable("no tensor has a first dimension above 1", "")
    new = resize(old)

    def resized(tensor: torch.Tensor) -> torch.Tensor | None:
        if old not in tensor.shape:
            return None
        return _made_of(tensor, shape=[new if size == old else size for size in tensor.shape])

    inputs = _with_tensors(bench.inputs, resized)
    inputs = tuple(new if type(value) is int and value == old else value for value in inputs)
    return Changed(inputs=[inputs], change=_difference(bench.inputs, inputs))


def _laid_out(change: TensorChange, bench: Bench, _: Device) -> Changed:
    inputs = _with_tensors(bench.inputs, change)
    return Changed(inputs=[inputs], change=_difference(bench.inputs, inputs))


def _transposed(tensor: torch.Tensor) -> torch.Tensor | None:
    if not tensor.is_floating_point() or tensor.dim() < 2 or min(tensor.shape[-2:]) < 2:
        return None
    if tensor.mT.is_contiguous():
        return _made_of(tensor, shape=tensor.shape)
    *outer, rows, columns = tensor.shape
    return _made_of(tensor, shape=(*outer, columns, rows)).mT


def _stepped(tensor: torch.Tensor) -> torch.Tensor | None:
    if not tensor.is_floating_point() or tensor.dim() < 1:
        return None
    *outer, last = tensor.shape
    return _made_of(tensor, shape=(*outer, 2 * last))[..., ::2]


def _expanded(tensor: torch.Tensor) -> torch.Tensor | None:
    if not tensor.is_floating_point() or tensor.dim() < 1 or tensor.shape[0] < 2:
        return None
    return _made_of(tensor, shape=tensor.shape)[:1].expand(tensor.shape)


def _retyped(tensor: torch.Tensor) -> torch.Tensor | None:
    dtype = _OTHER_DTYPE.get(tensor.dtype)
    return None if dtype is None else _made_of(tensor, shape=tensor.shape, dtype=dtype)


def _misaligned(bench: Bench, _: Device) -> Changed:
    inputs = _with_tensors(bench.inputs, _askew)
    return Changed(inputs=[inputs], change="one element further on, no multiple of 16 bytes")


def _askew(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the same tensor one element further on."""
    if tensor.element_size() >= _DIVISOR:
        return None
    flat = _made_of(tensor, shape=(tensor.numel() + 1,))
    return flat[1:].view(tensor.shape)


def _promoted(bench: Bench, _: Device) -> Changed:
    floating = [t for t in tensors(bench.inputs) if is_plain(t) and t.dtype in _PROMOTING_DTYPE]
    if len(floating) < 2:
        raise Unavailable("there are no two floating tensors", "")
    first = floating[0]

    def promoted(tensor: torch.Tensor) -> torch.Tensor | None:
        if tensor is not first:
            return None
        return _made_of(tensor, shape=tensor.shape, dtype=_PROMOTING_DTYPE[tensor.dtype])

    inputs = _with_tensors(bench.inputs, promoted)
    return Changed(inputs=[inputs], change=_difference(bench.inputs, inputs))


def _scalars(inputs: Inputs) -> list[int]:
    return [place for place, value in enumerate(inputs) if type(value) in (int, float)]


def _other_value(place: int, bench: Bench, _: Device) -> Changed:
    """Halve a float; take one off an integer, which may be a size that must not grow."""
    value = bench.inputs[place]
    return _with_scalar(place, bench, value - 1 if type(value) is int else value / 2)


def _one(place: int, bench: Bench, _: Device) -> Changed:
    return _with_scalar(place, bench, type(bench.inputs[place])(1))


def _other_type(place: int, bench: Bench, _: Device) -> Changed:
    value = bench.inputs[place]
    return _with_scalar(place, bench, float(value) if type(value) is int else 1)


def _with_scalar(place: int, bench: Bench, value: Any) -> Changed:
    old = bench.inputs[place]
    if repr(value) == repr(old):  # a NaN equals nothing, not even itself
        raise Unavailable(f"it is {old!r} already", "")
    inputs = (*bench.inputs[:place], value, *bench.inputs[place + 1 :])
    return Changed(inputs=[inputs], change=f"{old!r} -> {value!r}")


def _other_stream(bench: Bench, device: Device) -> Changed:
    around = device.other_stream()
    return Changed(inputs=[bench.inputs], change="another stream is current", around=around)


def _with_gradients(bench: Bench, _: Device) -> Changed:
    if bench.grad != "no_grad":
        raise Unavailable(f"the grad mode is {bench.grad} already", "")

    def asking(tensor: torch.Tensor) -> torch.Tensor | None:
        if not tensor.is_floating_point():
            return None
        return _made_of(tensor, shape=tensor.shape).requires_grad_()

    inputs = _with_tensors(bench.inputs, asking)
    return Changed(inputs=[inputs], change="floating inputs require gradients", grad="grad")


def _under_autocast(bench: Bench, _: Device) -> Changed:
    kind = next((t.device.type for t in tensors(bench.inputs) if t.is_floating_point()), None)
    if kind not in ("cuda", "cpu"):
        raise Unavailable("no floating tensor is on a device that has autocast", "")
    around = partial(torch.autocast, kind, dtype=torch.bfloat16)
    return Changed(inputs=[bench.inputs], change="autocast to bfloat16", around=around)


def _with_tensors(inputs: Inputs, change: TensorChange) -> Inputs:
    """Return the inputs with every plain tensor changed. Raises Unavailable where none is."""
    changes = count()

    def changed(tensor: torch.Tensor) -> torch.Tensor:
        other = change(tensor) if is_plain(tensor) and tensor.numel() else None
        if other is None:
            return tensor
        next(changes)
        asks = tensor.requires_grad or other.requires_grad
        return other.detach().requires_grad_(asks)

    with torch.no_grad():
        made = replaced(inputs, changed)
    if next(changes) == 0:
        raise Unavailable("no input can be changed so", "")
    return made  # type: ignore[no-any-return]  # a tuple stays one


def _made_of(
    tensor: torch.Tensor, *, shape: Sequence[int], dtype: torch.dtype | None = None
) -> torch.Tensor:
    """Return a contiguous tensor of that shape, of the tensor's own values over and over.

    Twice the memory of the larger of the two lies under it.
    """
    values = tensor.detach().reshape(-1).to(dtype or tensor.dtype)
    size = torch.Size(shape).numel()
    room = 2 * max(size, tensor.numel())
    return values.repeat(-(-room // values.numel()))[:size].view(shape)


def _difference(one: Inputs, other: Inputs) -> str:
    """Say how the first argument, or tensor inside one, that differs was spelled, and is now."""
    arguments = zip(one, other, strict=True)
    pairs = [pair for a, b in arguments for pair in zip(_spelled(a), _spelled(b), strict=True)]
    changed = [f"{a} -> {b}" for a, b in pairs if a != b]
    if not changed:
        raise Unavailable("the inputs are so already", "")
    more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{changed[0]}{more}"


def _spelled(argument: Any) -> list[str]:
    """Return what an argument is, or what the tensors are that it holds."""
    if isinstance(argument, (tuple, list, dict)):
        return [spell_argument(tensor) for tensor in tensors(argument)]
    return [spell_argument(argument)]
