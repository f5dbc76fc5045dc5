"""How much to measure: the numbers of the protocol, with defaults that suit a small op."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from tracelens.errors import UsageError
from tracelens.measure.device import FlushWay

FLUSH_WAYS = get_args(FlushWay)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is taken. With the defaults a small warm op is measured in a few seconds.

    Full calls are sampled block by block until their median is known to `precision`, or there are
    `most_samples`, or `budget_ns` is spent, and never fewer than five. Raises UsageError for a
    number or a word that means nothing.
    """

    device: str | None = None
    """`cuda`, `cuda:1` or `cpu`; None measures where the op's inputs and outputs are."""
    seed: int = 0
    samples: int = 200
    """Full calls of a block, each with its own wait for the device, spread over the cores."""
    most_samples: int = 10_000
    precision: float = 0.005
    """How near the ends of the median's 95 % interval must be to it, as a share of it."""
    l2: Literal["cold", "warm", "both"] | None = None
    """The L2 cache before a sample; None is both where the op says what it moves, else warm."""
    flush: FlushWay = "write"
    """How the L2 is made cold: by writing or by reading twice its size."""
    keep_going: bool = False
    """Measure an op that failed a check all the same."""
    batches: int = 20
    """Samples of the amortised time."""
    batch: int = 100
    """Most calls in one of them; slow ops take fewer, so that the budget holds."""
    warmup_calls: int = 5
    warmup_ns: int = 200_000_000
    """An idle card needs a tenth of a second or two to raise its clocks."""
    head_calls: int = 5
    """Calls under the profiler that are thrown away: it can lose its first records."""
    profiled_calls: int = 20
    replays: int = 10
    """Graph replays under the profiler."""
    budget_ns: int = 400_000_000
    """Most time for the samples of one stage."""
    functions: bool = True
    """Sample the Python functions that calls are in."""
    function_samples: int = 10_500
    variations: bool = False
    """Vary the inputs when all else is measured: it may compile for seconds, or end a process."""
    variations_ns: int = 20_000_000_000
    """No variation is begun after that."""

    def __post_init__(self) -> None:
        least = {"seed": 0, "warmup_calls": 0, "warmup_ns": 0, "head_calls": 0}
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is int and value < least.get(field.name, 1):
                raise UsageError(
                    f"{field.name} is {value}; it must be at least {least.get(field.name, 1)}.",
                    f"Choose a larger {field.name}.",
                )
        if not 0 < self.precision < 1:
            raise UsageError(
                f"precision is {self.precision}; it must be a share between 0 and 1.",
                "Say 0.005 for half a percent.",
            )
        for name, words in {"l2": (None, "cold", "warm", "both"), "flush": FLUSH_WAYS}.items():
            if getattr(self, name) not in words:
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}, which means nothing.",
                    f"Choose one of {', '.join(word for word in words if word)}.",
                )
