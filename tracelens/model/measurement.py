"""What one run measured: every raw sample, and how it came to be.

A run is a stream of records, each complete when it is sent: an `Environment`, a `Protocol`, a
`Check`, `Measurement`s, a `Capture`, and a `Failure` where something ended early. In a process or
across one, the same records arrive in the same order, so that nothing that was measured is lost
to a later crash.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tracelens.model.report import Environment, Finding, Report

RUN_SCHEMA = "tracelens.run/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How the run was taken. What a number means depends on every field of this."""

    device: str
    """`cuda:0`, or `cpu`."""
    seed: int
    grad_mode: Literal["grad", "no_grad", "inference"]
    warmup_calls: int
    warmup_ns: int
    """Warm-up lasts for at least as many calls and at least as much time."""
    samples: int
    """Wanted samples of a full call."""
    batch: int
    """Calls per sample of the amortised time."""
    profiled_calls: int
    """Calls under the profiler that count, after `head_calls` that do not."""
    head_calls: int
    cache_state: str
    """`warm`: inputs are left where the call before left them."""
    clock: str
    """The host clock, by the name of its function."""
    garbage_collection: Literal["off", "on"] = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The op's result beside its reference, taken before any timing.

    `status` is `passed`, or `no reference` where the op file has none; a failed check is an
    error, not a record. `max_abs_error` is None without a reference or where nothing is numeric.
    """

    status: Literal["passed", "no reference"]
    max_abs_error: float | None = None
    atol: float | None = None
    rtol: float | None = None
    outputs: tuple[str, ...] = ()
    """Shape, dtype and device of each output tensor, such as `bfloat16[1024] cuda:0`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One quantity, sampled. `samples_ns` holds every raw sample in the order taken.

    `tag` is the stem of the metrics it gives: `full/eager` becomes `full/eager/median` and its
    companions. `includes` says in one sentence what a sample holds, from which instant to which.
    """

    tag: str
    samples_ns: tuple[int, ...]
    clock: str
    includes: str
    batch: int = 1
    """Calls per sample; samples are already divided by it."""
    warmup_calls: int = 0
    cache_state: str = "warm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A written profiled pass: annotations `window` are eager calls, `replay_window` replays."""

    path: str
    window: str
    replay_window: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stage begins: what a progress line shows, and where a crash is placed."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A quantity that was not measured: the tags (stems) that stay null, and why."""

    tags: tuple[str, ...]
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The run ended early, in `stage`. What came before it stands."""

    stage: str
    kind: Literal["input", "wrong result", "raised", "crashed", "timeout", "interrupted"]
    fact: str
    hint: str


Record = Environment | Protocol | Check | Measurement | Capture | Stage | Withheld | Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one op, whole: what `run.json` holds."""

    op: str
    environment: Environment
    protocol: Protocol | None
    check: Check | None
    measurements: tuple[Measurement, ...]
    withheld: tuple[Withheld, ...]
    capture: Capture | None
    failure: Failure | None
    report: Report | None = None
    schema: str = RUN_SCHEMA
