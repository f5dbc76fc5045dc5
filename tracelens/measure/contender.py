"""One side of live pairs: an op with its memory taken, warm, called when it is its turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from tracelens.errors import OpFailedError, OpFileError
from tracelens.measure.bench import Bench
from tracelens.measure.choice import choose_device
from tracelens.measure.device import Unavailable
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan, Turn
from tracelens.measure.stages import call_first
from tracelens.measure.timing import Subject, sample_calls, warm_up
from tracelens.model.op import Case, Op, Variant
from tracelens.model.pairs import Way

_NO_END = 1 << 62
"""Nanoseconds: a turn has as many calls as it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """An op that is ready. `ways` are what it can be called as, `call_ns` how long that takes."""

    ways: Mapping[Way, Subject]
    call_ns: Mapping[Way, int]

    def take_turn(self, way: Way, plan: Plan) -> Turn:
        """Call it as often as the plan says, and return the calls that count."""
        count = plan.heads + plan.calls
        instants = sample_calls(self.ways[way], samples=count, budget_ns=_NO_END)
        return Turn(instants.full_ns[plan.heads :], instants.submit_ns[plan.heads :])


def make_ready(
    op: Op, *, case: str | None, variant: str | None, ways: tuple[Way, ...], options: Options
) -> Contender:
    """Make the inputs of a case, call the variant, capture it where asked, and warm it up.

    Raises OpFileError for a case or variant that the op does not have, OpFailedError where a graph
    was asked for and cannot be captured, or a cold cache cannot be had; and what the op raises.
    """
    bench = Bench(op, _case(op, case), seed=options.seed)
    call = bench.caller(_variant(op, variant).call)
    subject = Subject(
        call=partial(call, *bench.inputs),
        device=choose_device(bench.inputs, wanted=options.device, settled=False),
        grad=bench.grad,
    )
    _, result = call_first(subject)
    device = choose_device((bench.inputs, result), wanted=options.device, settled=True)
    del result
    subject = replace(subject, device=device)
    changed = bench.made.changed()
    if changed.live:
        subject = replace(subject, before=changed.restore)
    try:
        if options.l2 == "cold":
            subject = subject.flushed(device.flush(options.flush), state="cold")
        made: dict[Way, Subject] = {way: _called(subject, way) for way in ways}
    except Unavailable as reason:
        raise OpFailedError(reason.reason, reason.advice) from reason
    return Contender(ways=made, call_ns={way: _warmed(made[way], options) for way in ways})


def _called(subject: Subject, way: Way) -> Subject:
    if way == "eager":
        return subject
    return replace(subject, call=subject.device.capture(subject.call), grad="no_grad")


def _warmed(subject: Subject, options: Options) -> int:
    """Warm up, and return how long one call took on average, its preparations included."""
    begun_ns = subject.device.now_ns()
    made = warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns)
    return (subject.device.now_ns() - begun_ns) // max(made, 1)


def _case(op: Op, name: str | None) -> Case:
    for case in op.cases:
        if case.name == name:
            return case
    raise OpFileError(f"{op.name} has no case {name!r}.", "Give both op files the same cases.")


def _variant(op: Op, name: str | None) -> Variant:
    if name is None:
        return op.variants[0]
    for variant in op.variants:
        if variant.name == name:
            return variant
    raise OpFileError(f"{op.name} has no variant {name!r}.", "Name one that the op file has.")
