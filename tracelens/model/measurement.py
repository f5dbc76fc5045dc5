"""What one run measured: every raw sample, and how it came to be.

A run is a stream of records, each complete when it is sent. An `Outline` says which subjects are
to come, and a `Subject` begins, or takes up again, one case of one variant: what follows is about
it, `StatedKernels`, a `Protocol`, a `Check`, `Trial`s, `Measurement`s, a `Capture`, and a `Failure`
where it ended early. In a process or across one, the same records arrive in the same order, so that
nothing that was measured is lost to a later crash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tracelens.model.card import CardReading
from tracelens.model.ceiling import Ceiling
from tracelens.model.expectation import StatedKernels
from tracelens.model.functions import FunctionSamples
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.launched import Launched
from tracelens.model.layered import Layered
from tracelens.model.op import Mode
from tracelens.model.report import Environment, Finding, Report
from tracelens.model.sweep import SweepPoint
from tracelens.model.sync_line import SyncLine

RUN_SCHEMA = "tracelens.run/1"

GradMode = Literal["grad", "no_grad", "inference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the records that follow are about: a case and a variant, None where there is but one."""

    case: str | None = None
    variant: str | None = None
    baseline: bool = True
    """Whether the other variants of the case are compared with this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """Every subject of a run, in the order in which they are measured."""

    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How the run was taken. What a number means depends on every field of this."""

    device: str
    """`cuda:0`, or `cpu`."""
    seed: int
    grad_mode: GradMode
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
    mode: Mode = "forward"
    """What one call is: with `forward+backward` the gradients of all leaves are part of it."""
    inputs: tuple[str, ...] = ()
    """What the op was called with, an argument each: `bfloat16[4, 1024] cuda:0, strides [1, 4]` for
    a tensor, `0.5` for a scalar."""
    threads: int | None = None
    """How many threads of the CPU torch may use inside one op; None in runs that do not say."""
    cores: int | None = None
    """Over how many cores calls were spread, block by block; None for one, or if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The op's result beside its reference, taken before any timing.

    `status` is `passed`, or `no reference` where there is none; `failed` is recorded only where
    the run was told to go on. `max_abs_error` is None without a reference, after a failure, or
    where nothing is numeric.
    """

    status: Literal["passed", "failed", "no reference"]
    max_abs_error: float | None = None
    atol: float | None = None
    rtol: float | None = None
    outputs: tuple[str, ...] = ()
    """Shape, dtype and device of each output tensor, such as `bfloat16[1024] cuda:0`."""
    against: Literal["reference", "baseline"] = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One check of how the op behaves: what passing it proves, and what was found."""

    name: str
    proves: str
    status: Literal["passed", "failed", "skipped"]
    fact: str
    """What was seen; for a skipped one, why."""
    advice: str = ""
    stops: bool = True
    """Whether failing it makes timing pointless; else the op merely promises less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one call computes and moves, as the op file states it. None where it does not say."""

    flops: int | None = None
    bytes_moved: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """What the op file predicts for the case against its baseline, such as `kernel: -20%`."""

    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """Something that the reader should know and that withholds nothing."""

    finding: Finding


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
    ended_by: Literal["precision", "samples", "budget"] | None = None
    """Why sampling ended: the median is known well enough, or there was no more to take or spend.
    None where the number of samples was set."""
    discarded: int = 0
    """Samples left out, for the card was throttled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A written profiled pass: annotations `window` are eager calls, `replay_window` replays.

    The cold ones are the same with a flushed L2, where both were asked for.
    """

    path: str
    window: str
    replay_window: str | None
    cold_window: str | None = None
    cold_replay_window: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stage begins: what a progress line shows, and where a crash is placed."""

    name: str
    is_extra: bool = False
    """Whether all else was measured before it: an end inside it costs its own figures alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A quantity that was not measured: the tags (stems) that stay null, and why."""

    tags: tuple[str, ...]
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The run ended early, in `stage`. What came before it stands."""

    stage: str
    kind: Literal["input", "usage", "wrong result", "raised", "crashed", "timeout", "interrupted"]
    fact: str
    hint: str


Record = (
    Outline
    | Subject
    | Environment
    | Protocol
    | StatedKernels
    | Check
    | Trial
    | Work
    | Predicted
    | Noticed
    | Measurement
    | Launched
    | SyncLine
    | Layered
    | Repetition
    | Variation
    | SweepPoint
    | CardReading
    | Ceiling
    | FunctionSamples
    | Capture
    | Stage
    | Withheld
    | Failure
)

OnRecord = Callable[[Record], None]
"""Is told each record as it arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRun:
    """All that a run found out about one case of one variant."""

    subject: Subject = Subject()
    protocol: Protocol | None = None
    stated: StatedKernels | None = None
    check: Check | None = None
    trials: tuple[Trial, ...] = ()
    work: Work | None = None
    predicted: Predicted | None = None
    noticed: tuple[Noticed, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    launched: Launched | None = None
    sync_lines: tuple[SyncLine, ...] = ()
    layered: Layered | None = None
    repetition: Repetition | None = None
    variations: tuple[Variation, ...] = ()
    sweep: tuple[SweepPoint, ...] = ()
    card: tuple[CardReading, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()
    functions: FunctionSamples | None = None
    withheld: tuple[Withheld, ...] = ()
    capture: Capture | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one op, whole: what `run.json` holds.

    `failure` ended the run before its first subject; each subject has its own beside it.
    """

    op: str
    environment: Environment
    subjects: tuple[SubjectRun, ...]
    failure: Failure | None = None
    report: Report | None = None
    schema: str = RUN_SCHEMA
