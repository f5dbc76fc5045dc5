"""The stages of a run, each a stream of what it measured, and what each sample includes."""

from __future__ import annotations

import statistics
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from tracelens.measure.behaviour import graph_trials
from tracelens.measure.clock import CLOCK
from tracelens.measure.cores import Tour
from tracelens.measure.device import Replay, Unavailable
from tracelens.measure.options import Options
from tracelens.measure.power import Lookout
from tracelens.measure.probe import Probe
from tracelens.measure.profiled import (
    CALL_WINDOW,
    COLD_REPLAY_WINDOW,
    COLD_WINDOW,
    REPLAY_WINDOW,
    Pass,
    profile_calls,
)
from tracelens.measure.stopping import Rule, sample_until
from tracelens.measure.timing import (
    Batches,
    Instants,
    Timed,
    batch_within,
    sample_batches,
    timed_stretch,
    warm_up,
)
from tracelens.measure.undisturbed import Undisturbed, sample_undisturbed
from tracelens.measure.withheld import GRAPH_TAGS, UNDISTURBED_TAGS, finding_of, withhold
from tracelens.model.measurement import (
    Capture,
    Measurement,
    Noticed,
    Record,
    Stage,
    Trial,
)


@dataclass(frozen=True, slots=True)
class _Includes:
    """What a sample of each quantity holds, in words."""

    full: str
    submit: str
    wait: str


_INCLUDES = {
    True: _Includes(
        full="device idle; from the call until a synchronize has returned",
        submit="device idle; from the call until it has returned, no wait",
        wait=" and one synchronize",
    ),
    False: _Includes(
        full="from the call until it has returned, its work done, and one empty wait",
        submit="the same without the empty wait",
        wait="",
    ),
}
"""By whether the device is asynchronous: on a CPU there is nothing to wait for."""


def call_first(subject: Timed) -> tuple[Measurement, object]:
    """Time the first call of all; return its sample and its result."""
    took_ns, result = call_once(subject)
    includes = "one call, with compilation, autotuning, module loading and allocation"
    return _measurement("cold/first_call", (took_ns,), includes), result


def call_once(subject: Timed) -> tuple[int, object]:
    """Time one call, as it comes; return ns and its result."""
    now, synchronize = subject.device.now_ns, subject.device.synchronize
    with timed_stretch(grad=subject.grad):
        synchronize()
        begun_ns = now()
        result = subject.call()
        synchronize()
        done_ns = now()
    return done_ns - begun_ns, result


def measure_eager(
    subject: Timed, options: Options, lookout: Lookout
) -> Generator[Record, None, Instants]:
    """Measure the op as it is called: full, submit and amortised; return the calls before that."""
    warmed = yield from _three_times(subject, options, "eager", lookout)
    if lookout.blind is not None:
        yield Noticed(finding=finding_of("card/unread", "info", lookout.blind))
    return warmed


def measure_graph(
    subject: Timed, probe: Probe, options: Options, lookout: Lookout
) -> Generator[Record, None, Replay | None]:
    """Capture the op and measure its replay the same way; return it, or None where it failed.

    A replay that does not do what the call does is not measured.
    """
    yield Stage(name="graph capture")
    try:
        with timed_stretch(grad=subject.grad):
            replay = subject.device.capture(subject.call)
    except Unavailable as reason:
        yield withhold(GRAPH_TAGS, "graph/not_captured", "warning", reason)
        return None
    for trial in graph_trials(probe, replay):
        yield trial
        if trial.status == "failed":
            yield withhold(GRAPH_TAGS, "graph/wrong", "error", _wrong_replay(trial))
            return None
    replayed = replace(subject, call=replay, grad="no_grad")
    yield from _three_times(replayed, options, "graph", lookout)
    return replay


def measure_cold_cache(
    cold: Timed, replay: Replay | None, options: Options, lookout: Lookout
) -> Iterator[Record]:
    """Measure full calls, and full replays, once more with a cold cache."""
    ways = {"eager": cold}
    if replay is not None:
        ways["graph"] = replace(cold, call=replay, grad="no_grad")
    for way, subject in ways.items():
        yield Stage(name=f"{way} full calls, cold cache")
        warmup = len(warm_up(subject, calls=options.warmup_calls, duration_ns=0))
        yield from _sampled(subject, options, f"full_cold/{way}", warmup, lookout)


def measure_undisturbed(subject: Timed, options: Options, lookout: Lookout) -> Iterator[Record]:
    """Time full calls beside device records that do not slow them; split them in four."""
    yield Stage(name="undisturbed calls")
    warmup = len(warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns))
    try:
        found = sample_undisturbed(
            subject,
            head_calls=options.head_calls,
            samples=options.samples,
            budget_ns=options.budget_ns,
        )
    except Unavailable as reason:
        yield withhold(UNDISTURBED_TAGS, "undisturbed/unavailable", "info", reason)
        return
    yield from _spell_undisturbed(found, subject, warmup)
    reading = lookout.look("undisturbed")
    if reading is not None:
        yield reading


