"""Which layer of the host a record belongs to, by who made it and by its name."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.model.intervals import Int64s, Ints

PYTHON = "python"
"""Time outside every record: the interpreter, libraries, the op's own code."""

FRAMEWORK, AUTOGRAD, COMPILED = "framework op", "autograd", "torch.compile"

LAYERS = (
    PYTHON,
    FRAMEWORK,
    AUTOGRAD,
    COMPILED,
    "annotation",
    "launch",
    "sync",
    "allocator",
    "runtime",
)
"""Every layer; the records of a trace are of all but the first."""

_LAYER_OF = {layer: code for code, layer in enumerate(LAYERS)}

_ALLOCATING = ("Malloc", "Free", "MemAlloc", "HostAlloc", "MemPool", "HostRegister")
"""Parts of the names of calls that take or give memory, in CUDA's and HIP's spelling."""

_AUTOGRAD = re.compile(r"(autograd|torch::autograd)::|\w+(Backward\d*|Function)\Z")
"""Nodes of the backward pass, and subclasses of `autograd.Function`, which bear their own name."""

_COMPILED = re.compile(
    r"TorchDynamo|Torch-Compiled Region|Pregraph bytecode|AOTDispatcher|CompiledFunction"
    r"|Call CompiledFxGraph|graph_\d+_inductor_wrapper_call|triton_[a-z]+_|cpp_fused_"
    r"|## (Call CompiledFxGraph .*|fx_\w+\.py|\d+) ##\Z"
)
"""What dynamo, AOTAutograd and Inductor record around and in a compiled call (torch 2.6 to 2.13):
Inductor's own kernels are `triton_poi_fused_...`, its graphs `## Call CompiledFxGraph ... ##`,
and the nodes of a graph `## 12 ##` inside `## fx_..._.py ##`. Other text between such signs is a
user's own: many training loops mark their phases so."""


def layers_of_spans(timeline: Timeline, names: Ints, *, otherwise: str) -> Int64s:
    """Return the layer of each framework op or annotation, as a number of `LAYERS`."""
    return _by_name(timeline, names, lambda name: _LAYER_OF[_layer(name, otherwise)])


def layers_of_calls(timeline: Timeline, calls: Int64s) -> Int64s:
    """Return the layer of each API call, as a number of `LAYERS`.

    A call launches by what it owns, copies and sets included, or by its name.
    """
    names = timeline.trace.calls.name[calls]
    allocating = _by_name(timeline, names, lambda name: any(part in name for part in _ALLOCATING))
    launching = timeline.kernel_launches[calls] | timeline.launches.owns_work[calls]
    return np.select(
        [launching, timeline.sync_calls[calls], allocating.astype(np.bool_)],
        [_LAYER_OF["launch"], _LAYER_OF["sync"], _LAYER_OF["allocator"]],
        _LAYER_OF["runtime"],
    )


def _by_name(timeline: Timeline, names: Ints, judge: Callable[[str], int]) -> Int64s:
    """Judge each name once."""
    judged = np.zeros(len(timeline.trace.names), np.int64)
    for name in np.flatnonzero(np.bincount(names, minlength=len(judged))).tolist():
        judged[name] = judge(timeline.trace.names[name])
    return judged[names]


def _layer(name: str, otherwise: str) -> str:
    if _COMPILED.match(name):
        return COMPILED
    return AUTOGRAD if _AUTOGRAD.match(name) else otherwise
