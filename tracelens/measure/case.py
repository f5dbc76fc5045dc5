"""One case of an op: its variants measured in turn, then profiled together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tracelens.errors import UsageError
from tracelens.measure.behaviour import AFTER
from tracelens.measure.bench import Bench
from tracelens.measure.ceiling import measure_ceilings
from tracelens.measure.choice import choose_device
from tracelens.measure.device import Device
from tracelens.measure.environment import read_environment
from tracelens.measure.failure import ending_in_failure
from tracelens.measure.options import Options
from tracelens.measure.probe import trials
from tracelens.measure.recipe import Ready, take
from tracelens.measure.respecialise import Varied, vary
from tracelens.measure.stages import profile_pass, spell_profiled
from tracelens.measure.teardown import with_teardown
from tracelens.model.measurement import Noticed, Outline, Predicted, Record, Stage, Subject
from tracelens.model.op import Choice, Op

Guard = Callable[[Iterator[Record]], Iterator[Record]]
"""Passes records on, and ends in a Failure where taking one raises."""

_DEFAULTS = Options()
_LONGEST_SLUG = 40
_EVERYTHING = Choice()


def outline(op: Op, choice: Choice = _EVERYTHING) -> Outline:
    """Return the subjects of a run, case by case. Raises UsageError for a name that is unknown."""
    cases = _chosen("case", choice.cases, [case.name for case in op.cases])
    variants = _chosen("variant", choice.variants, [variant.name for variant in op.variants])
    if choice.baseline_alone and not choice.variants:
        variants = variants[:1]
    return Outline(
        subjects=tuple(
            Subject(case=case, variant=variant, baseline=variant == op.variants[0].name)
            for case in cases
            for variant in variants
        )
    )


def trace_name(op: Op, case: str | None) -> str:
    """Return the file name of a case's trace: its number and what of its name a path can hold."""
    if case is None:
        return "trace.json.gz"
    number = 1 + [known.name for known in op.cases].index(case)
    slug = re.sub("[^A-Za-z0-9]+", "-", case).strip("-")[:_LONGEST_SLUG]
    return f"trace-{number}-{slug}.json.gz".replace("-.", ".")


def measure_op(op: Op, *, trace_path: Path, options: Options = _DEFAULTS) -> Iterator[Record]:
    """Measure the variants of an op's first case in this process; each record is complete.

    The profiled pass goes to `trace_path` (`.json` or `.json.gz`). What goes wrong, in the op or
    around it, ends a subject, or all, with a Failure; only KeyboardInterrupt and its like pass
    through. Seeds are set for the whole process, and the op's device becomes torch's current one.
    """
    subjects = [s for s in outline(op).subjects if s.case == op.cases[0].name]
    return measure_case(
        op, subjects, trace_path=trace_path, options=options, guard=ending_in_failure
    )


def measure_case(
    op: Op, subjects: list[Subject], *, trace_path: Path, options: Options, guard: Guard
) -> Iterator[Record]:
    """Measure subjects of one case. A variant that fails does not cost the others."""
    yield subjects[0]
    yield from (Noticed(finding=doubt) for doubt in op.doubts)
    yield from guard(_measured(op, subjects, trace_path, options, guard))


def _measured(
    op: Op, subjects: list[Subject], trace_path: Path, options: Options, guard: Guard
) -> Iterator[Record]:
    yield Stage(name="environment")
    guess = choose_device((), wanted=options.device, settled=False)
    yield read_environment(guess.name, packages=op.packages)

    if op.setup is not None:
        yield Stage(name="setup")
        op.setup()
    yield Stage(name="inputs")
    yield from with_teardown(
        op, _in_turn(op, subjects, trace_path, options, guess=guess, guard=guard)
    )


def _in_turn(
    op: Op,
    subjects: list[Subject],
    trace_path: Path,
    options: Options,
    *,
    guess: Device,
    guard: Guard,
) -> Iterator[Record]:
    """Measure one variant after the other, then profile together those that did not fail."""
    case = next(case for case in op.cases if case.name == subjects[0].case)
    bench = Bench(op, case, seed=options.seed)
    ready: list[Ready] = []
    for place, subject in enumerate(subjects):
        if place:
            guess.synchronize()  # a device that one variant lost is lost for the next too
        yield subject
        if case.predictions:
            yield Predicted(claims=case.predictions)
        yield from guard(take(bench, subject, ready, guess=guess, options=options))
    if not ready:
        return
    yield Stage(name="profiled calls")
    profiled = profile_pass([one.timed for one in ready], options, trace_path)
    for one, instants in zip(ready, profiled, strict=True):
        yield one.subject
        yield from spell_profiled(one.timed, instants, options, trace_path)
        if not options.variations:
            yield from _other_layouts(one)
    yield from measure_ceilings(bench, ready)
    if options.variations:
        yield from _vary(bench, ready, options)


def _other_layouts(one: Ready) -> Iterator[Record]:
    yield Stage(name="other layouts")
    yield from trials(AFTER, one.probe)


def _vary(bench: Bench, ready: list[Ready], options: Options) -> Iterator[Record]:
    """Vary the inputs, then make the trials of other layouts, for which an op may compile too."""
    for one in ready:
        variant = next(v for v in bench.op.variants if v.name == one.subject.variant)
        varied = Varied(
            bench=bench,
            calling=partial(bench.caller, variant.call),
            own=one.timed.subject.warm,
            device=one.probe.device,
        )
        yield one.subject
        survived = yield from vary(varied, budget_ns=options.variations_ns)
        if not survived:
            return
        yield from _other_layouts(one)


def _chosen(kind: str, wanted: tuple[str, ...], names: list[str | None]) -> list[str | None]:
    unknown = [name for name in wanted if name not in names]
    if unknown:
        known = [name for name in names if name is not None]
        raise UsageError(
            f"The op file has no {kind} named {unknown[0]!r}.",
            f"Choose from {', '.join(known)}." if known else f"It has no {kind}s: leave it out.",
        )
    return [name for name in names if not wanted or name in wanted]
