"""One op at many sizes: where it goes over from host-bound to device-bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

from tracelens.analyze.disturbed_sizes import disturbed_sizes
from tracelens.analyze.pace import DEVICE_BOUND_SHARE, Bound, Pace
from tracelens.analyze.statistics import median, noise
from tracelens.analyze.verdict import spell_threads
from tracelens.model.measurement import Protocol, SubjectRun
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Cell, Column, Finding, Metric, Section, Table
from tracelens.model.sweep import SweepPoint

_REASONS = 3
"""Why sizes failed, each a finding: no memory is a reason of its own at every size."""

_COLUMNS = (
    Column(name="size", unit="count"),
    Column(name="submit_ns", unit="ns"),
    Column(name="full_ns", unit="ns"),
    Column(name="amortised_ns", unit="ns"),
    Column(name="busy_ns", unit="ns"),
    Column(name="bound_by"),
    Column(name="busy_share", unit="ratio"),
    Column(name="submit_in_row_ns", unit="ns"),
    Column(name="noise_share", unit="ratio"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """The sizes between which an op becomes device-bound, and where in between by interpolation.

    Without the device's own times there is no estimate.
    """

    low: int
    high: int
    estimate: int | None
    before: Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """One size, its pace and what bounds it: None where it failed, or ran on no device."""

    point: SweepPoint
    pace: Pace
    bound: Bound | None

    @classmethod
    def of(cls, point: SweepPoint, *, on_device: bool) -> Sized:
        """Read one size. `on_device` is False on a CPU: there are not two to be told apart."""
        pace = Pace(
            amortised_ns=median(point.amortised_ns),
            host_ns=median(point.in_row_ns),
            device_ns=median(point.busy_ns),
        )
        bound = (pace.bound or pace.bound_by_host) if on_device else None
        return cls(point=point, pace=pace, bound=bound)

    @property
    def size(self) -> int:
        """The size."""
        return self.point.size


def crossover(sizes: Sequence[Sized]) -> Crossover | None:
    """Return where the op first goes over from host-bound to device-bound, by ascending size.

    In between, the device's time is taken as a power of the size, and the host's as what it was at
    the lower one. None where no two neighbours are bound by one and the other.
    """
    known = [one for one in sizes if one.bound is not None]
    for low, high in pairwise(known):
        if low.bound and low.bound != "device-bound" and high.bound == "device-bound":
            return Crossover(
                low=low.size, high=high.size, estimate=_between(low, high), before=low.bound
            )
    return None


def _between(low: Sized, high: Sized) -> int | None:
    """Return where device time, as a power of the size, comes up to the host of `low`.

    To two digits: it is no more than an estimate.
    """
    below, above, call = low.pace.device_ns, high.pace.device_ns, low.pace.amortised_ns
    if not below or not above or not call or above <= below:
        return None
    part = log(DEVICE_BOUND_SHARE * call / below) / log(above / below)
    exact = exp(log(low.size) + part * log(high.size / low.size))
    return min(max(int(float(f"{exact:.2g}")), low.size), high.size)


def sweep_sections(found: SubjectRun) -> tuple[Section, ...]:
    """Report a sweep: its answer, and a table of its sizes."""
    points = sorted(found.sweep, key=lambda point: point.size)
    on_cpu = found.protocol is not None and found.protocol.device == "cpu"
    sizes = [Sized.of(point, on_device=not on_cpu) for point in points]
    name, over = points[0].parameter, crossover(sizes)
    return (
        Section(title="Verdict", findings=(_verdict(name, sizes, over, found.protocol),)),
        Section(
            title=f"Sweep of {name}",
            metrics=tuple(_metrics(name, over)) if over else (),
            tables=(Table(tag="sweep", columns=_COLUMNS, rows=tuple(map(_row, sizes))),),
            findings=(
                *_failed(name, points),
                *disturbed_sizes(name, points, on_cpu=on_cpu),
                *(() if on_cpu else _unknown_busy(points)),
                *_back_again(name, sizes),
                *_ended(found),
                *(noticed.finding for noticed in found.noticed),
            ),
        ),
    )


def _row(one: Sized) -> tuple[Cell, ...]:
    bound = one.bound.removesuffix("-bound") if one.bound else None
    return (
        one.size,
        median(one.point.submit_ns),
        median(one.point.full_ns),
        one.pace.amortised_ns,
        one.pace.device_ns,
        "failed" if one.point.failed else bound,
        one.pace.busy_share,
        one.pace.host_ns,
        noise(one.point.full_ns),
    )


def _metrics(name: str, over: Crossover) -> Iterator[Metric]:
    for end, words, means in (
        ("low", f"{over.before} up to", f"largest {name} before the crossover"),
        ("high", "device-bound from", f"smallest {name} behind it"),
        (
            "estimate",
            "crossover at about",
            "interpolated: device busy as a power of the size, the host as it was before; what is "
            "known is the two sizes around it",
        ),
    ):
        yield Metric(
            tag=f"sweep/crossover/{end}",
            name=words,
            value=getattr(over, end),
            unit="count",
            description=means,
        )


def _verdict(
    name: str, sizes: Sequence[Sized], over: Crossover | None, protocol: Protocol | None
) -> Finding:
    """Say in one line where the op becomes device-bound, or that it does not."""
    if over is not None:
        about = f": the crossover is at about {over.estimate:,}" if over.estimate else ""
        return _said(
            "turns_device_bound",
            f"{over.before} up to {name} = {over.low:,}, device-bound from {over.high:,}{about}",
            "below it cut the host's work, above it make the kernels faster",
        )
    known = [one for one in sizes if one.bound is not None]
    if not known:
        return _host_alone(name, sizes, protocol)
    first, last = known[0], known[-1]
    if first.bound == "device-bound":
        advice = f"sweep to smaller {name} to see where the host takes over"
    else:
        share = spell_share(last.pace.busy_share) if last.pace.busy_share else "an unknown share"
        advice = f"sweep to larger {name}: at the last the device is busy {share} of a call"
    return _said(
        str(first.bound).replace("-", "_"),
        f"{first.bound} at {_span(name, known)}",
        advice,
    )


def _host_alone(name: str, sizes: Sequence[Sized], protocol: Protocol | None) -> Finding:
    """Say what the ends of a sweep take where no size is bound by anything but the CPU."""
    measured = [(one.size, ns) for one in sizes if (ns := median(one.point.full_ns)) is not None]
    if not measured:
        return Finding(
            tag="verdict/none",
            severity="error",
            fact=f"nothing was measured at {_span(name, sizes)}",
            advice="read the findings below",
        )
    ends = dict.fromkeys((measured[0], measured[-1]))
    takes = ", ".join(f"{spell_ns(ns)} at {name} = {size:,}" for size, ns in ends)
    threads = spell_threads(protocol.threads if protocol else None)
    return _said("host_only", f"on the CPU{threads}: the call takes {takes}", "")


def _span(name: str, sizes: Sequence[Sized]) -> str:
    first, last = sizes[0].size, sizes[-1].size
    return f"{name} = {first:,}" if first == last else f"{name} from {first:,} to {last:,}"


def _said(tag: str, fact: str, advice: str) -> Finding:
    return Finding(tag=f"verdict/{tag}", severity="info", fact=fact, advice=advice)


def _failed(name: str, points: Sequence[SweepPoint]) -> Iterator[Finding]:
    """Say why sizes failed, those of one reason together; many reasons are told by the first."""
    sizes: dict[str, list[str]] = {}
    for point in points:
        if point.failed:
            sizes.setdefault(point.failed, []).append(f"{point.size:,}")
    told = list(sizes.items())[:_REASONS]
    others = list(sizes.items())[_REASONS:]
    if others:
        listed = [size for _, of_reason in others for size in of_reason]
        told.append((f"each for a reason of its own, the first: {others[0][0]}", listed))
    for reason, of_reason in told:
        yield Finding(
            tag="sweep/failed",
            severity="error" if all(point.failed for point in points) else "warning",
            fact=f"nothing was measured at {name} = {', '.join(of_reason)}: {reason}",
            advice=f"see that inputs({name}=...) and op() take "
            f"{'that size' if len(of_reason) == 1 else 'those sizes'}",
        )


def _unknown_busy(points: Sequence[SweepPoint]) -> Iterator[Finding]:
    reasons = dict.fromkeys(point.busy_unknown for point in points if point.busy_unknown)
    for reason in reasons:
        yield Finding(
            tag="sweep/busy_unknown",
            severity="info",
            fact=f"device busy time is unknown: {reason}",
            advice="a sweep takes it from CUPTI on a CUDA device; without it the host alone says "
            "what bounds a size: it is done well before the device, or it is not",
        )


def _back_again(name: str, sizes: Sequence[Sized]) -> Iterator[Finding]:
    """Say so where a size is host-bound behind one that is device-bound."""
    known = [one for one in sizes if one.bound is not None]
    turned = [
        after.size
        for before, after in pairwise(known)
        if before.bound == "device-bound" and after.bound != "device-bound"
    ]
    if turned:
        listed = ", ".join(f"{size:,}" for size in turned)
        yield Finding(
            tag="sweep/back_again",
            severity="warning",
            fact=f"it is host-bound again at {name} = {listed}",
            advice="another kernel or another path may be chosen there, or the host was disturbed: "
            "run again",
        )


def _ended(found: SubjectRun) -> Iterator[Finding]:
    """Say how a sweep ended before its last size: not one that came to it and measured nothing."""
    if found.failure is not None and found.failure.kind != "input":
        yield Finding(
            tag="run/ended_early",
            severity="error",
            fact=f"the sweep ended during {found.failure.stage!r}: {found.failure.fact}",
            advice=found.failure.hint,
        )
