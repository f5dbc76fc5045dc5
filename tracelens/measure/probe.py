"""A variant held to the truth: called in some way, its result judged, the outcome a trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from tracelens.errors import WrongResultError
from tracelens.measure.bench import Bench, Call, Truth
from tracelens.measure.check import Allowed, compare, default_tolerance
from tracelens.measure.device import Device, Replay, Unavailable
from tracelens.measure.failure import spell_error
from tracelens.measure.storages import (
    Saved,
    addresses,
    overwrite,
    poison,
    poison_free_memory,
    storages,
)
from tracelens.measure.values import copied, tensors
from tracelens.model.measurement import Trial
from tracelens.model.op import Inputs, Tolerance, Variant

_OWN_SLACK = 32
"""Times the default tolerance between two results of one op: atomics add in any order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A variant with all that its behaviour is judged by. `call` takes the inputs."""

    bench: Bench
    call: Call
    truth: Truth
    device: Device

    def result(self, inputs: Inputs, *, holding: Inputs | None = None) -> Any:
        """Call with no earlier result left in free memory, and wait.

        The timed inputs hold what they were made with, or the content of `holding`.
        """
        self.prepare(holding=holding)
        return self.bench.result(self.call, inputs, self.device)

    def replayed(self, replay: Replay, *, holding: Inputs | None = None) -> Any:
        """Replay in the same way, over poisoned outputs, and wait."""
        kept = addresses(self.bench.inputs) | addresses(self.result(self.bench.inputs))
        for storage in storages(replay.result):
            if storage.data_ptr() not in kept:  # not memory that the op holds on to
                poison(storage)
        self.prepare(holding=holding)
        self.bench.result(replay, (), self.device)
        return replay.result

    def judge(self, result: Any, expected: Any, *, hint: str) -> None:
        """Compare. Raises WrongResultError with the hint of a test, Unavailable without truth."""
        if isinstance(expected, Unavailable):
            raise expected
        try:
            compare(result, expected, tolerance=self._tolerance())
        except WrongResultError as error:
            raise WrongResultError(error.fact.removeprefix("Wrong result: "), hint) from None

    def prepare(self, *, holding: Inputs | None = None) -> None:
        """Set the timed inputs, to what they were made with or to another content; poison."""
        self.bench.made.restore()
        if holding is not None:
            overwrite(self.bench.inputs, holding)
        poison_free_memory(storages(self.truth.expected))
        self.device.synchronize()

    def _tolerance(self) -> Allowed:
        stated = self.bench.op.tolerance
        if self.truth.against is not None or stated is not None:
            return stated
        loose = {}
        for tensor in tensors(self.truth.expected):
            allowed = default_tolerance(tensor.dtype)
            loose[str(tensor.dtype).removeprefix("torch.")] = Tolerance(
                atol=allowed.atol * _OWN_SLACK, rtol=allowed.rtol * _OWN_SLACK
            )
        return loose


def probe_of(bench: Bench, variant: Variant, call: Call, result: Any, device: Device) -> Probe:
    """Return the probe of a variant whose first call returned `result`.

    An op without a reference that gives another result each time under one seed cannot be judged.
    """
    truth = bench.truth(variant, result, device)
    probe = Probe(bench=bench, call=call, truth=truth, device=device)
    if truth.against is None and not isinstance(truth.expected, Unavailable):
        second, third = (copied(probe.result(bench.inputs)) for _ in range(2))
        if not Saved.of(second).holds(third):
            return replace(probe, truth=_without_noise(probe, second, third))
    return probe


def _without_noise(probe: Probe, second: Any, third: Any) -> Truth:
    """Keep the truth where two results differ by no more than atomics do, else give it up."""
    try:
        probe.judge(second, third, hint="")
    except WrongResultError as error:
        unknown = Unavailable(
            f"two calls under one seed differ, and there is no reference: {error.fact}",
            "Let all random numbers come from generators that torch.manual_seed sets.",
        )
        return replace(probe.truth, expected=unknown, other_expected=unknown)
    return probe.truth


@dataclass(frozen=True, slots=True)
class Test:
    """A trial to be made: `run` returns what it saw.

    It raises WrongResultError where the op fails, Unavailable where there is nothing to judge. With
    `may_refuse` an op that raises has declined, and is not accused.
    """

    name: str
    proves: str
    run: Callable[[Probe], str]
    may_refuse: bool = False
    stops: bool = True


def trials(tests: tuple[Test, ...], probe: Probe) -> Iterator[Trial]:
    """Make the trials in turn; the inputs hold what they were made with after each."""
    for test in tests:
        yield _trial(test, probe)
        probe.bench.made.restore()
        probe.device.synchronize()


def _trial(test: Test, probe: Probe) -> Trial:
    status: Literal["passed", "failed", "skipped"]
    status, advice = "skipped", ""
    try:
        status, fact = "passed", test.run(probe)
    except WrongResultError as error:
        status, fact, advice = "failed", error.fact, error.hint
    except Unavailable as reason:
        fact, advice = reason.reason, reason.advice
    except torch.OutOfMemoryError:
        fact = "the device has no memory for it"
    except Exception as error:
        if not test.may_refuse:
            raise
        fact = f"the op declines: {spell_error(error)}"
    return Trial(
        name=test.name,
        proves=test.proves,
        status=status,
        fact=fact,
        advice=advice,
        stops=test.stops,
    )
