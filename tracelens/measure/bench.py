"""One case on the bench: its inputs, other values for them, and what the results must be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import torch

from tracelens.measure.backward import Backward
from tracelens.measure.device import Device, Unavailable
from tracelens.measure.failure import gist, spell_error
from tracelens.measure.inputs import make_inputs, seed_generators
from tracelens.measure.storages import Saved, addresses
from tracelens.measure.timing import timed_stretch
from tracelens.measure.values import copied, difference_of_frames, is_plain, tensors
from tracelens.model.measurement import GradMode
from tracelens.model.op import Case, Inputs, Op, Variant

Call = Callable[..., Any]

Against = Literal["reference", "baseline"]

_ADVICE = "Let inputs() return tensors of the same shapes, with other random values."
_NO_MEMORY = Unavailable("the device has no memory for a second set of inputs", "Make it smaller.")

_HALF = 0.5
"""What floating inputs are multiplied by where `inputs()` is the same for every seed: a number that
keeps signs, zeros and infinities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Right results: for the inputs as they were made, and for other values of them.

    `other_expected` is Unavailable where there are no other values. Without an `against` the op
    itself gave the results, at other addresses.
    """

    expected: Any
    other_expected: Any
    against: Against | None


class Bench:
    """The inputs of a case, shared by its variants, and the truth about them.

    The inputs hold what they were made with whenever a method begins and ends.
    """

    def __init__(self, op: Op, case: Case, *, seed: int) -> None:
        self.op = op
        self.seed = seed
        self.inputs = make_inputs(op, case, seed=seed)
        self.grad = _grad_mode(op, self.inputs)
        self.made = Saved.nothing()
        self._other: Inputs | Unavailable = _NO_MEMORY
        self._truths: dict[int, Truth] = {}
        with suppress(torch.OutOfMemoryError):
            self.made = Saved.of(self.inputs)
            self._other = _other_values(op, case, self.inputs, seed=seed)
            self.made.restore()  # inputs() may have filled the same tensors anew

    def caller(self, function: Call) -> Call:
        """Return a function as the op's mode calls it."""
        return Backward(function) if self.op.mode == "forward+backward" else function

    def reference(self, variant: Variant) -> tuple[Call | None, Against]:
        """Return what a variant is compared with: the reference, or the baseline, or nothing."""
        baseline = self.op.variants[0]
        if self.op.reference is not None:
            return self.op.reference, "reference"
        return (None if variant == baseline else baseline.call), "baseline"

    def truth(self, variant: Variant, result: Any, device: Device) -> Truth:
        """Return the right results of a variant; `result` is what its first call returned.

        A reference is called once for all variants. Without one the op is its own.
        """
        reference, against = self.reference(variant)
        if reference is None:
            return Truth(expected=result, other_expected=self._own(variant, device), against=None)
        if id(reference) not in self._truths:
            call, other = self.caller(reference), self._other
            self._truths[id(reference)] = Truth(
                expected=copied(self.result(call, self.copy(), device)),
                other_expected=other
                if isinstance(other, Unavailable)
                else copied(self.result(call, copied(other), device)),
                against=against,
            )
        return self._truths[id(reference)]

    def _own(self, variant: Variant, device: Device) -> Any:
        """Return what the op gives for the other values, at their own addresses."""
        if isinstance(self._other, Unavailable):
            return self._other
        try:
            return copied(self.result(self.caller(variant.call), copied(self._other), device))
        except Exception as error:
            reason = f"the op declines inputs at other addresses: {spell_error(error)}"
            return Unavailable(reason, "Add reference(*inputs) to the op file.")

    def result(self, call: Call, inputs: Inputs, device: Device) -> Any:
        """Call under the seed that every checked call has, and wait for the whole device."""
        seed_generators(self.seed)
        with timed_stretch(grad=self.grad):
            result = call(*inputs)
        device.synchronize()
        return result

    def copy(self) -> Inputs:
        """Return the inputs at other addresses, or the inputs where there is no memory for that."""
        return self.inputs if self._other is _NO_MEMORY else copied(self.inputs)

    def other_inputs(self) -> Inputs:
        """Return other values of the inputs. Raises Unavailable where there are none."""
        if isinstance(self._other, Unavailable):
            raise self._other
        return self._other


def _grad_mode(op: Op, inputs: Inputs) -> GradMode:
    if op.mode == "inference":
        return "inference"
    asked = op.mode == "forward+backward" or any(t.requires_grad for t in tensors(inputs))
    return "grad" if asked else "no_grad"


def _other_values(op: Op, case: Case, inputs: Inputs, *, seed: int) -> Inputs | Unavailable:
    """Make inputs anew from another seed; where that changes nothing, halve what floats."""
    foreign = next((t for t in tensors(inputs) if not is_plain(t) and t.numel()), None)
    if foreign is not None:
        return Unavailable(f"{_spell_kind(foreign)} cannot be given other values in place", "")
    made = Saved.of(inputs)
    other: Inputs = make_inputs(op, case, seed=seed + 1)
    difference = difference_of_frames(inputs, other)
    if difference is not None:
        return Unavailable(f"inputs() gives other kinds of inputs each time: {difference}", _ADVICE)
    if addresses(inputs) & addresses(other):
        other = copied(other)
        made.restore()
    if not made.holds(other):
        return other
    other = copied(other)
    shared = addresses(inputs)  # by modules, which are not copied
    floating = [t for t in tensors(other) if t.is_floating_point() and not addresses(t) & shared]
    if not floating:
        return Unavailable("inputs() gives the same values for every seed", _ADVICE)
    with torch.no_grad():
        for tensor in floating:
            tensor.mul_(_HALF)
    return other


def _spell_kind(tensor: torch.Tensor) -> str:
    if type(tensor) is not torch.Tensor:
        return f"a {gist(type(tensor).__name__)}"
    kind = tensor.device.type if tensor.layout == torch.strided else str(tensor.layout)
    return f"a tensor of kind {kind.removeprefix('torch.')}"
