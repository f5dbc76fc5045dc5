"""One op at many sizes, by a light protocol: enough to see where host and device change places."""

from __future__ import annotations

import inspect
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

import torch

from tracelens.errors import OpFileError, TracelensError, UsageError
from tracelens.measure.bench import Bench
from tracelens.measure.case import outline
from tracelens.measure.check import compare, require_result
from tracelens.measure.choice import choose_device
from tracelens.measure.clock import CLOCK
from tracelens.measure.device import Unavailable
from tracelens.measure.environment import read_environment
from tracelens.measure.failure import RAISED, spell_error
from tracelens.measure.options import Options
from tracelens.measure.teardown import with_teardown
from tracelens.measure.timing import Timed, batch_within, sample_batches, sample_calls, warm_up
from tracelens.measure.undisturbed import sample_busy
from tracelens.measure.values import copied
from tracelens.model.measurement import Noticed, Outline, Protocol, Record, Stage, Subject
from tracelens.model.op import Case, Choice, Op, Variant
from tracelens.model.sweep import Sweep, SweepPoint

T = TypeVar("T")

_WARMUP_NS = 20_000_000
"""At each size; the first one has the whole warm-up, for the card to raise its clocks."""
_CALLS = 50
_BATCHES = 10
_BUSY_CALLS = 10
_BUDGET_NS = 50_000_000
"""Most time for each of the three at one size."""


def swept(op: Op, sweep: Sweep, choice: Choice, options: Options) -> Iterator[Record]:
    """Measure the chosen variants at every size, in the first chosen case but for its size.

    Raises UsageError for a name that is unknown and for sizes that there are none of.
    """
    subjects = outline(op, choice).subjects
    base = next(case for case in op.cases if case.name == subjects[0].case)
    variants = [replace(s, case=None) for s in subjects if s.case == base.name]
    yield Outline(subjects=tuple(variants))
    yield from measure_sweep(op, sweep_cases(op, sweep, base), sweep.parameter, variants, options)


def sweep_cases(op: Op, sweep: Sweep, base: Case) -> list[Case]:
    """Return a case for each size: the base case with another argument.

    Without sizes they are the op's own cases. Raises UsageError where those differ in something
    else too, and where `inputs()` has no such argument.
    """
    _require_argument(op, sweep.parameter)
    if sweep.sizes:
        return [_sized(base, sweep.parameter, size) for size in sweep.sizes]
    stated = [c.arguments.get(sweep.parameter) for c in op.cases]
    sizes = sorted(size for size in stated if type(size) is int)
    others = [{**c.arguments, sweep.parameter: None} for c in op.cases]
    if len(sizes) < len(stated) or any(other != others[0] for other in others):
        raise UsageError(
            f"The cases of the op file do not differ in the integer {sweep.parameter!r} alone.",
            f"Name the sizes: --sweep {sweep.parameter}=256..16777216.",
        )
    Sweep(parameter=sweep.parameter, sizes=tuple(sizes))  # it says what is no size
    return sorted(op.cases, key=lambda c: int(c.arguments[sweep.parameter]))


def _require_argument(op: Op, name: str) -> None:
    try:
        arguments = inspect.signature(op.inputs).parameters
    except (TypeError, ValueError):  # made by C code, some of which does not say
        return
    any_name = any(a.kind is a.VAR_KEYWORD for a in arguments.values())
    if name not in arguments and not any_name:
        known = ", ".join(arguments) or "none"
        raise UsageError(
            f"inputs() has no argument {name!r} to sweep; its arguments: {known}.",
            f"Write `def inputs({name}=1024): ...` and make tensors of that size.",
        )


def _sized(case: Case, parameter: str, size: int) -> Case:
    return replace(case, arguments={**case.arguments, parameter: size})


def measure_sweep(
    op: Op, cases: list[Case], parameter: str, subjects: list[Subject], options: Options
) -> Iterator[Record]:
    """Measure every variant at every size, all in this process; each size is one record.

    `subjects` are the variants. A size that fails costs its own figures. Raises OpFileError where
    all of them do.
    """
    yield subjects[0]
    yield from (Noticed(finding=doubt) for doubt in op.doubts)
    yield Stage(name="environment")
    device = choose_device((), wanted=options.device, settled=False)
    yield read_environment(device.name)
    if op.setup is not None:
        yield Stage(name="setup")
        op.setup()
    yield from with_teardown(op, _sizes(op, cases, parameter, subjects, options))


