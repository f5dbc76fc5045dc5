"""What an op pays when something about its inputs changes, and what it pays ever after."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Any

from tracelens.measure.bench import Bench, Call
from tracelens.measure.cold import ColdWork, watched
from tracelens.measure.device import Device, Unavailable
from tracelens.measure.failure import RAISED, spell_error
from tracelens.measure.timing import Timed, sample_calls
from tracelens.measure.variations import Changed, Way, ways
from tracelens.model.invocation import Variation
from tracelens.model.measurement import Stage
from tracelens.model.op import Inputs

_HEADS = 3
_STEADY = 20
"""Calls whose median is what a call costs before, with and after a change."""
_GRAPHS = 100
_SLOWEST_NS = 200_000_000
"""Most time for the calls of one step, beyond the first five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """A variant whose inputs are varied: `calling` returns its call as if it were new."""

    bench: Bench
    calling: Callable[[], Call]
    own: Timed
    device: Device


def vary(varied: Varied, *, budget_ns: int) -> Generator[Stage | Variation, None, bool]:
    """Change one thing after the other, and measure what that costs; say if the device survived.

    None is begun once the budget is spent. What the op does not accept costs it nothing, and each
    is a stage, so that an end of the process is known by what was changed.
    """
    now = varied.device.now_ns
    end_ns = now() + budget_ns
    lost: str | None = None
    with watched() as triton, _room_for_graphs():
        for way in ways(varied.bench):
            if lost is None and now() < end_ns:
                yield Stage(name=f"variations: {way.name}", is_extra=True)
                found = _varied(way, varied, triton)
                yield found
                lost = _lost(varied.device, found)
            else:
                yield _unmeasured(way, lost or f"{budget_ns / 1e9:g} s were spent before it")
    return lost is None


def _varied(way: Way, varied: Varied, triton: ColdWork) -> Variation:
    try:
        changed = way.change(varied.bench, varied.device)
    except Unavailable as reason:
        return _unmeasured(way, reason.reason)
    except RAISED as error:  # no memory, a dtype that torch cannot copy
        return _unmeasured(way, f"its inputs could not be made: {spell_error(error)}")
    before = _sampled(varied.own, _HEADS + _STEADY)[_HEADS:]
    kernels, graphs = _kernels(triton), _graphs()
    one = Variation(name=way.name, change=changed.change, status="measured", before_ns=before)
    try:
        with changed.around():
            first, second, *rest = _sampled(_subject(changed, varied), 2 + _STEADY)
    except RAISED as error:
        fact = spell_error(error)
        return Variation(name=way.name, change=changed.change, status="not accepted", fact=fact)
    made = _graphs()
    ready = _kernels(triton) - kernels
    back, *after = _sampled(varied.own, 1 + _STEADY)
    return replace(
        one,
        first_ns=first,
        second_ns=second,
        changed_ns=tuple(rest),
        back_ns=back,
        after_ns=tuple(after),
        triton_kernels=ready if triton.watching else None,
        graphs=None if made is None else made - (graphs or 0),
    )


def _subject(changed: Changed, varied: Varied) -> Timed:
    call = varied.calling()
    return replace(
        varied.own,
        call=_calling(call, changed.inputs),
        grad=changed.grad or varied.own.grad,
    )


def _calling(call: Call, sets: Sequence[Inputs]) -> Callable[[], object]:
    """Return a call with the inputs, or with each of several sets of them in turn."""
    if len(sets) == 1:
        return partial(call, *sets[0])
    following = cycle(sets).__next__
    return lambda: call(*following())


def _sampled(subject: Timed, calls: int) -> tuple[int, ...]:
    return sample_calls(subject, samples=calls, budget_ns=_SLOWEST_NS).submit_ns


@contextmanager
def _room_for_graphs() -> Iterator[None]:
    """Let torch.compile make a graph for every change: after eight it would give up on the op."""
    config: Any = sys.modules.get("torch._dynamo.config")
    limit = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
    if config is None:
        yield
        return
    with config.patch({limit: _GRAPHS}):
        yield


def _kernels(triton: ColdWork) -> int:
    """Return how many kernels Triton made ready; each is loaded too, when it first runs."""
    return max(triton.compiled + triton.reused, triton.loaded)


def _graphs() -> int | None:
    """Return how many graphs torch.compile has made; None while nothing has used it."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return None if dynamo is None else int(dynamo.counters["stats"]["unique_graphs"])


def _lost(device: Device, after: Variation) -> str | None:
    """Say how the device was lost, or None: a kernel's bad access stays with the process."""
    try:
        device.synchronize()
    except RuntimeError:
        return f"the device was lost by {after.name!r}: {after.fact}"
    return None


def _unmeasured(way: Way, why: str) -> Variation:
    return Variation(name=way.name, change="", status="not measured", fact=why)
