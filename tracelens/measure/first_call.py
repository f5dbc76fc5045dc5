"""The first call of a variant: where it runs, what it returns, what it costs."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from tracelens.measure.bench import Bench
from tracelens.measure.cache import L2, choose_l2
from tracelens.measure.choice import choose_device
from tracelens.measure.clock import CLOCK
from tracelens.measure.cores import Tour
from tracelens.measure.device import Device
from tracelens.measure.environment import read_environment
from tracelens.measure.inputs import seed_generators
from tracelens.measure.options import Options
from tracelens.measure.stages import call_first
from tracelens.measure.timing import Timed
from tracelens.measure.values import spell_argument
from tracelens.model.measurement import Protocol, Record, Stage, Subject
from tracelens.model.op import Op, Variant


@dataclass(slots=True, kw_only=True)
class Begun:
    """A variant that was called once. `result` is dropped as soon as it was examined."""

    variant: Variant
    timed: Timed
    l2: L2
    first_ns: int
    result: Any


def begin(
    bench: Bench, subject: Subject, *, guess: Device, options: Options
) -> Generator[Record, None, Begun]:
    """Call a variant for the first time. An Environment that follows another replaces it."""
    variant = _variant(bench.op, subject)
    timed = Timed(
        call=partial(bench.caller(variant.call), *bench.inputs),
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
        yield read_environment(device.name, packages=bench.op.packages)
    l2 = choose_l2(options, timed, moves_stated=variant.bytes_moved is not None)
    yield _protocol(bench, timed, options, l2)
    return Begun(variant=variant, timed=timed, l2=l2, first_ns=cold.samples_ns[0], result=result)


def _variant(op: Op, subject: Subject) -> Variant:
    return next(variant for variant in op.variants if variant.name == subject.variant)


def _cores(timed: Timed) -> int | None:
    cores = len(Tour().cores) if timed.device.asynchronous else 0
    return cores if cores > 1 else None


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
        threads=torch.get_num_threads(),  # behind the first call: the op file may have set it
        cores=_cores(timed),
    )
