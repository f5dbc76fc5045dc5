"""The ceiling of the card: what it reaches at most, beside an op that states what it does.

A data sheet's figure is that of another card under other limits. It is measured last, for it heats
the card, and what fails here costs no other figure.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import torch

from tracelens.measure.bench import Bench
from tracelens.measure.device import Device, Unavailable, Yardstick
from tracelens.measure.failure import spell_error
from tracelens.measure.recipe import Ready
from tracelens.measure.timing import Timed, batch_within, sample_batches, warm_up
from tracelens.measure.values import tensors
from tracelens.model.ceiling import Ceiling, CeilingKind
from tracelens.model.measurement import Noticed, Record, Stage
from tracelens.model.op import Variant
from tracelens.model.report import Finding

_WARM_UP_NS = 100_000_000
_BUDGET_NS = 200_000_000
"""For all samples of one ceiling."""
_BATCHES = 10
_MOST_CALLS = 1_000


def measure_ceilings(bench: Bench, ready: Sequence[Ready]) -> Iterator[Record]:
    """Measure each ceiling that a variant's work is held against, once for all variants.

    Nothing where no variant states its work, or none runs on a device. A ceiling that cannot be
    had is a finding.
    """
    device = ready[0].timed.subject.device
    for kind in ("bandwidth", "flops") if device.asynchronous else ():
        stating = [one for one in ready if _states(_variant(bench, one), kind)]
        if stating:
            yield Stage(name=f"ceiling of the card, {kind}", is_extra=True)
            record = _measured(kind, _dtype(bench), device)
            for one in stating:
                yield one.subject
                yield record


def _variant(bench: Bench, ready: Ready) -> Variant:
    return next(v for v in bench.op.variants if v.name == ready.subject.variant)


def _states(variant: Variant, kind: CeilingKind) -> bool:
    return (variant.bytes_moved if kind == "bandwidth" else variant.flops) is not None


def _dtype(bench: Bench) -> torch.dtype:
    """Return what the op multiplies, as far as its inputs tell: their first dtype that floats."""
    floating = (t.dtype for t in tensors(bench.inputs) if t.is_floating_point())
    return next(floating, torch.float32)


def _measured(kind: CeilingKind, dtype: torch.dtype, device: Device) -> Record:
    try:
        yardstick = device.yardstick(kind, dtype)
        return Ceiling(
            kind=kind,
            what=yardstick.what,
            amount=yardstick.amount,
            samples_ns=_sampled(yardstick, device),
        )
    except Unavailable as reason:
        return _unknown(kind, reason.reason, reason.advice)
    except (torch.OutOfMemoryError, RuntimeError) as error:  # no room, or no product of the dtype
        return _unknown(kind, spell_error(error), "")


def _sampled(yardstick: Yardstick, device: Device) -> tuple[int, ...]:
    subject = Timed(call=yardstick.call, device=device, grad="no_grad")
    warmed = warm_up(subject, calls=1, duration_ns=_WARM_UP_NS)
    call_ns = int(statistics.median(warmed.full_ns))
    batch = batch_within(_BUDGET_NS, call_ns=call_ns, most=_MOST_CALLS)
    sampled = sample_batches(subject, batches=_BATCHES, batch=batch, budget_ns=_BUDGET_NS)
    return sampled.amortised_ns


def _unknown(kind: CeilingKind, fact: str, advice: str) -> Noticed:
    words = {"bandwidth": "bandwidth", "flops": "throughput"}
    return Noticed(
        finding=Finding(
            tag=f"rate/{kind}/no_ceiling",
            severity="info",
            fact=f"the card's own {words[kind]} could not be measured: {fact}",
            advice=advice,
        )
    )
