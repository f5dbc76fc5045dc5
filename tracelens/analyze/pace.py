"""Which sets the pace of calls in a row, the host or the device, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tracelens.analyze.statistics import median
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_share
from tracelens.model.report import Finding, Metric, Section

Bound = Literal["host-bound", "launch-bound", "device-bound"]

DEVICE_BOUND_SHARE = 0.9
"""Busy for this share of a back-to-back call, the device leaves the host nothing to win. A host
that needs less than this share of it has waited."""
_MOSTLY_BUSY = 0.5

_UNVARIED = Finding(
    tag="variations/not_measured",
    severity="info",
    fact="the host's figures are of one set of inputs: what another shape, stride, dtype, scalar, "
    "stream or alignment costs at its first call was not measured",
    advice="pass --variations",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """What an idle device waited for in a profiled call, in ns: medians of parts of its split."""

    launch_ns: int
    host_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Calls in a row, in ns a call; None where it is unknown.

    `host_ns` is the host alone, until the last call returned, `device_ns` the device alone.
    """

    amortised_ns: int | None
    host_ns: int | None
    device_ns: int | None
    waits: Waits | None = None
    submit_ns: int | None = None
    """A call of its own until it returned: what the host needs, where runs in a row do not say."""

    @property
    def busy_share(self) -> float | None:
        """The share of a call in a row for which the device is busy."""
        if self.device_ns is None or not self.amortised_ns:
            return None
        return self.device_ns / self.amortised_ns

    @property
    def ran_ahead(self) -> bool | None:
        """Whether the host was done well before the device, so that it did not set the pace."""
        host_ns = self.host_ns or self.submit_ns
        if not host_ns or not self.amortised_ns:
            return None
        return host_ns < DEVICE_BOUND_SHARE * self.amortised_ns

    @property
    def bound(self) -> Bound | None:
        """What bounds calls in a row; None where the device's part is unknown.

        Busy for nine tenths of a call, the device does. Where the host ran ahead, the device does
        too, by its work and the gaps between it; one that is mostly idle is starting launches.
        Otherwise the device waits: for launches that are in flight, or for the host to come to one,
        whichever was longer in the profiled calls.
        """
        share = self.busy_share
        if share is None:
            return None
        if share >= DEVICE_BOUND_SHARE:
            return "device-bound"
        if self.ran_ahead:
            return "device-bound" if share >= _MOSTLY_BUSY else "launch-bound"
        if self.waits is not None and self.waits.launch_ns > self.waits.host_ns:
            return "launch-bound"
        return "host-bound"

    @property
    def bound_by_host(self) -> Bound | None:
        """What bounds calls in a row, as far as the host alone can tell."""
        if self.ran_ahead is None:
            return None
        return "device-bound" if self.ran_ahead else "host-bound"

    @property
    def exposed_ns(self) -> int | None:
        """Host time for which the device waits, in a call in a row."""
        if self.amortised_ns is None or self.device_ns is None:
            return None
        return max(self.amortised_ns - self.device_ns, 0)

    @property
    def hidden_ns(self) -> int | None:
        """Host time that passes while the device is busy, in a call in a row."""
        if self.host_ns is None or self.exposed_ns is None:
            return None
        return max(self.host_ns - self.exposed_ns, 0)

    @property
    def calls_ahead(self) -> float | None:
        """How many calls the host submits while the device works on one."""
        return self.device_ns / self.host_ns if self.host_ns and self.device_ns else None


def pace_of(taken: Mapping[str, Measurement], waits: Waits | None = None) -> Pace:
    """Return the pace of eager calls, by the medians of a run's measurements."""
    ns = {tag: median(one.samples_ns) for tag, one in taken.items()}
    return Pace(
        amortised_ns=ns.get("amortised/eager"),
        host_ns=ns.get("submit_in_row/eager"),
        device_ns=ns.get("device/eager/busy"),
        submit_ns=ns.get("submit/eager"),
        waits=waits,
    )


def waits_of(split: Section) -> Waits | None:
    """Return what the device waited for, by the split of the profiled calls."""
    values = {metric.tag: metric.value for metric in split.metrics}
    launch, host = (values.get(f"split/{part}/median") for part in ("launch", "host_dispatch"))
    if not isinstance(launch, int) or not isinstance(host, int):
        return None
    return Waits(launch_ns=launch, host_ns=host)


def pace_section(taken: Mapping[str, Measurement], pace: Pace, *, varied: bool) -> Section:
    """Return the evidence for what bounds the op; nothing where the device's part is unknown.

    Where the host does, and its inputs were not `varied`, that is said too.
    """
    if pace.bound is None:
        return Section(title="What sets the pace")
    unvaried = pace.bound != "device-bound" and not varied
    return Section(
        title="What sets the pace",
        metrics=tuple(_evidence(taken, pace)),
        findings=(_UNVARIED,) if unvaried else (),
    )


def _evidence(taken: Mapping[str, Measurement], pace: Pace) -> Iterator[Metric]:
    yield _metric("bound", "calls in a row are", pace.bound, "", _rule(pace))
    for name, words, value, unit, means in (
        (
            "busy_share",
            "device busy share",
            pace.busy_share,
            "ratio",
            "device/eager/busy / amortised/eager, calls in a row",
        ),
        ("host", "host, in a row", pace.host_ns, "ns", "submit_in_row/eager, a call"),
        ("device", "device, in a row", pace.device_ns, "ns", "device/eager/busy, a call"),
        (
            "exposed_host",
            "exposed host time",
            pace.exposed_ns,
            "ns",
            "amortised - device busy: the device waits",
        ),
        (
            "hidden_host",
            "hidden host time",
            pace.hidden_ns,
            "ns",
            "host in a row - exposed: the device is busy meanwhile",
        ),
        (
            "calls_ahead",
            "calls submitted per call done",
            pace.calls_ahead,
            "ratio",
            "device busy / host in a row: above 1 the host runs ahead",
        ),
        (
            "backlog",
            "calls ahead",
            _backlog(taken, pace),
            "ratio",
            "measured: (backlog - (full - submit)) / amortised, what was still to do behind a run",
        ),
    ):
        yield _metric(name, words, value, unit, means)


def _backlog(taken: Mapping[str, Measurement], pace: Pace) -> float | None:
    """Return how many calls the device still had to do when the last of a run had returned.

    What the wait behind a single call takes, its launch and the end of the wait, is no backlog.
    """
    waits = [
        median(taken[tag].samples_ns) if tag in taken else None
        for tag in ("backlog/eager", "full/eager", "submit/eager")
    ]
    behind_ns, full_ns, submit_ns = waits
    if behind_ns is None or full_ns is None or submit_ns is None or not pace.amortised_ns:
        return None
    return max(behind_ns - (full_ns - submit_ns), 0) / pace.amortised_ns


def _rule(pace: Pace) -> str:
    rule = f"device-bound from {spell_share(DEVICE_BOUND_SHARE)} busy, or where the host ran ahead"
    if pace.waits is None:
        return rule
    return f"{rule}; else by what the idle device waits for in profiled calls"


def _metric(name: str, words: str, value: float | str | None, unit: str, means: str) -> Metric:
    return Metric(tag=f"pace/{name}", name=words, value=value, unit=unit, description=means)
