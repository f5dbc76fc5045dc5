"""What a call costs for being the first of its kind, the second, or the thousandth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Calls with the same inputs, in the order made, in ns from the call until it returned.

    `first_ns` and `second_ns` are the first two of the process, until the device was done. The
    others follow the checks of the op's behaviour, whose calls are not among them.
    """

    first_ns: int
    second_ns: int
    submit_ns: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """What changing one thing about the inputs costs, in ns from the call until it returned.

    `before_ns` are calls with the op file's own inputs, then come the first and second call with
    the change, more of them, the first call with the own inputs again, and more of those.
    """

    name: str
    """What is changed: `size`, `strides`, `dtype`."""
    change: str
    """From what to what: `float32[1024] -> float32[1040]`."""
    status: Literal["measured", "not accepted", "not measured"]
    fact: str = ""
    """Why it was not accepted or not measured."""
    before_ns: tuple[int, ...] = ()
    first_ns: int | None = None
    second_ns: int | None = None
    changed_ns: tuple[int, ...] = ()
    back_ns: int | None = None
    after_ns: tuple[int, ...] = ()
    triton_kernels: int | None = None
    """Kernels that Triton compiled or took from its cache on disk, while calls had the change; None
    where it was not watched."""
    graphs: int | None = None
    """Graphs that torch.compile made meanwhile; None where it is not in use."""
