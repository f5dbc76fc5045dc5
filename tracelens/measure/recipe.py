"""One variant of an op measured from start to end, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tracelens.errors import OpFileError, WrongResultError
from tracelens.measure.behaviour import BEFORE, LAST
from tracelens.measure.bench import Bench
from tracelens.measure.cache import L2, choose_l2, prepare_cold
from tracelens.measure.check import compare, failed, require_result, unchecked, unlike_layouts
from tracelens.measure.choice import choose_device
from tracelens.measure.clock import CLOCK
from tracelens.measure.cold import ColdWork, compiled_while_warm, measure_cold, watched
from tracelens.measure.device import Device
from tracelens.measure.environment import read_environment
from tracelens.measure.failure import gist, spell_error
from tracelens.measure.inputs import seed_generators
from tracelens.measure.options import Options
from tracelens.measure.power import Lookout
from tracelens.measure.probe import Probe, probe_of, trials
from tracelens.measure.profiled import Pass
from tracelens.measure.stages import (
    call_first,
    call_once,
    measure_cold_cache,
    measure_eager,
    measure_graph,
    measure_undisturbed,
    withhold_device,
)
from tracelens.measure.storages import addresses
from tracelens.measure.timing import Subject as Timed
from tracelens.measure.values import copied, spell_argument, tensors
from tracelens.model.measurement import Noticed, Protocol, Record, Stage, Subject, Trial, Work
from tracelens.model.op import Op, Variant
from tracelens.model.report import Finding

_MOST_WORK = 2**63
"""What one call computes or moves is kept as an integer of 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A variant that was measured with the profiler off, and is ready for it."""

    subject: Subject
    timed: Pass
    probe: Probe


def take(
    bench: Bench, subject: Subject, ready: list[Ready], *, guess: Device, options: Options
) -> Iterator[Record]:
    """Measure one variant, and add it to those that are ready for the profiler.

    What goes wrong is raised. An Environment that follows another replaces it: the device is known
    after the first call.
    """
    with watched() as compiling:
        yield from _take(bench, subject, ready, compiling, guess=guess, options=options)


def _take(
    bench: Bench,
    subject: Subject,
    ready: list[Ready],
    compiling: ColdWork,
    *,
    guess: Device,
    options: Options,
) -> Iterator[Record]:
    variant = _variant(bench.op, subject)
    call = bench.caller(variant.call)
    timed = Timed(
        call=partial(call, *bench.inputs),
        device=choose_device(bench.inputs, wanted=options.device, settled=False),
        grad=bench.grad,
    )

    yield Stage(name="first call")
    seed_generators(bench.seed)
    cold, result = call_first(timed)
    yield cold
    device = choose_device((bench.inputs, result), wanted=options.device, settled=True)
    timed = replace(timed, device=device)
    if device.name != guess.name:
        yield read_environment(device.name)
    l2 = choose_l2(options, timed, moves_stated=variant.bytes_moved is not None)
    yield _protocol(bench, timed, options, l2)

    yield Stage(name="check")
    require_result(result)
    yield from _notice_aliases(bench, result)
    result = copied(result)  # later calls may write to the same memory
    changed = bench.made.changed()
    if changed.live:
        timed = replace(timed, before=changed.restore)
        yield _notice_changes(len(changed.live))
    yield from measure_cold(compiling, call_once(timed)[0])
    changed.restore()
    probe = probe_of(bench, variant, call, result, device)
    yield from _check(probe, variant, result, options)
    yield from _tried(trials(BEFORE, probe), options)
    del result
    yield from _work(variant, bench)

    flushed = yield from prepare_cold(timed, options, l2)
    if l2 == "cold" and flushed is not None:
        timed, flushed = flushed, None
    lookout, compiled = Lookout(device), compiling.pieces
    yield from measure_eager(timed, options, lookout)
    if device.asynchronous:
        replay = yield from measure_graph(timed, probe, options, lookout)
        if flushed is not None:
            yield from measure_cold_cache(flushed, replay, options, lookout)
        yield from measure_undisturbed(timed, options, lookout)
    else:
        replay = None
        yield withhold_device()
    yield from compiled_while_warm(compiled, compiling)
    yield from _tried(trials((LAST,), probe), options)
    one = Pass(subject=timed, replay=replay, cold=flushed, variant=subject.variant)
    ready.append(Ready(subject=subject, timed=one, probe=probe))


def _variant(op: Op, subject: Subject) -> Variant:
    return next(variant for variant in op.variants if variant.name == subject.variant)


def _protocol(bench: Bench, timed: Timed, options: Options, l2: L2) -> Protocol:
    return Protocol(
        device=timed.device.name,
        seed=options.seed,
        grad_mode=timed.grad,
        mode=bench.op.mode,
        warmup_calls=options.warmup_calls,
        warmup_ns=options.warmup_ns,
        samples=options.samples,
        batch=options.batch,
        profiled_calls=options.profiled_calls,
        head_calls=options.head_calls,
        cache_state=l2,
        clock=CLOCK,
        inputs=tuple(map(spell_argument, bench.inputs)),
    )


def _check(probe: Probe, variant: Variant, result: Any, options: Options) -> Iterator[Record]:
    """Check the result of the first call."""
    against = probe.truth.against
    if against is None:
        yield unchecked(result)
        return
    expected, tolerance = probe.truth.expected, probe.bench.op.tolerance
    try:
        check = compare(result, expected, tolerance=tolerance, against=against)
    except WrongResultError as error:
        if not options.keep_going:
            raise
        check = failed(result, against=against)
        yield _failed_check(error)
    yield check
    for finding in unlike_layouts(result, expected, against=against):
        yield Noticed(finding=finding)


def _failed_check(error: WrongResultError) -> Trial:
    return Trial(
        name="result",
        proves="values, shape, dtype and device are those of the reference",
        status="failed",
        fact=error.fact,
        advice=error.hint,
    )


def _tried(made: Iterator[Trial], options: Options) -> Iterator[Trial]:
    """Pass trials on; a failed one ends the run, unless it is to go on."""
    for trial in made:
        yield trial
        if trial.status == "failed" and trial.stops and not options.keep_going:
            raise WrongResultError(
                f"The check '{trial.name}' failed ({trial.proves}): {trial.fact}",
                f"{trial.advice} Pass --keep-going to measure it all the same.",
            )


def _work(variant: Variant, bench: Bench) -> Iterator[Work]:
    counts: dict[str, int | None] = {}
    for name, count in (("flops", variant.flops), ("bytes_moved", variant.bytes_moved)):
        counts[name] = None if count is None else _counted(name, count, bench)
    if counts != {"flops": None, "bytes_moved": None}:
        yield Work(**counts)


def _counted(name: str, count: Any, bench: Bench) -> int:
    hint = f"Let {name}() take the inputs and return a number, such as 2 * x.numel()."
    try:
        stated = count(*bench.inputs)
    except Exception as error:
        raise OpFileError(f"{name}() raised {spell_error(error)}.", hint) from error
    if isinstance(stated, bool) or not isinstance(stated, (int, float)) or not stated > 0:
        found = gist(repr(stated))
        raise OpFileError(f"{name}() returned {found}; it must return a number above 0.", hint)
    if stated >= _MOST_WORK:
        raise OpFileError(f"{name}() returned {gist(repr(stated))}; it must be below 2^63.", hint)
    return round(stated)


def _notice_aliases(bench: Bench, result: Any) -> Iterator[Noticed]:
    ours = addresses(bench.inputs)
    shared = [at for at, tensor in enumerate(tensors(result)) if addresses(tensor) & ours]
    if shared:
        fact = f"output {', '.join(map(str, shared))} lies in the memory of an input"
        yield Noticed(finding=Finding(tag="op/aliases", severity="info", fact=fact, advice=""))


def _notice_changes(count: int) -> Noticed:
    return Noticed(
        finding=Finding(
            tag="op/changes_inputs",
            severity="info",
            fact=f"the op changes {count} of its inputs: they are restored before each sample, "
            "outside the timed stretch, and before each run of amortised calls, not inside it",
            advice="",
        )
    )
