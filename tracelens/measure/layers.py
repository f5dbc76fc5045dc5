"""An op and its inner entry points, called in turns by the same protocol."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from tracelens.measure.bench import Bench, Call
from tracelens.measure.device import Unavailable
from tracelens.measure.failure import RAISED, spell_error
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan
from tracelens.measure.storages import Saved
from tracelens.measure.timing import Timed, sample_calls, warm_up
from tracelens.measure.undisturbed import sample_busy
from tracelens.measure.values import difference_of_frames
from tracelens.model.layered import Layered, LayerTimes
from tracelens.model.measurement import Noticed, Record, Stage
from tracelens.model.op import Variant
from tracelens.model.report import Finding, Severity

THE_OP = "op"
"""What the op itself is called beside its layers."""

_ROUNDS = 200
_BUDGET_NS = 1_000_000_000
"""Most time for all rounds."""
_HEADS = 3
_BUSY_CALLS = 10
_NO_BUDGET_NS = 1 << 62
"""A turn is as long as its plan says, however long that takes."""


def measure_layers(
    bench: Bench, variant: Variant, timed: Timed, options: Options
) -> Iterator[Record]:
    """Call the op and each of its layers in turns, in a new random order every round.

    A layer that raises, or makes other inputs of those it is given, is left out, and its record
    says why. What goes wrong later costs nothing but the layers' own figures.
    """
    if not variant.layers:
        return
    yield Stage(name="layers")
    try:
        yield from _measured(bench, variant, timed.warm, options)
    except RAISED as error:
        yield _noticed(
            "layers/failed",
            "warning",
            f"the layers were not measured: one of them, or the op, raised {spell_error(error)}",
            "let every layer take the same inputs, as often as it is called",
        )
    bench.made.restore()


def _measured(bench: Bench, variant: Variant, timed: Timed, options: Options) -> Iterator[Record]:
    subjects, failed = {THE_OP: timed}, {}
    for layer in variant.layers:
        call = bench.caller(layer.call)
        refused = _refused(bench, call, timed)
        if refused is not None:
            failed[layer.name] = refused
        else:
            subjects[layer.name] = replace(timed, call=partial(call, *bench.inputs))
    changed = _changed(bench, list(subjects.values()))
    if changed.live:
        subjects = {name: replace(one, before=changed.restore) for name, one in subjects.items()}
        if timed.before is None:
            yield _noticed(
                "layers/changes_inputs",
                "info",
                f"a layer changes {len(changed.live)} of the inputs: they are restored before each "
                "sample of the op and of every layer, outside the timed stretch",
                "",
            )
    plan = _plan(list(subjects.values()), options)
    found = take_turns(subjects, plan, seed=options.seed)
    outermost_first = (THE_OP, *(layer.name for layer in variant.layers))
    yield Layered(
        layers=tuple(
            replace(found[name], busy_ns=_busy(subjects[name], options))
            if name in found
            else LayerTimes(name=name, failed=failed[name])
            for name in outermost_first
        ),
        protocol=f"{plan.rounds} rounds, each layer in turn in a new random order; a sample is "
        f"{plan.sample}",
    )


def _refused(bench: Bench, call: Call, timed: Timed) -> str | None:
    """Call a layer once with copies of the inputs; say why it cannot be called again and again."""
    inputs = bench.copy()
    try:
        warm_up(replace(timed, call=partial(call, *inputs)), calls=1, duration_ns=0)
    except RAISED as error:
        return f"it raised {spell_error(error)}"
    difference = difference_of_frames(bench.inputs, inputs)
    return None if difference is None else f"it makes other inputs of its own: {difference}"


def _changed(bench: Bench, subjects: Sequence[Timed]) -> Saved:
    """Call each once; return what any of them has written to among the inputs, restored."""
    for subject in subjects:
        warm_up(subject, calls=1, duration_ns=0)
    changed = bench.made.changed()
    changed.restore()
    return changed


def take_turns(subjects: dict[str, Timed], plan: Plan, *, seed: int) -> dict[str, LayerTimes]:
    """Let each subject take a turn in every round, in random order; return a sample a turn."""
    full: dict[str, list[int]] = {name: [] for name in subjects}
    submit: dict[str, list[int]] = {name: [] for name in subjects}
    order, shuffler = list(subjects), random.Random(seed)
    for _ in range(plan.rounds):
        shuffler.shuffle(order)
        for name in order:
            calls = plan.heads + plan.calls
            turn = sample_calls(subjects[name], samples=calls, budget_ns=_NO_BUDGET_NS)
            full[name].append(statistics.median_low(turn.full_ns[plan.heads :]))
            submit[name].append(statistics.median_low(turn.submit_ns[plan.heads :]))
    return {
        name: LayerTimes(name=name, full_ns=tuple(full[name]), submit_ns=tuple(submit[name]))
        for name in subjects
    }


def _plan(subjects: Sequence[Timed], options: Options) -> Plan:
    """Warm all up in turns, and plan for how long their calls take."""
    each_ns = options.warmup_ns // len(subjects)
    spans = []
    for subject in subjects:
        warmed = warm_up(subject, calls=max(options.warmup_calls, 1), duration_ns=each_ns)
        spans.append(round(statistics.median(warmed.full_ns)))
    return Plan.within(
        call_ns=max(spans), processes=len(subjects), rounds=_ROUNDS, budget_ns=_BUDGET_NS
    )


def _busy(subject: Timed, options: Options) -> tuple[int, ...]:
    """Return the device's part of some calls, nothing where it cannot be told."""
    try:
        return sample_busy(
            subject, head_calls=_HEADS, calls=_BUSY_CALLS, budget_ns=options.budget_ns
        )
    except Unavailable:
        return ()


def _noticed(tag: str, severity: Severity, fact: str, advice: str) -> Noticed:
    return Noticed(finding=Finding(tag=tag, severity=severity, fact=fact, advice=advice))
