"""The op under test, as its file states it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Inputs = tuple[Any, ...]
"""Whatever the op file's `inputs()` returned: the tool passes it on and never looks at its type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a result may lie from its reference.

    It passes where `|result - reference| <= atol + rtol * |reference|`, element by element.
    """

    atol: float
    rtol: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One op: how to make its inputs, how to call it, what its result should be.

    `configs` names template arguments of the op's own kernels, in order: from
    `{"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}` a later reader knows what `<16, 1, 1, 2>` says.
    """

    name: str
    call: Callable[..., Any]
    inputs: Callable[[], Inputs]
    reference: Callable[..., Any] | None = None
    tolerance: Tolerance | None = None
    configs: dict[str, tuple[str, ...]] = field(default_factory=dict)
