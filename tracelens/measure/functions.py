"""Python functions by sampling: warm calls in blocks, with a sampler and without in turn."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from tracelens.measure.cores import Tour
from tracelens.measure.device import Unavailable
from tracelens.measure.failure import RAISED, spell_error
from tracelens.measure.options import Options
from tracelens.measure.sampling.frames import frame_of, is_own
from tracelens.measure.sampling.memory_sampler import memory_sampler
from tracelens.measure.sampling.sampler import PAUSE_NS, Counted, Line, Sampler, call_in_a_row
from tracelens.measure.sampling.signal_sampler import signal_sampler
from tracelens.measure.timing import Timed, move_on, timed_stretch
from tracelens.measure.withheld import withhold
from tracelens.model.functions import Frame, FunctionSamples, Stack
from tracelens.model.measurement import Record, Stage
from tracelens.model.op import Op

FUNCTIONS_TAG = "functions"

_UNAVAILABLE = "functions/unavailable"

_TIMES_BUDGET = 8
"""The stage may last as many times as long as the samples of another: ten thousand stacks, not a
few hundred times."""
_SAMPLED_NS = 20_000_000
_PLAIN_NS = 5_000_000
"""How long a block lasts at least: under the sampler, and without."""
_READ_NS = 30_000
"""What a sample takes; the next one begins a pause later."""
_LEAST_PAUSE_NS = 20_000
"""At a mean distance of 5 us a call of Triton's launcher took 8 % longer, at 20 us 3 to 7 %."""
_FEWEST_BLOCKS = 5
_BATCH = 10
"""Calls with one wait behind them: fewer launches than a stream's queue holds, so that no call has
to wait for a place in it."""
_MOST_STACKS = 4_000
_OUTER_LINES, _INNER_LINES = 24, 40
"""What is kept of a stack that has more lines."""


@dataclass(slots=True)
class _Blocks:
    """Host time per call of each block, in ns."""

    batch: int
    sampled_ns: list[int] = field(default_factory=list)
    plain_ns: list[int] = field(default_factory=list)


def measure_functions(subject: Timed, op: Op, options: Options) -> Iterator[Record]:
    """Sample the functions that warm calls are in, if asked to. What fails costs nothing else."""
    if not options.functions:
        return
    yield Stage(name="function samples")
    try:
        with ExitStack() as opened:
            sampler, instead_of = _open_sampler(opened)
            yield sample_functions(
                subject.warm,
                sampler,
                samples=options.function_samples,
                budget_ns=_TIMES_BUDGET * options.budget_ns,
                own_files=own_files(op),
                instead_of=instead_of,
            )
    except Unavailable as reason:
        yield withhold((FUNCTIONS_TAG,), _UNAVAILABLE, "info", reason)
    except RAISED as error:
        failed = Unavailable(f"sampling failed: {spell_error(error)}", "Run it again.")
        yield withhold((FUNCTIONS_TAG,), _UNAVAILABLE, "info", failed)


def sample_functions(
    subject: Timed,
    sampler: Sampler,
    *,
    samples: int,
    budget_ns: int,
    own_files: Collection[str] = (),
    instead_of: str = "",
) -> FunctionSamples:
    """Call until there are that many samples, or for `budget_ns`; return what was found.

    Blocks under the sampler and without alternate, and go from core to core in pairs, so that a
    drift and a slow core meet both alike. The waits for the device, and what makes ready for calls,
    lie between the stretches that are sampled.
    """
    now, counted, tour = subject.device.now_ns, Counted(0), Tour()
    with timed_stretch(grad=subject.grad):
        blocks = _Blocks(batch=_batch(subject))
        pause_ns = _pause_ns(subject, blocks.batch)  # the first calls of a loop are slower
        end_ns = now() + budget_ns
        while counted.samples < samples or len(blocks.plain_ns) < _FEWEST_BLOCKS:
            move_on(subject, tour)
            sampler.resume(pause_ns=pause_ns)
            blocks.sampled_ns.append(_a_call(_block(subject, _SAMPLED_NS, blocks.batch)))
            counted = sampler.pause()
            blocks.plain_ns.append(_a_call(_block(subject, _PLAIN_NS, blocks.batch)))
            if now() >= end_ns:
                break
    frames, stacks = _kept(sampler.stacks(), own_files)
    return FunctionSamples(
        way=sampler.way,
        frames=frames,
        stacks=tuple(Stack(frames=f, count=count) for f, count in stacks[:_MOST_STACKS]),
        samples=sum(count for _, count in stacks),
        batch=blocks.batch,
        sampled_ns=tuple(blocks.sampled_ns),
        plain_ns=tuple(blocks.plain_ns),
        unkept=sum(count for _, count in stacks[_MOST_STACKS:]),
        unread=counted.unread,
        instead_of=instead_of,
    )


