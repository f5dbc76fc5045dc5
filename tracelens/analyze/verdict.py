"""The one line that a reader takes away."""

from __future__ import annotations

from tracelens.analyze.statistics import median
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding, Section

_DEVICE_BOUND_SHARE = 0.9
"""Busy for this share of a back-to-back call, the device leaves the host nothing to win."""


def verdict(
    measurements: dict[str, Measurement], launches_per_call: int | None, *, on_device: bool
) -> Section:
    """Say what bounds the op: the host, launching, or the device.

    Back-to-back calls are the judge: there host and device overlap, and the slower one sets the
    pace. A device that is busy for nine tenths of an amortised call bounds it; otherwise the host
    does, and where one call makes several launches, launching. `on_device` says whether the op ran
    on a device at all, whose times may be unknown all the same.
    """
    ns = {tag: median(m.samples_ns) for tag, m in measurements.items()}
    full, amortised, busy = (
        ns.get("full/eager"),
        ns.get("amortised/eager"),
        ns.get("device/eager/busy"),
    )
    if full is None:
        return Section(title="Verdict", findings=(_nothing(),))
    if busy is None or not amortised:
        return Section(
            title="Verdict", findings=(_host_only(full, amortised, on_device=on_device),)
        )
    share = busy / full
    pace = busy / amortised
    kind = "device-bound" if pace >= _DEVICE_BOUND_SHARE else "host-bound"
    fact = f"{kind}: the device is busy {spell_share(share)} of the {spell_ns(full)} call"
    graph = ns.get("full/graph")
    if graph is not None:
        fact += f"; a CUDA Graph replay takes {spell_ns(graph)}"
    elif kind == "host-bound":
        fact += "; no CUDA Graph replay was measured"
    return Section(
        title="Verdict",
        findings=(
            Finding(
                tag=f"verdict/{kind.replace('-', '_')}",
                severity="info",
                fact=fact,
                advice=_advice(kind, launches_per_call, pace),
            ),
        ),
    )


def _advice(kind: str, launches: int | None, pace: float) -> str:
    if kind == "device-bound":
        return f"back to back the device is busy {spell_share(pace)}: make the kernels faster"
    if launches is not None and launches > 1:
        return f"cut host work or launches: one call makes {launches} while the device waits"
    return "cut the host's work: look at the host table; a faster kernel will not be felt"


def _host_only(full: int, amortised: int | None, *, on_device: bool) -> Finding:
    fact = f"no device was measured: the call takes {spell_ns(full)} on the host"
    advice = "run on a machine with a CUDA device to see launches, kernels and graph replay"
    if on_device:
        fact = f"device time unknown: the call takes {spell_ns(full)}"
        advice = "read the findings below: they say why no device time was read"
    if amortised is not None:
        fact += f", {spell_ns(amortised)} back to back"
    return Finding(
        tag="verdict/device_unknown" if on_device else "verdict/host_only",
        severity="warning" if on_device else "info",
        fact=fact,
        advice=advice,
    )


def _nothing() -> Finding:
    return Finding(
        tag="verdict/none",
        severity="error",
        fact="nothing was measured: the run ended before the first timed call",
        advice="read the findings below",
    )
