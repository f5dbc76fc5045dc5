"""The op under test, as its file states it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.report import Finding

Inputs = tuple[Any, ...]
"""Whatever the op file's `inputs()` returned: the tool passes it on and never looks at its type."""

MISSPELLED = "op/misspelled"
"""The tag of a finding about a name of the op file that is nearly one of its contract."""

Mode = Literal["inference", "forward", "forward+backward"]
"""What one call is: under inference mode, as it stands, or with the backward pass behind it.

`forward` records gradients where an input asks for them, and only there.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a result may lie from its reference.

    It passes where `|result - reference| <= atol + rtol * |reference|`, element by element.
    """

    atol: float
    rtol: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One set of inputs: keyword arguments of `inputs()`. Without a name it is the only one."""

    name: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    predictions: tuple[str, ...] = ()
    """What a comparison of this case is expected to find, each such as `kernel: -20% +/- 3%`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """An inner entry point of a variant, called with the same inputs."""

    name: str
    call: Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to compute the op. Without a name it is the only one.

    `flops` and `bytes_moved` are called with the inputs and return what one call of this variant
    computes and moves at least; None where the file does not say.
    """

    call: Callable[..., Any]
    name: str | None = None
    flops: Callable[..., Any] | None = None
    bytes_moved: Callable[..., Any] | None = None
    layers: tuple[Layer, ...] = ()
    """Its inner entry points, outermost first: each is inside the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One op: how to make its inputs, how to call it, what its result should be.

    The first variant is the baseline. `tolerance` holds for all results, or is looked up by dtype,
    such as `float32`; what it does not name has a default. `setup` and `teardown` are called once
    a process, before the first inputs are made and after all else. `configs` names template
    arguments of the op's own kernels, in order: from `{"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}`
    a later reader knows what `<16, 1, 1, 2>` says. `expected` are kernels that must run.
    """

    name: str
    inputs: Callable[..., Inputs]
    variants: tuple[Variant, ...]
    cases: tuple[Case, ...] = (Case(),)
    reference: Callable[..., Any] | None = None
    tolerance: Tolerance | Mapping[str, Tolerance] | None = None
    mode: Mode = "forward"
    setup: Callable[[], object] | None = None
    teardown: Callable[[], object] | None = None
    configs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    expected: tuple[ExpectedKernel, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    """What the op file imports beside torch and triton, each with its version."""
    doubts: tuple[Finding, ...] = ()
    """What the op file most likely means to say and does not."""

    def stated_kernels(self, case: str | None, variant: str | None) -> StatedKernels | None:
        """Return what is stated of the kernels of a case and variant, or None for nothing."""
        expected = tuple(e for e in self.expected if e.holds_for(case, variant))
        if not self.configs and not expected:
            return None
        return StatedKernels(configs=self.configs, expected=expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which cases and variants of an op are measured, by name; none named means all.

    With `baseline_alone` none named means the first of the variants.
    """

    cases: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    baseline_alone: bool = False
