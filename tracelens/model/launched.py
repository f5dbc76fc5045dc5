"""Which kernels a call launched through a compiler that was watched, in which configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Setting = int | str | bool
"""The value of a constant that a kernel was compiled for; what is no number or word is spelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A configuration that a tuner could choose, in its own words: constants, `num_warps` ...

    `time_ns` is the median that the tuner measured; None where it measured none, or more than one
    for different inputs. A candidate that `failed` did not run at all, such as for want of memory.
    """

    settings: Mapping[str, Setting]
    time_ns: int | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What a tuner chose from. `chosen` is a place in `candidates`, None where none can be told."""

    candidates: tuple[Candidate, ...]
    chosen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a kernel's source is. `text` is that of a generated file, as far as it is kept."""

    file: str
    """Its name without its folder."""
    line: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledKernel:
    """A kernel as it was compiled and launched. What the compiler does not tell is None.

    `shared_memory` is in bytes per block, `registers` per thread; `spills` are registers that had
    no room, per thread. `threads` are those of a block. `ops` are the framework ops that Inductor
    fused into it.
    """

    name: str
    """As the driver knows it, and a trace shows it."""
    compiler: Literal["triton", "inductor"]
    constexprs: Mapping[str, Setting] = field(default_factory=dict)
    num_warps: int | None = None
    num_stages: int | None = None
    num_ctas: int | None = None
    maxnreg: int | None = None
    grid: tuple[int, int, int] | None = None
    """As it was asked for: of a cluster, `num_ctas` blocks stand in each place of it."""
    threads: int | None = None
    shared_memory: int | None = None
    registers: int | None = None
    spills: int | None = None
    target: str | None = None
    """What it was compiled for, such as `cuda:90`."""
    tuning: Tuning | None = None
    source: Source | None = None
    ops: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Setting]:
        """The configuration in its author's words: its constants, and the options that are known.

        `num_ctas` of 1 is no choice, and left out.
        """
        options = {
            "num_warps": self.num_warps,
            "num_stages": self.num_stages,
            "num_ctas": None if self.num_ctas == 1 else self.num_ctas,
            "maxnreg": self.maxnreg,
        }
        return {**self.constexprs, **{n: v for n, v in options.items() if v is not None}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """The kernels of one warm call: each different one once, and the order of their launches.

    `order` holds a place in `kernels` for each launch.
    """

    kernels: tuple[CompiledKernel, ...]
    order: tuple[int, ...]
