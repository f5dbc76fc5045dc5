"""KernelBench problem files, understood as they are.

They define `Model`, in a solution `ModelNew` too, `get_inputs()` and `get_init_inputs()`; see
https://github.com/ScalingIntelligence/KernelBench.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tracelens.errors import OpFileError
from tracelens.measure.contract import read_tolerance
from tracelens.measure.values import replaced
from tracelens.model.op import Inputs, Op, Tolerance, Variant

_CLASSES = ("Model", "ModelNew")
_SEED = 42
"""The seed that KernelBench's own evaluation sets before it builds each model."""

_TOLERANCE = Tolerance(atol=1e-2, rtol=1e-2)
"""What KernelBench's own evaluation allows."""


def is_kernelbench(module: ModuleType) -> bool:
    """Say whether a file is such a problem, and no op file of ours."""
    has = vars(module).keys()
    return "get_inputs" in has and not {"op", "variants"} & has and bool(set(_CLASSES) & has)


def read_kernelbench(module: ModuleType, path: Path) -> Op:
    """Return the op: `Model` is reference and baseline, `ModelNew` the other variant."""
    models = _Models(module)
    names = [name for name in _CLASSES if hasattr(module, name)]
    tolerance = read_tolerance(getattr(module, "tolerance", None), path) or _TOLERANCE
    return Op(
        name=path.stem,
        inputs=models.inputs,
        variants=tuple(
            Variant(name=name if len(names) > 1 else None, call=models.caller(name))
            for name in names
        ),
        reference=models.caller("Model") if "Model" in names else None,
        tolerance=tolerance,
        setup=models.build,
    )


class _Models:
    """The models of a file: built alike, from the same seed, on the device where there is one."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._built: dict[str, torch.nn.Module] = {}

    def build(self) -> None:
        """Construct every model; one whose parameters look the same takes `Model`'s values."""
        for name in _CLASSES:
            if hasattr(self._module, name):
                self._built[name] = self._constructed(name)
        if len(self._built) == len(_CLASSES):
            model, candidate = (self._built[name] for name in _CLASSES)
            ours, theirs = model.state_dict(), candidate.state_dict()
            if {k: v.shape for k, v in ours.items()} == {k: v.shape for k, v in theirs.items()}:
                candidate.load_state_dict(ours)

    def _constructed(self, name: str) -> torch.nn.Module:
        torch.manual_seed(_SEED)
        arguments: Any = getattr(self._module, "get_init_inputs", tuple)()
        model = getattr(self._module, name)(*self._moved(arguments))
        if not isinstance(model, torch.nn.Module):
            raise OpFileError(
                f"{name} is an object of type {type(model).__name__}; KernelBench's are modules.",
                f"Let {name} be a torch.nn.Module.",
            )
        return model.to(self._device)

    def inputs(self) -> Inputs:
        """Return what `get_inputs()` does, as a tuple, on the device."""
        made = self._module.get_inputs()
        return tuple(self._moved(made))

    def caller(self, name: str) -> Any:
        """Return a function that calls the model of that name, which is built later."""

        def call(*inputs: Any) -> Any:
            return self._built[name](*inputs)

        return call

    def _moved(self, value: Any) -> Any:
        return replaced(value, lambda tensor: tensor.to(self._device))