def _sizes(
    op: Op, cases: list[Case], parameter: str, subjects: list[Subject], options: Options
) -> Iterator[Record]:
    warm_ns = max(options.warmup_ns, _WARMUP_NS)
    failures: list[str | None] = []
    for case in cases:
        size = int(case.arguments[parameter])
        yield Stage(name=f"{parameter} = {size:,}")
        blank = SweepPoint(parameter=parameter, size=size)
        bench = _attempt(partial(Bench, op, case, seed=options.seed))
        for subject in subjects:
            yield subject
            for found in _at_size(blank, bench, subject, options, warm_ns=warm_ns):
                if isinstance(found, SweepPoint):
                    failures.append(found.failed)
                yield found
        warm_ns = _WARMUP_NS
    if all(failures):
        raise OpFileError(
            f"Nothing was measured at any size of {parameter}: {failures[0]}",
            f"See that inputs({parameter}=...) and op() take such sizes.",
        )


def _at_size(
    blank: SweepPoint, bench: Bench | str, subject: Subject, options: Options, *, warm_ns: int
) -> Iterator[Record]:
    if isinstance(bench, str):
        yield replace(blank, failed=bench)
        return
    variant = next(v for v in bench.op.variants if v.name == subject.variant)
    one = _Sized(bench, variant, options)
    point = _attempt(partial(one.point, blank, warm_ns))
    yield one.protocol()
    yield replace(blank, failed=point) if isinstance(point, str) else point


def _attempt(make: Callable[[], T]) -> T | str:
    """Return what was made, or why it could not be."""
    try:
        return make()
    except TracelensError as error:
        return error.fact
    except RAISED as error:
        return spell_error(error)


class _Sized:
    """One variant at one size."""

    def __init__(self, bench: Bench, variant: Variant, options: Options) -> None:
        self._bench = bench
        self._variant = variant
        self._options = options
        call = partial(bench.caller(variant.call), *bench.inputs)
        device = choose_device(bench.inputs, wanted=options.device, settled=False)
        self._timed = Timed(call=call, device=device, grad=bench.grad)

    def protocol(self) -> Protocol:
        """Return how its figures were taken."""
        return Protocol(
            device=self._timed.device.name,
            seed=self._options.seed,
            grad_mode=self._bench.grad,
            mode=self._bench.op.mode,
            warmup_calls=self._options.warmup_calls,
            warmup_ns=_WARMUP_NS,
            samples=_CALLS,
            batch=self._options.batch,
            profiled_calls=0,
            head_calls=self._options.head_calls,
            cache_state="warm",
            clock=CLOCK,
            threads=torch.get_num_threads(),
        )

    def point(self, blank: SweepPoint, warm_ns: int) -> SweepPoint:
        """Check the result, then measure. Raises what the op or its check raises."""
        self._check()
        options, timed = self._options, self._timed
        warm_up(timed, calls=options.warmup_calls, duration_ns=warm_ns)
        calls = sample_calls(timed, samples=_CALLS, budget_ns=_BUDGET_NS)
        batch = batch_within(
            _BUDGET_NS, call_ns=int(statistics.median(calls.full_ns)), most=options.batch
        )
        rows = sample_batches(timed, batches=_BATCHES, batch=batch, budget_ns=_BUDGET_NS)
        point = replace(
            blank,
            full_ns=calls.full_ns,
            submit_ns=calls.submit_ns,
            amortised_ns=rows.amortised_ns,
            in_row_ns=rows.in_row_ns,
            batch=batch,
        )
        try:
            busy_ns = sample_busy(
                timed, head_calls=options.head_calls, calls=_BUSY_CALLS, budget_ns=_BUDGET_NS
            )
        except Unavailable as reason:
            return replace(point, busy_unknown=reason.reason)
        return replace(point, busy_ns=busy_ns)

    def _check(self) -> None:
        """Call for the first time, learn the device from the result, hold it to the reference."""
        bench, device = self._bench, self._timed.device
        result = bench.result(bench.caller(self._variant.call), bench.inputs, device)
        require_result(result)
        settled = choose_device((bench.inputs, result), wanted=self._options.device, settled=True)
        reference, against = bench.reference(self._variant)
        changed = bench.made.changed()
        before = changed.restore if changed.live else None
        self._timed = replace(self._timed, device=settled, before=before)
        if reference is not None:
            result = copied(result)
            bench.made.restore()
            expected = bench.result(bench.caller(reference), bench.copy(), settled)
            compare(result, expected, tolerance=bench.op.tolerance, against=against)
        bench.made.restore()
