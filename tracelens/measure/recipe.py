"""One variant of an op measured from start to end, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from tracelens.measure.behaviour import LAST
from tracelens.measure.bench import Bench
from tracelens.measure.cache import prepare_cold
from tracelens.measure.cold import ColdWork, compiled_while_warm, watched
from tracelens.measure.device import Device
from tracelens.measure.examination import Examined, examine, tried
from tracelens.measure.first_call import Begun, begin
from tracelens.measure.functions import measure_functions
from tracelens.measure.layers import measure_layers
from tracelens.measure.options import Options
from tracelens.measure.power import Lookout
from tracelens.measure.probe import Probe, trials
from tracelens.measure.profiled import Pass
from tracelens.measure.repetition import repetition
from tracelens.measure.stages import (
    measure_cold_cache,
    measure_eager,
    measure_graph,
    measure_undisturbed,
)
from tracelens.measure.withheld import withhold_device
from tracelens.model.measurement import Record, Subject


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
    stated = bench.op.stated_kernels(subject.case, subject.variant)
    if stated is not None:
        yield stated
    with watched() as compiling:
        begun = yield from begin(bench, subject, guess=guess, options=options)
        examined = yield from examine(bench, begun, compiling, options)
        one = yield from _measure(bench, begun, examined, compiling, options)
    ready.append(Ready(subject=subject, timed=one, probe=examined.probe))


def _measure(
    bench: Bench, begun: Begun, examined: Examined, compiling: ColdWork, options: Options
) -> Generator[Record, None, Pass]:
    """Take every measurement that needs no profiler; return what the profiled pass is to call."""
    timed, probe = examined.timed, examined.probe
    flushed = yield from prepare_cold(timed, options, begun.l2)
    if begun.l2 == "cold" and flushed is not None:
        timed, flushed = flushed, None
    lookout, compiled = Lookout(timed.device), compiling.pieces
    warmed = yield from measure_eager(timed, options, lookout)
    yield repetition(begun.first_ns, examined.second_ns, warmed)
    replay = None
    if timed.device.asynchronous:
        replay = yield from measure_graph(timed, probe, options, lookout)
        if flushed is not None:
            yield from measure_cold_cache(flushed, replay, options, lookout)
        yield from measure_undisturbed(timed, options, lookout)
    else:
        yield withhold_device()
    yield from measure_functions(timed, bench.op, options)
    yield from compiled_while_warm(compiled, compiling)
    yield from tried(trials((LAST,), probe), options)
    yield from measure_layers(bench, begun.variant, timed, options)
    return Pass(subject=timed, replay=replay, cold=flushed, variant=begun.variant.name)
