"""A call with its backward pass behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from tracelens.errors import OpFileError
from tracelens.measure.values import tensors

_SEED = 0


class Backward:
    """Calls an op and takes the gradients of all leaves, for fixed random gradients of its outputs.

    A call returns the outputs and the gradients of the inputs, so that both are checked. Gradients
    are handed out, never accumulated into `.grad`: every call does the same work, in a row too.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._gradients: list[torch.Tensor] | None = None
        self._hidden: list[torch.Tensor] = []

    def __call__(self, *inputs: Any) -> tuple[Any, tuple[torch.Tensor | None, ...]]:
        """Return the op's result and the gradients of the inputs that ask for them, in order."""
        leaves = [tensor for tensor in tensors(inputs) if tensor.requires_grad]
        result = self._call(*inputs)
        outputs = [tensor for tensor in tensors(result) if tensor.requires_grad]
        if self._gradients is None:
            self._prepare(outputs, leaves)
        gradients = torch.autograd.grad(
            outputs, [*leaves, *self._hidden], self._gradients, allow_unused=True
        )
        return result, gradients[: len(leaves)]

    def _prepare(self, outputs: list[torch.Tensor], leaves: list[torch.Tensor]) -> None:
        if not outputs:
            raise OpFileError(
                "The mode is forward+backward, but no output of op() records gradients.",
                "Let inputs() make a tensor with requires_grad=True, or choose another mode.",
            )
        known = {id(leaf) for leaf in leaves}
        self._hidden = [leaf for leaf in _leaves(outputs) if id(leaf) not in known]
        self._gradients = [_fixed_gradient(output) for output in outputs]


def _fixed_gradient(output: torch.Tensor) -> torch.Tensor:
    """Return random numbers, the same for each output alike; ones would hide half of softmax."""
    generator = torch.Generator(output.device).manual_seed(_SEED)
    gradient = torch.empty_like(output, requires_grad=False)
    return gradient.normal_(generator=generator)


def _leaves(outputs: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Yield the tensors that the graph behind the outputs ends in: parameters of a module, say."""
    pending = [output.grad_fn for output in outputs]
    seen = set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):  # an AccumulateGrad: it holds the leaf
            yield node.variable
        pending += [following for following, _ in node.next_functions]
