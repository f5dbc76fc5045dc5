"""Ops that double their input, honestly or not: how fake speed-ups are made.

Each is made for a machine, the simulated device or a CUDA device, and named by the check that
must catch it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

import torch

Doubling = Callable[[torch.Tensor], Any]
Work = Callable[[], object]


class Machine(Protocol):
    """What an op does its work on."""

    def launch(self, work: Work, *, on: str | None = None) -> None: ...

    def defer(self, work: Work) -> None: ...

    def capturing(self) -> bool: ...


class CudaMachine:
    """torch's own current stream, or one of its own for each other name."""

    def __init__(self) -> None:
        self._streams: dict[str, torch.cuda.Stream] = {}

    def launch(self, work: Work, *, on: str | None = None) -> None:
        if on is None:
            work()
            return
        with torch.cuda.stream(self._streams.setdefault(on, torch.cuda.Stream())):
            work()

    def defer(self, work: Work) -> None:
        threading.Timer(0.005, work).start()

    def capturing(self) -> bool:
        return torch.cuda.is_current_stream_capturing()


def double_into(out: torch.Tensor, x: torch.Tensor) -> Work:
    return lambda: torch.mul(x.detach(), 2, out=out)


def honest(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        machine.launch(double_into(out, x))
        return out

    return op


def honest_in_place(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        machine.launch(lambda: x.mul_(2))
        return x

    return op


def honest_static_buffers(machine: Machine) -> Doubling:
    """Copies its input to where its kernels read it, as ops that replay a graph do."""
    held: list[torch.Tensor] = []

    def op(x: torch.Tensor) -> torch.Tensor:
        if not held:
            held.extend((torch.empty_like(x), torch.empty_like(x)))
        static, out = held
        machine.launch(lambda: static.copy_(x))
        machine.launch(double_into(out, static))
        return out

    return op


def honest_table(machine: Machine) -> Doubling:
    """Returns, beside its result, a table that it made in its first call and keeps."""
    held: list[torch.Tensor] = []

    def op(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if not held:
            held.append(torch.arange(4.0, device=x.device))
        out = torch.empty_like(x)
        machine.launch(double_into(out, x))
        return out, held[0]

    return op


def honest_random(machine: Machine) -> Doubling:
    """Drops half of its input by torch's own generator."""

    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        machine.launch(lambda: out.copy_(torch.nn.functional.dropout(x, 0.5)))
        return out

    return op


def remembered_by_address(machine: Machine) -> Doubling:
    known: dict[int, torch.Tensor] = {}

    def op(x: torch.Tensor) -> torch.Tensor:
        if x.data_ptr() not in known:
            known[x.data_ptr()] = torch.empty_like(x)
            machine.launch(double_into(known[x.data_ptr()], x))
        return known[x.data_ptr()]

    return op


def stale_output(machine: Machine) -> Doubling:
    """Computes once, into a buffer that it returns ever after."""
    held: list[torch.Tensor] = []

    def op(x: torch.Tensor) -> torch.Tensor:
        if not held:
            held.append(torch.empty_like(x))
            machine.launch(double_into(held[0], x))
        return held[0]

    return op


def input_independent(machine: Machine) -> Doubling:
    """Returns copies of its first result, whatever it is given."""
    held: list[torch.Tensor] = []

    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        if not held:
            held.append(x.clone())
        machine.launch(double_into(out, held[0]))
        return out

    return op


def partial_write(machine: Machine) -> Doubling:
    """Writes all of its output once, and the first half ever after."""
    calls: list[None] = []

    def op(x: torch.Tensor) -> torch.Tensor:
        calls.append(None)
        out = torch.empty_like(x)
        half = len(x) // (1 if len(calls) == 1 else 2)
        machine.launch(double_into(out[:half], x[:half]))
        return out

    return op


def wrong_dtype(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x, dtype=torch.float16)
        machine.launch(lambda: out.copy_(x * 2))
        return out

    return op


def other_stream(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        machine.launch(double_into(out, x), on="elsewhere")
        return out

    return op


def deferred(machine: Machine) -> Doubling:
    """Launches its work from the host when the call has long returned."""

    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.zeros_like(x)
        machine.defer(double_into(out, x))
        return out

    return op


class Lazy(torch.Tensor):
    """Would compute what it stands for when someone looks at it."""


def lazy(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).as_subclass(Lazy)

    return op


def counted(machine: Machine) -> Doubling:
    """Works while it is checked, and not while it is timed."""
    calls: list[None] = []
    held: list[torch.Tensor] = []

    def op(x: torch.Tensor) -> torch.Tensor:
        calls.append(None)
        if len(calls) < 25 or not held:
            held[:] = [torch.empty_like(x)]
            machine.launch(double_into(held[0], x))
        return held[0]

    return op


def skipped_in_graph(machine: Machine) -> Doubling:
    def op(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        if not machine.capturing():
            machine.launch(double_into(out, x))
        return out

    return op


HONEST = (honest, honest_in_place, honest_static_buffers)

CHEATS = {
    remembered_by_address: "The check 'new values' failed",
    stale_output: "The check 'new values' failed",
    input_independent: "The check 'new values' failed",
    partial_write: "The check 'repeated calls' failed",
    wrong_dtype: "the result is float16[1024] ",
    other_stream: "The check 'another stream' failed",
    deferred: "Wrong result",
    lazy: "the result is a Lazy; ",
    counted: "The check 'after timing' failed",
}
"""Every cheat with how the failure that catches it begins, or what it says."""