def _open_sampler(opened: ExitStack) -> tuple[Sampler, str]:
    """Return the sampler that leaves the calls alone, or the other one and why it is not that."""
    try:
        return opened.enter_context(memory_sampler()), ""
    except Unavailable as reason:
        return opened.enter_context(signal_sampler()), reason.reason


def _batch(subject: Timed) -> int:
    """Return how many calls a block has between two waits: one of a slow op is a block."""
    return max(1, min(_BATCH, _PLAIN_NS // max(_stretch(subject, 1), 1)))


def _pause_ns(subject: Timed, batch: int) -> int:
    """Return a distance between samples that grants as many a second to an op that mostly waits."""
    begun_ns = subject.device.now_ns()
    spent_ns, _ = _block(subject, _PLAIN_NS, batch)
    share = spent_ns / (subject.device.now_ns() - begun_ns)
    return max(round((PAUSE_NS + _READ_NS) * share) - _READ_NS, _LEAST_PAUSE_NS)


def _block(subject: Timed, least_ns: int, batch: int) -> tuple[int, int]:
    """Call for that long; return the host's ns, without the waits, and the calls."""
    spent_ns = calls = 0
    while spent_ns < least_ns:
        spent_ns += _stretch(subject, batch)
        calls += batch
    return spent_ns, calls


def _a_call(block: tuple[int, int]) -> int:
    spent_ns, calls = block
    return round(spent_ns / calls)


def _stretch(subject: Timed, calls: int) -> int:
    now = subject.device.now_ns
    subject.begin()
    begun_ns = now()
    call_in_a_row(subject.call, calls)
    returned_ns = now()
    subject.device.synchronize()
    return returned_ns - begun_ns


def _kept(
    found: Mapping[tuple[Line, ...], int], own_files: Collection[str]
) -> tuple[tuple[Frame, ...], list[tuple[tuple[int, ...], int]]]:
    """Return the frames, and the stacks that name them by their places, the most frequent first.

    Instructions of one line are one frame.
    """
    places: dict[Frame, int] = {}
    of_line: dict[Line, int] = {}
    counts: Counter[tuple[int, ...]] = Counter()
    for lines, count in found.items():
        for line in lines:
            if line not in of_line:
                frame = frame_of(*line, own_files=own_files)
                of_line[line] = places.setdefault(frame, len(places))
        counts[_cut(tuple(of_line[line] for line in lines))] += count
    return tuple(places), sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _cut(stack: tuple[int, ...]) -> tuple[int, ...]:
    if len(stack) <= _OUTER_LINES + _INNER_LINES:
        return stack
    return stack[:_OUTER_LINES] + stack[-_INNER_LINES:]


def own_files(op: Op) -> frozenset[str]:
    """Return the files that the op's own functions are in, as their code names them."""
    functions = [op.inputs, *(variant.call for variant in op.variants)]
    codes = [getattr(inspect.unwrap(f), "__code__", None) for f in functions]
    return frozenset(code.co_filename for code in codes if code and is_own(code.co_filename))