def profile_pass(passes: Sequence[Pass], options: Options, trace_path: Path) -> list[Instants]:
    """Profile calls and replays into a trace file: the last stage, for it slows every call."""
    return profile_calls(
        passes,
        head_calls=options.head_calls,
        calls=options.profiled_calls,
        replays=options.replays,
        budget_ns=options.budget_ns,
        path=trace_path,
    )


def spell_profiled(
    one: Pass, instants: Instants, options: Options, trace_path: Path
) -> Iterator[Record]:
    """Say what the profiled pass of a variant measured, and where in the trace it is."""
    includes = "like a full call, annotated, with the profiler on"
    warmup, state = options.head_calls, one.subject.cache_state
    yield _measurement(
        "full_profiled/eager", instants.full_ns, includes, warmup=warmup, state=state
    )
    cold = one.cold is not None
    yield Capture(
        path=trace_path.name,
        window=one.window(CALL_WINDOW),
        replay_window=one.window(REPLAY_WINDOW) if one.replay is not None else None,
        cold_window=one.window(COLD_WINDOW) if cold else None,
        cold_replay_window=one.window(COLD_REPLAY_WINDOW) if cold and one.replay else None,
    )


def _three_times(
    subject: Timed, options: Options, way: Literal["eager", "graph"], lookout: Lookout
) -> Generator[Record, None, Instants]:
    yield Stage(name=f"{way} warm-up")
    warmed = warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns)
    warmup = len(warmed)

    yield Stage(name=f"{way} full calls")
    instants = yield from _sampled(subject, options, f"full/{way}", warmup, lookout)
    said, state = _INCLUDES[subject.device.asynchronous], subject.cache_state
    yield _measurement(f"submit/{way}", instants.submit_ns, said.submit, warmup=warmup, state=state)

    yield Stage(name=f"{way} amortised calls")
    call_ns = int(statistics.median(instants.full_ns))
    batch = batch_within(options.budget_ns, call_ns=call_ns, most=options.batch)
    sampled = sample_batches(
        subject.warm,
        batches=options.batches,
        batch=batch,
        budget_ns=options.budget_ns,
        tour=Tour(),
    )
    amortised = f"{batch} calls in a row{said.wait}, divided by {batch}"
    yield _measurement(
        f"amortised/{way}", sampled.amortised_ns, amortised, batch=batch, warmup=warmup
    )
    if way == "eager" and subject.device.asynchronous:
        yield from _run_ahead(sampled, warmup)
    return warmed


def _run_ahead(sampled: Batches, warmup: int) -> Iterator[Measurement]:
    """Say how fast the host alone was in runs of calls, and how far ahead of the device it came."""
    batch = sampled.batch
    in_row = f"{batch} calls in a row until the last has returned, divided by {batch}"
    yield _measurement("submit_in_row/eager", sampled.in_row_ns, in_row, batch=batch, warmup=warmup)
    behind = f"the synchronize behind {batch} calls in a row: what the host had run ahead by"
    yield _measurement("backlog/eager", sampled.backlog_ns, behind, warmup=warmup)


def _sampled(
    subject: Timed, options: Options, tag: str, warmup: int, lookout: Lookout
) -> Generator[Record, None, Instants]:
    """Sample full calls until their median is known, and return their instants."""
    rule = Rule(
        block=options.samples,
        most=max(options.most_samples, options.samples),
        precision=options.precision,
        budget_ns=options.budget_ns,
    )
    found = sample_until(subject, rule, look=partial(lookout.look, tag))
    yield from found.readings
    full = _INCLUDES[subject.device.asynchronous].full
    one = _measurement(tag, found.instants.full_ns, full, warmup=warmup, state=subject.cache_state)
    yield replace(one, ended_by=found.ended_by, discarded=found.discarded)
    return found.instants


def _spell_undisturbed(found: Undisturbed, subject: Timed, warmup: int) -> Iterator[Measurement]:
    apart = f"clocks mapped within {found.uncertainty_ns} ns"
    parts = {
        "before_first": f"from the call to the start of its first device work; {apart}",
        "busy": "union of the call's kernels, copies and sets, by CUPTI",
        "between": "first start to last end of device work, less busy",
        "after_last": f"end of the last device work until the synchronize returned; {apart}",
        "full": "from the call until the synchronize returned: the sum of the four parts",
        "full_off": "the same calls without records, in alternating blocks",
    }
    for part, includes in parts.items():
        yield _measurement(
            f"undisturbed/{part}",
            getattr(found, part),
            includes,
            warmup=warmup,
            state=subject.cache_state,
        )
    mapped = "half of the narrowest pair of host reads around one of CUPTI's clock"
    yield _measurement("clock/uncertainty", (found.uncertainty_ns,), mapped)


def _measurement(
    tag: str,
    samples_ns: tuple[int, ...],
    includes: str,
    *,
    batch: int = 1,
    warmup: int = 0,
    state: str = "warm",
) -> Measurement:
    return Measurement(
        tag=tag,
        samples_ns=samples_ns,
        clock=CLOCK,
        includes=includes,
        batch=batch,
        warmup_calls=warmup,
        cache_state=state,
    )


def _wrong_replay(trial: Trial) -> Unavailable:
    return Unavailable(
        f"No figure of the graph is reported: its replay is not the op, {trial.fact}", trial.advice
    )
