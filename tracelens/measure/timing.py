"""Host times of calls: each with its own wait, or many with one."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

import torch

from tracelens.measure.cores import Tour
from tracelens.measure.device import Device
from tracelens.model.measurement import GradMode

FEWEST_SAMPLES = 5
"""A median with quantiles 0.2 and 0.8 needs as many."""
_SETTLING_NS = 500_000
"""The calls right after a move find their core's caches empty, and are no samples."""
_LONG_NS = 10_000_000
"""Empty caches are less than a hundredth of such a call, and one to settle costs as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What is timed, where, and with gradients recorded or not.

    `before` makes the next sample start as all others do, such as by restoring inputs that the op
    changes. It is called before each sample, never inside one, and waited for.
    """

    call: Callable[[], object]
    device: Device
    grad: GradMode
    before: Callable[[], object] | None = None
    flush: Callable[[], object] | None = None
    """Queues what makes the cache cold: the last thing before a sample."""
    cache_state: str = "warm"

    def flushed(self, flush: Callable[[], object], *, state: str) -> Timed:
        """Return the same subject with a cold cache before each sample."""
        return replace(self, flush=flush, cache_state=state)

    @property
    def warm(self) -> Timed:
        """The same subject without a flush."""
        return replace(self, flush=None, cache_state="warm")

    def begin(self) -> None:
        """Make ready for a sample."""
        if self.before is not None:
            self.before()
        if self.flush is not None:
            self.flush()  # after restoring inputs, which would warm them
        if self.before is not None or self.flush is not None:
            self.device.synchronize()


