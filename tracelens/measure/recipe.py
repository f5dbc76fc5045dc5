"""One op measured from start to end, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tracelens.measure.check import compare, require_result, unchecked
from tracelens.measure.choice import choose_device
from tracelens.measure.clock import CLOCK
from tracelens.measure.environment import read_environment
from tracelens.measure.failure import ending_in_failure
from tracelens.measure.op_file import make_inputs
from tracelens.measure.options import Options
from tracelens.measure.stages import (
    call_first,
    measure_eager,
    measure_graph,
    measure_undisturbed,
    profile_pass,
    withhold_device,
)
from tracelens.measure.timing import Subject, timed_stretch
from tracelens.measure.values import copied, tensors
from tracelens.model.measurement import Check, Protocol, Record, Stage
from tracelens.model.op import Inputs, Op

_DEFAULTS = Options()


def measure_op(op: Op, *, trace_path: Path, options: Options = _DEFAULTS) -> Iterator[Record]:
    """Measure an op in this process; each record is complete when it arrives.

    The profiled pass goes to `trace_path` (`.json` or `.json.gz`). What goes wrong, in the op or
    around it, ends the stream with a Failure; only KeyboardInterrupt and its like pass through.
    Seeds are set for the whole process, and the op's device becomes torch's current one.
    """
    return ending_in_failure(take(op, trace_path=trace_path, options=options))


def take(op: Op, *, trace_path: Path, options: Options) -> Iterator[Record]:
    """Measure an op as `measure_op` does, but let what goes wrong be raised.

    An Environment that follows another replaces it: the device is known after the first call.
    """
    yield Stage(name="environment")
    guess = choose_device((), wanted=options.device, settled=False)
    yield read_environment(guess.name)

    yield Stage(name="inputs")
    inputs = make_inputs(op, seed=options.seed)
    untouched = copied(inputs) if op.reference is not None else inputs
    subject = Subject(
        call=partial(op.call, *inputs),
        device=choose_device(inputs, wanted=options.device, settled=False),
        grad=any(tensor.requires_grad for tensor in tensors(inputs)),
    )

    yield Stage(name="first call")
    cold, result = call_first(subject)
    result = copied(result)  # later calls may write to the same memory
    yield cold
    device = choose_device((inputs, result), wanted=options.device, settled=True)
    subject = replace(subject, device=device)
    if device.name != guess.name:
        yield read_environment(device.name)
    yield _protocol(subject, options)

    yield Stage(name="check")
    yield _check(op, result, untouched, grad=subject.grad)
    del result, untouched

    yield from measure_eager(subject, options)
    if device.asynchronous:
        replay = yield from measure_graph(subject, options)
        yield from measure_undisturbed(subject, options)
    else:
        replay = None
        yield withhold_device()
    yield from profile_pass(subject, replay, options, trace_path)


def _protocol(subject: Subject, options: Options) -> Protocol:
    return Protocol(
        device=subject.device.name,
        seed=options.seed,
        grad_mode="grad" if subject.grad else "no_grad",
        warmup_calls=options.warmup_calls,
        warmup_ns=options.warmup_ns,
        samples=options.samples,
        batch=options.batch,
        profiled_calls=options.profiled_calls,
        head_calls=options.head_calls,
        cache_state="warm",
        clock=CLOCK,
    )


def _check(op: Op, result: Any, inputs: Inputs, *, grad: bool) -> Check:
    """Check the result of the first call; the inputs are copies from before it."""
    require_result(result)
    if op.reference is None:
        return unchecked(result)
    with timed_stretch(grad=grad):
        expected = op.reference(*inputs)
    return compare(result, expected, tolerance=op.tolerance)
