"""The instrument against known truth, on this machine: every way of timing, one after the other."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from torch import cuda

from tracelens.measure.choice import choose_device
from tracelens.measure.device import Device, Unavailable
from tracelens.measure.environment import read_environment
from tracelens.measure.host_clock import examine_host_clock
from tracelens.measure.siblings import compare_cards
from tracelens.measure.timing import (
    Timed,
    sample_calls,
    sample_pairs,
    timed_stretch,
    warm_up,
)
from tracelens.measure.truth import CardTruth, spin_host
from tracelens.measure.undisturbed import split_calls
from tracelens.model.calibration import Calibration, Kind, Way
from tracelens.model.measurement import Withheld
from tracelens.model.report import Environment, Finding

_SPINS_NS = {"spin_5us": 5_000, "spin_50us": 50_000, "spin_500us": 500_000}
_HOST_SPINS_NS = {"host_20us": 20_000, "host_50us": 50_000, "host_100us": 100_000}
_SAMPLES = 50
_WARM_UP_NS = 200_000_000
"""An idle card needs a tenth of a second or two to raise its clocks."""
_HEAD_CALLS = 5
_BUDGET_NS = 1_000_000_000
_TIMER = "the kernel's own reading of the card's global timer"
_NOTHING = "nothing runs"
_NO_DEVICE = Unavailable(
    "torch sees no CUDA device: CUDA events, CUPTI, torch.profiler's kernel times and the split of "
    "a call could not be checked.",
    "Run it on the machine that measures.",
)


class Truth(Protocol):
    """Work of known length on a card."""

    @property
    def empty(self) -> Callable[[], None]:
        """Launch a kernel that does nothing."""
        ...

    def spin(self, length_ns: int) -> Callable[[], None]:
        """Return a launch of a kernel that runs that long."""
        ...

    def spun_ns(self) -> int:
        """Return how long the last one ran by its own reading."""
        ...

    def between_events(self, call: Callable[[], object]) -> int:
        """Return the ns between two device events around a call."""
        ...


@dataclass(frozen=True, slots=True)
class _Known:
    """Something to time: a call, how long it runs, and where that is known from."""

    check: str
    call: Callable[[], object]
    truth_ns: int
    truth_from: str
    kind: Kind = "kernel"


def examine(*, trace_path: Path) -> Iterator[Environment | Calibration | Withheld]:
    """Calibrate the host clock, then the cards beside each other, then the current card.

    Without a card, what could not be checked is withheld.
    """
    device = choose_device((), wanted=None, settled=False)
    yield read_environment(device.name)
    yield from examine_host_clock()
    if not device.asynchronous:
        yield _withheld("device", _NO_DEVICE)
        return
    cards = {f"cuda:{index}": partial(CardTruth, index) for index in range(cuda.device_count())}
    try:
        yield from compare_cards(cards)
        truth = cards[device.name]()
        yield from examine_card(device, truth, trace_path=trace_path)
    except Unavailable as reason:
        yield _withheld("kernels", reason)


def examine_card(
    device: Device, truth: Truth, *, trace_path: Path
) -> Iterator[Calibration | Withheld]:
    """Calibrate every way of timing a kernel, and the split of a call, on one card.

    What the profiler saw is left in `trace_path`, in the windows that its calibrations name.
    The profiler comes last: after it no other way is to be trusted in this process.
    """
    known = [_known_spin(truth, check, length) for check, length in _SPINS_NS.items()]
    known.append(
        _Known("empty_kernel", truth.empty, 0, "a kernel without a statement runs", "nothing")
    )
    warm_up(_subject(truth.empty, device), calls=_HEAD_CALLS, duration_ns=_WARM_UP_NS)
    yield from _by_host(device, known)
    yield from _by_events(device, truth, known)
    try:
        yield from _by_cupti(device, known, truth.empty)
    except Unavailable as reason:
        yield _withheld("cupti", reason)
    yield from _by_profiler(device, known, trace_path)


def _known_spin(truth: Truth, check: str, length_ns: int) -> _Known:
    call = truth.spin(length_ns)
    spun = []
    for _ in range(_SAMPLES):
        call()
        spun.append(truth.spun_ns())
    return _Known(check, call, int(statistics.median(spun)), _TIMER)


def _by_host(device: Device, known: list[_Known]) -> Iterator[Calibration]:
    nothing = _Known("empty_call", lambda: None, 0, _NOTHING, "nothing")
    for one in [*known, nothing]:
        sampled = sample_calls(_subject(one.call, device), samples=_SAMPLES, budget_ns=_BUDGET_NS)
        yield _calibration(one, "host", sampled.full_ns)


def _by_events(device: Device, truth: Truth, known: list[_Known]) -> Iterator[Calibration]:
    nothing = _Known("empty_events", lambda: None, 0, _NOTHING, "nothing")
    for one in [*known, nothing]:
        samples = []
        for _ in range(_SAMPLES):
            device.synchronize()
            samples.append(truth.between_events(one.call))
        yield _calibration(one, "events", tuple(samples))


def _by_cupti(
    device: Device, known: list[_Known], empty: Callable[[], object]
) -> Iterator[Calibration]:
    """Calibrate kernel durations, and how much of a host spin comes back before the kernel."""
    without = _subject(partial(_spin_then, 0, empty), device)
    with device.work_records() as records:
        warm_up(_subject(empty, device), calls=_HEAD_CALLS, duration_ns=0)
        kernels = [
            sample_calls(_subject(one.call, device), samples=_SAMPLES, budget_ns=_BUDGET_NS)
            for one in known
        ]
        spins = [
            sample_pairs(
                without, _subject(partial(_spin_then, length_ns, empty), device), pairs=_SAMPLES
            )
            for length_ns in _HOST_SPINS_NS.values()
        ]
    times = records.times()
    for one, instants in zip(known, kernels, strict=True):
        yield _calibration(one, "cupti", split_calls(instants, times).busy)
    for (check, length_ns), pair in zip(_HOST_SPINS_NS.items(), spins, strict=True):
        before, after = (split_calls(instants, times).before_first for instants in pair)
        yield Calibration(
            check=check,
            way="cupti",
            kind="host",
            truth_ns=length_ns,
            truth_from="a spin of the host before the launch; beside the same call with one of 0",
            samples_ns=tuple(b - a for a, b in zip(before, after, strict=True)),
        )


def _by_profiler(device: Device, known: list[_Known], trace_path: Path) -> Iterator[Calibration]:
    with timed_stretch(grad="no_grad"), device.timeline() as timeline:
        for one in [_Known("head", known[0].call, 0, ""), *known]:
            for _ in range(_SAMPLES):
                with timeline.window(_window(one.check)):
                    one.call()
                device.synchronize()
    timeline.write(trace_path)
    for one in known:
        yield Calibration(
            check=one.check,
            way="profiler",
            kind=one.kind,
            truth_ns=one.truth_ns,
            truth_from=one.truth_from,
            window=_window(one.check),
        )


def _spin_then(length_ns: int, call: Callable[[], object]) -> None:
    spin_host(length_ns)
    call()


def _subject(call: Callable[[], object], device: Device) -> Timed:
    return Timed(call=call, device=device, grad="no_grad")


def _window(check: str) -> str:
    return f"doctor::{check}"


def _calibration(one: _Known, way: Way, samples_ns: tuple[int, ...]) -> Calibration:
    return Calibration(
        check=one.check,
        way=way,
        kind=one.kind,
        truth_ns=one.truth_ns,
        truth_from=one.truth_from,
        samples_ns=samples_ns,
    )


def _withheld(way: str, reason: Unavailable) -> Withheld:
    finding = Finding(
        tag=f"doctor/{way}/unavailable",
        severity="info",
        fact=reason.reason,
        advice=reason.advice,
    )
    return Withheld(tags=(), finding=finding)
