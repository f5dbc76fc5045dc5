"""How much to measure: the numbers of the protocol, with defaults that suit a small op."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tracelens.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is taken. With the defaults a small warm op is measured in a few seconds.

    A stage ends when it has its samples or when `budget_ns` is spent, whichever comes first, and
    never with fewer than five samples. Raises UsageError for a number that means nothing.
    """

    device: str | None = None
    """`cuda`, `cuda:1` or `cpu`; None measures where the op's inputs and outputs are."""
    seed: int = 0
    samples: int = 200
    """Full calls, each with its own wait for the device."""
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
    budget_ns: int = 1_000_000_000
    """Most time for the samples of one stage."""

    def __post_init__(self) -> None:
        least = {"seed": 0, "warmup_calls": 0, "warmup_ns": 0, "head_calls": 0}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < least.get(field.name, 1):
                raise UsageError(
                    f"{field.name} is {value}; it must be at least {least.get(field.name, 1)}.",
                    f"Choose a larger {field.name}.",
                )
