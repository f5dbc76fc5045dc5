"""What a variant is examined for before it is timed: its result, its behaviour, its launches."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tracelens.errors import OpFileError, WrongResultError
from tracelens.measure.behaviour import BEFORE
from tracelens.measure.bench import Bench
from tracelens.measure.check import compare, failed, require_result, unchecked, unlike_layouts
from tracelens.measure.cold import ColdWork, measure_cold
from tracelens.measure.failure import gist, spell_error
from tracelens.measure.first_call import Begun
from tracelens.measure.functions import own_files
from tracelens.measure.launched import watch_launches
from tracelens.measure.options import Options
from tracelens.measure.probe import Probe, probe_of, trials
from tracelens.measure.stages import call_once
from tracelens.measure.storages import addresses
from tracelens.measure.sync_lines import watch_syncs
from tracelens.measure.timing import Timed
from tracelens.measure.values import copied, tensors
from tracelens.model.measurement import Noticed, Record, Stage, Trial, Work
from tracelens.model.op import Variant
from tracelens.model.report import Finding

_MOST_WORK = 2**63
"""What one call computes or moves is kept as an integer of 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A variant that may be timed: as which subject, and how to examine it again."""

    timed: Timed
    probe: Probe
    second_ns: int


def examine(
    bench: Bench, begun: Begun, compiling: ColdWork, options: Options
) -> Generator[Record, None, Examined]:
    """Examine a variant by its first result and a few untimed calls.

    Raises WrongResultError where it must not be timed, unless the options say to go on, and
    OpFileError where it says something wrong of its own work.
    """
    yield Stage(name="check")
    variant, timed = begun.variant, begun.timed
    require_result(begun.result)
    yield from _notice_aliases(bench, begun.result)
    result, begun.result = copied(begun.result), None  # later calls may write to the same memory
    changed = bench.made.changed()
    if changed.live:
        timed = replace(timed, before=changed.restore)
        yield _notice_changes(len(changed.live))
    second_ns, _ = call_once(timed)
    yield from measure_cold(compiling, second_ns)
    changed.restore()
    once = partial(call_once, timed)
    for watched_call in (
        watch_launches(once, compiling),
        watch_syncs(once, timed.device, own_files(bench.op)),
    ):
        yield from watched_call
        changed.restore()
    probe = probe_of(bench, variant, bench.caller(variant.call), result, timed.device)
    yield from _check(probe, variant, result, options)
    yield from tried(trials(BEFORE, probe), options)
    yield from _work(variant, bench)
    return Examined(timed=timed, probe=probe, second_ns=second_ns)


def tried(made: Iterator[Trial], options: Options) -> Iterator[Trial]:
    """Pass trials on; a failed one ends the run, unless it is to go on."""
    for trial in made:
        yield trial
        if trial.status == "failed" and trial.stops and not options.keep_going:
            raise WrongResultError(
                f"The check '{trial.name}' failed ({trial.proves}): {trial.fact}",
                f"{trial.advice} Pass --keep-going to measure it all the same.",
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
