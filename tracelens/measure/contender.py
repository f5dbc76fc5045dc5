"""One side of live pairs: an op with its memory taken, warm, called when it is its turn."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from tracelens.errors import OpFailedError, OpFileError
from tracelens.measure.bench import Bench
from tracelens.measure.choice import choose_device
from tracelens.measure.device import Device, Unavailable, WorkRecords
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan, Turn
from tracelens.measure.stages import call_first
from tracelens.measure.timing import Instants, Timed, sample_calls, warm_up
from tracelens.measure.undisturbed import split_calls
from tracelens.model.op import Case, Op, Variant
from tracelens.model.pairs import PARTS, Way

_NO_END = 1 << 62
"""Nanoseconds: a turn has as many calls as it has."""


@dataclass(slots=True, kw_only=True)
class Contender:
    """An op that is ready.

    `ways` are what it can be called as, `call_ns` how long that takes; `refused` are those that
    were asked for and cannot be had: why, and what to do about it.
    """

    device: Device
    ways: Mapping[Way, Timed]
    call_ns: Mapping[Way, int]
    refused: Mapping[Way, tuple[str, str]] = field(default_factory=dict)
    _recording: ExitStack = field(default_factory=ExitStack)
    _records: WorkRecords | None = None
    _taken: list[Instants] = field(default_factory=list)

    def take_turn(self, way: Way, plan: Plan) -> Turn:
        """Call it as often as the plan says, and return the calls that count."""
        subject = self.ways[way]
        warm_up(subject, calls=plan.heads, duration_ns=0)
        instants = sample_calls(subject, samples=plan.calls, budget_ns=_NO_END)
        if self._records is not None:
            self._taken.append(instants)
        return {"full": instants.full_ns, "submit": instants.submit_ns}

    def begin_records(self) -> None:
        """Record what the device does in the turns that follow. Raises Unavailable."""
        self._records = self._recording.enter_context(self.device.work_records())

    def end_records(self) -> list[Turn]:
        """Record no more; return the parts of every turn since the beginning, in ns.

        Raises Unavailable where a call has no record.
        """
        records, taken = self._records, self._taken
        self._records, self._taken = None, []
        self._recording.close()
        if records is None:
            return []
        times = records.times()
        splits = [split_calls(instants, times) for instants in taken]
        return [{part: getattr(split, part) for part in PARTS} for split in splits]


def make_ready(
    op: Op, *, case: str | None, variant: str | None, ways: tuple[Way, ...], options: Options
) -> Contender:
    """Make the inputs of a case, call the variant, capture it where asked, and warm it up.

    Raises OpFileError for a case or variant that the op does not have, OpFailedError where it can
    be called in none of the ways, or a cold cache cannot be had; and what the op raises.
    """
    bench = Bench(op, _case(op, case), seed=options.seed)
    call = bench.caller(_variant(op, variant).call)
    subject = Timed(
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
    except Unavailable as reason:
        raise OpFailedError(reason.reason, reason.advice) from reason
    made, refused = _in_ways(subject, ways)
    call_ns = {way: _warmed(subject, options) for way, subject in made.items()}
    return Contender(device=device, ways=made, call_ns=call_ns, refused=refused)


def _in_ways(
    subject: Timed, ways: tuple[Way, ...]
) -> tuple[dict[Way, Timed], dict[Way, tuple[str, str]]]:
    """Return the ways that it can be called in, and why not in the others; one at least can be."""
    made: dict[Way, Timed] = {}
    refused: dict[Way, tuple[str, str]] = {}
    for way in ways:
        try:
            made[way] = _called(subject, way)
        except Unavailable as reason:
            refused[way] = (reason.reason, reason.advice)
    if not made:
        raise OpFailedError(*next(iter(refused.values())))
    return made, refused


def _called(subject: Timed, way: Way) -> Timed:
    if way == "eager":
        return subject
    return replace(subject, call=subject.device.capture(subject.call), grad="no_grad")


def _warmed(subject: Timed, options: Options) -> int:
    """Warm up, and return how long one call took on average, its preparations included."""
    begun_ns = subject.device.now_ns()
    made = warm_up(subject, calls=options.warmup_calls, duration_ns=options.warmup_ns)
    return (subject.device.now_ns() - begun_ns) // max(len(made), 1)


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
