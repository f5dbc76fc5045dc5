"""Which Python functions the host was in, sampled while an op was called again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SamplingWay = Literal["memory", "signal"]
"""Another process reads the interpreter's memory; or a timer's signal runs a handler in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One line of one function, as a sample found it on the stack.

    `file` says nothing of the machine: `triton/runtime/jit.py` for a package, `json/decoder.py` for
    the standard library, `<op file>` for the op's own, the bare file name for any other.
    """

    function: str
    """Its qualified name where Python has one (3.11), else its name."""
    file: str
    line: int
    """Where it was; at its entry, where it is defined."""
    defined: int
    """Where the function begins."""
    text: str = ""
    """The line's source, where the file belongs to an installed package; the op's own is in the run
    folder anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Samples that found the same lines: places in `FunctionSamples.frames`, outermost first.

    No frames at all: the call was in no Python function of its own, but in what was called, such as
    a C function.
    """

    frames: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSamples:
    """Where warm calls of an op spent their host time: a record of a run.

    Sampled and unsampled blocks of calls alternated; a block is `batch` calls in a row, and the
    wait for the device behind it is in no sample. A wait inside the call is, where it happens. The
    counts of all stacks and `unkept` sum to `samples`.
    """

    way: SamplingWay
    frames: tuple[Frame, ...]
    stacks: tuple[Stack, ...]
    samples: int
    """Samples that fell inside a call."""
    batch: int
    sampled_ns: tuple[int, ...]
    """Host time per call of each block under the sampler."""
    plain_ns: tuple[int, ...]
    """The same of the blocks without: what a share of the samples is a share of."""
    unkept: int = 0
    """Samples in stacks that were too rare to be kept."""
    unread: int = 0
    """Attempts that found the stack half changed, and are no samples."""
    instead_of: str = ""
    """Why the memory could not be read, where a signal is the way."""


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function, or what is none: then it is in no file."""

    name: str
    file: str | None = None
    line: int | None = None
    """Where it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTimes:
    """One call's host time, divided among stacks of functions in proportion to their samples.

    `stacks` name `functions` by their places, outermost first, each with its ns and its samples;
    the ns sum to `whole_ns` exactly.
    """

    name: str
    """The subject: its op, case and variant."""
    functions: tuple[Function, ...]
    stacks: tuple[tuple[tuple[int, ...], int, int], ...]
    whole_ns: int
    samples: int