@dataclass(frozen=True, slots=True)
class Instants:
    """Three readings of the host clock a call: before it, when it returned, after the wait."""

    begun_ns: list[int] = field(default_factory=list)
    returned_ns: list[int] = field(default_factory=list)
    done_ns: list[int] = field(default_factory=list)

    def add(self, begun_ns: int, returned_ns: int, done_ns: int) -> None:
        """Append one call."""
        self.begun_ns.append(begun_ns)
        self.returned_ns.append(returned_ns)
        self.done_ns.append(done_ns)

    def extend(self, others: Instants) -> None:
        """Append all calls of others."""
        self.begun_ns.extend(others.begun_ns)
        self.returned_ns.extend(others.returned_ns)
        self.done_ns.extend(others.done_ns)

    def __len__(self) -> int:
        return len(self.done_ns)

    @property
    def submit_ns(self) -> tuple[int, ...]:
        """From the start of each call until it returned."""
        return tuple(r - b for b, r in zip(self.begun_ns, self.returned_ns, strict=True))

    @property
    def full_ns(self) -> tuple[int, ...]:
        """From the start of each call until its wait ended."""
        return tuple(d - b for b, d in zip(self.begun_ns, self.done_ns, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """Runs of `batch` calls with one wait at the end: instants of whole runs."""

    batch: int
    runs: Instants

    @property
    def amortised_ns(self) -> tuple[int, ...]:
        """Of each run until its wait ended, a call's share."""
        return tuple(round(ns / self.batch) for ns in self.runs.full_ns)

    @property
    def in_row_ns(self) -> tuple[int, ...]:
        """Of each run until its last call returned, a call's share: the host's own pace."""
        return tuple(round(ns / self.batch) for ns in self.runs.submit_ns)

    @property
    def backlog_ns(self) -> tuple[int, ...]:
        """How long the wait behind each run took: what the host had run ahead by."""
        return tuple(
            done - returned
            for done, returned in zip(self.runs.done_ns, self.runs.returned_ns, strict=True)
        )


_GRAD_MODES: dict[GradMode, Callable[[], AbstractContextManager[object]]] = {
    "grad": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}


@contextmanager
def timed_stretch(*, grad: GradMode) -> Iterator[None]:
    """Keep the garbage collector out and the grad mode as stated, whatever happens inside."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with _GRAD_MODES[grad]():
            yield
    finally:
        if collecting:
            gc.enable()


def warm_up(subject: Timed, *, calls: int, duration_ns: int) -> Instants:
    """Call for at least that often and at least that long; return every call that it took."""
    call, now, synchronize = subject.call, subject.device.now_ns, subject.device.synchronize
    made = Instants()
    with timed_stretch(grad=subject.grad):
        end_ns = now() + duration_ns
        while len(made) < calls or now() < end_ns:
            subject.begin()
            begun_ns = now()
            call()
            returned_ns = now()
            synchronize()
            made.add(begun_ns, returned_ns, now())
    return made


def sample_calls(subject: Timed, *, samples: int, budget_ns: int) -> Instants:
    """Time single calls, each followed by a wait for the device.

    A call's result is dropped after its wait, so giving its memory back is in no sample.
    """
    call, now, synchronize = subject.call, subject.device.now_ns, subject.device.synchronize
    instants = Instants()
    with timed_stretch(grad=subject.grad):
        synchronize()
        end_ns = now() + budget_ns
        for _ in range(samples):
            subject.begin()
            begun_ns = now()
            result = call()
            returned_ns = now()
            synchronize()
            done_ns = now()
            del result
            instants.add(begun_ns, returned_ns, done_ns)
            if done_ns >= end_ns and len(instants) >= FEWEST_SAMPLES:
                break
    return instants


def move_on(subject: Timed, tour: Tour) -> None:
    """Go to another core, and call until it has settled.

    An op on the CPU stays where it is: what its threads share was placed without the tour.
    """
    if subject.device.asynchronous and tour.move() and not tour.long_calls:
        made = warm_up(subject, calls=1, duration_ns=_SETTLING_NS)
        tour.long_calls = made.done_ns[-1] - made.begun_ns[0] >= _LONG_NS


def sample_spread(subject: Timed, tour: Tour, *, samples: int, budget_ns: int) -> Instants:
    """Time single calls as `sample_calls` does, a share of them on each core of the tour."""
    now, found = subject.device.now_ns, Instants()
    visits = max(len(tour.cores), 1) if subject.device.asynchronous else 1
    end_ns, share = now() + budget_ns, -(-samples // visits)
    while len(found) < samples:
        move_on(subject, tour)
        most = min(share, samples - len(found))
        found.extend(sample_calls(subject, samples=most, budget_ns=budget_ns // visits))
        if now() >= end_ns and len(found) >= FEWEST_SAMPLES:
            break
    return found


def sample_pairs(one: Timed, other: Timed, *, pairs: int) -> tuple[Instants, Instants]:
    """Time single calls of two subjects, one right after the other, in turns at being first.

    The speed of a host changes by more than small differences within a second; a pair meets one.
    """
    of_one, of_other = Instants(), Instants()
    sides = ((one, of_one), (other, of_other))
    for pair in range(pairs):
        for subject, instants in sides if pair % 2 else sides[::-1]:
            instants.extend(sample_calls(subject, samples=1, budget_ns=0))
    return of_one, of_other


def sample_batches(
    subject: Timed,
    *,
    batches: int,
    batch: int,
    budget_ns: int,
    tour: Tour | None = None,
) -> Batches:
    """Time runs of `batch` calls with one wait at the end.

    Each result is dropped at once, as in a loop that overwrites its variable. With a tour each run
    is on another core.
    """
    call, now, synchronize = subject.call, subject.device.now_ns, subject.device.synchronize
    runs = Instants()
    with timed_stretch(grad=subject.grad):
        synchronize()
        end_ns = now() + budget_ns
        for _ in range(batches):
            if tour is not None:
                move_on(subject, tour)
            subject.begin()
            begun_ns = now()
            for _ in range(batch):
                call()
            returned_ns = now()
            synchronize()
            done_ns = now()
            runs.add(begun_ns, returned_ns, done_ns)
            if done_ns >= end_ns and len(runs) >= FEWEST_SAMPLES:
                break
    return Batches(batch=batch, runs=runs)


def batch_within(budget_ns: int, *, call_ns: int, most: int) -> int:
    """Return how many calls of that length go in one batch, so that the budget holds enough."""
    return max(2, min(most, budget_ns // (FEWEST_SAMPLES * max(call_ns, 1))))
