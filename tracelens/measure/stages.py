"""The stages of a run, each a stream of what it measured, and what each sample includes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Literal

import torch

from tracelens.measure.clock import CLOCK
from tracelens.measure.device import Unavailable
from tracelens.measure.options import Options
from tracelens.measure.profiled import CALL_WINDOW, REPLAY_WINDOW, profile_calls
from tracelens.measure.timing import (
    Subject,
    batch_within,
    sample_batches,
    sample_calls,
    timed_stretch,
    warm_up,
)
from tracelens.measure.undisturbed import Undisturbed, sample_undisturbed
from tracelens.model.measurement import Capture, Measurement, Record, Stage, Withheld
from tracelens.model.report import Finding

Replay = Callable[[], object]

_KERNEL_TAGS = ("kernel/eager/busy", "kernel/eager/sum")
_GRAPH_TAGS = (
    "full/graph",
    "submit/graph",
    "amortised/graph",
    "kernel/graph/busy",
    "kernel/graph/sum",
)
_UNDISTURBED_TAGS = (
    "undisturbed/before_first",
    "undisturbed/busy",
    "undisturbed/between",
    "undisturbed/after_last",
    "undisturbed/full",
)


def call_first(subject: Subject) -> tuple[Measurement, object]:
    """Time the first call of all; return its sample and its result."""
    now, synchronize = subject.device.now_ns, subject.device.synchronize
    with timed_stretch(grad=subject.grad):
        synchronize()
        begun_ns = now()
        result = subject.call()
        synchronize()
        done_ns = now()
    includes = "one call, with compilation, autotuning, module loading and allocation"
    return _measurement("cold/first_call", (done_ns - begun_ns,), includes), result


def measure_eager(subject: Subject, options: Options) -> Iterator[Record]:
    """Measure the op as it is called: full, submit and amortised."""
    return _three_times(subject, options, "eager")


def measure_graph(subject: Subject, options: Options) -> Generator[Record, None, Replay | None]:
    """Capture the op and measure its replay the same way; return it, or None where it failed."""
    yield Stage(name="graph capture")
    try:
        with timed_stretch(grad=subject.grad):
            replay = subject.device.capture(subject.call)
    except Unavailable as reason:
        yield _withheld(_GRAPH_TAGS, "graph/not_captured", "warning", reason)
        return None
    replayed = Subject(call=replay, device=subject.device, grad=False)
    yield from _three_times(replayed, options, "graph")
    return replay


def measure_undisturbed(subject: Subject, options: Options) -> Iterator[Record]:
    """Time full calls beside device records that do not slow them; split them in four."""
    yield Stage(name="undisturbed calls")
    warmup = warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns)
    try:
        found = sample_undisturbed(
            subject,
            head_calls=options.head_calls,
            samples=options.samples,
            budget_ns=options.budget_ns,
        )
    except Unavailable as reason:
        yield _withheld(_UNDISTURBED_TAGS, "undisturbed/unavailable", "info", reason)
        return
    yield from _spell_undisturbed(found, warmup)


def withhold_device() -> Withheld:
    """Say why an op on the CPU has no device times."""
    reason = Unavailable(
        "The op's tensors are on the CPU: there is no device time and no graph."
        if torch.cuda.is_available()
        else "torch sees no CUDA device: there is no device time and no graph.",
        "Run the op on a CUDA device to see kernels, launches and a graph's replay.",
    )
    tags = (*_KERNEL_TAGS, *_GRAPH_TAGS, *_UNDISTURBED_TAGS)
    return _withheld(tags, "device/none", "info", reason)


def profile_pass(
    subject: Subject, replay: Replay | None, options: Options, trace_path: Path
) -> Iterator[Record]:
    """Profile calls and replays into a trace file: the last stage, for it slows every call."""
    yield Stage(name="profiled calls")
    instants = profile_calls(
        subject,
        replay=replay,
        head_calls=options.head_calls,
        calls=options.profiled_calls,
        replays=options.replays,
        budget_ns=options.budget_ns,
        path=trace_path,
    )
    includes = "like a full call, annotated, with the profiler on"
    yield _measurement("full_profiled/eager", instants.full_ns, includes, warmup=options.head_calls)
    yield Capture(
        path=trace_path.name,
        window=CALL_WINDOW,
        replay_window=REPLAY_WINDOW if replay is not None else None,
    )


def _three_times(
    subject: Subject, options: Options, way: Literal["eager", "graph"]
) -> Iterator[Record]:
    yield Stage(name=f"{way} warm-up")
    warmup = warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns)

    yield Stage(name=f"{way} full calls")
    instants = sample_calls(subject, samples=options.samples, budget_ns=options.budget_ns)
    full = "device idle; from the call until a synchronize has returned"
    yield _measurement(f"full/{way}", instants.full_ns, full, warmup=warmup)
    submit = "device idle; from the call until it has returned, no wait"
    yield _measurement(f"submit/{way}", instants.submit_ns, submit, warmup=warmup)

    yield Stage(name=f"{way} amortised calls")
    call_ns = int(statistics.median(instants.full_ns))
    batch = batch_within(options.budget_ns, call_ns=call_ns, most=options.batch)
    per_call_ns = sample_batches(
        subject, batches=options.batches, batch=batch, budget_ns=options.budget_ns
    )
    amortised = f"{batch} calls in a row and one synchronize, divided by {batch}"
    yield _measurement(f"amortised/{way}", per_call_ns, amortised, batch=batch, warmup=warmup)


def _spell_undisturbed(found: Undisturbed, warmup: int) -> Iterator[Measurement]:
    apart = f"clocks mapped within {found.uncertainty_ns} ns"
    parts = {
        "before_first": f"from the call to the start of its first device work; {apart}",
        "busy": "union of the call's kernels, copies and sets, by CUPTI",
        "between": "first start to last end of device work, less busy",
        "after_last": f"end of the last device work until the synchronize returned; {apart}",
        "full": "from the call until the synchronize returned: the sum of the four parts",
    }
    for part, includes in parts.items():
        yield _measurement(f"undisturbed/{part}", getattr(found, part), includes, warmup=warmup)


def _measurement(
    tag: str, samples_ns: tuple[int, ...], includes: str, *, batch: int = 1, warmup: int = 0
) -> Measurement:
    return Measurement(
        tag=tag,
        samples_ns=samples_ns,
        clock=CLOCK,
        includes=includes,
        batch=batch,
        warmup_calls=warmup,
    )


def _withheld(
    tags: tuple[str, ...], tag: str, severity: Literal["info", "warning"], reason: Unavailable
) -> Withheld:
    finding = Finding(tag=tag, severity=severity, fact=reason.reason, advice=reason.advice)
    return Withheld(tags=tags, finding=finding)
