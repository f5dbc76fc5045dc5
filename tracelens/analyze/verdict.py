"""The one line that a reader takes away."""

from __future__ import annotations

from collections.abc import Mapping

from tracelens.analyze.pace import Bound, Pace, Waits, pace_of
from tracelens.analyze.statistics import median
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding, Section


def verdict(
    measurements: Mapping[str, Measurement],
    launches_per_call: int | None,
    *,
    on_device: bool,
    threads: int | None = None,
    waits: Waits | None = None,
) -> Section:
    """Say what bounds the op: the host, launching, or the device.

    Back-to-back calls are the judge: there host and device overlap, and the slower one sets the
    pace. `on_device` says whether the op ran on a device at all, whose times may be unknown all the
    same; else `threads` of the CPU did it. `waits` is what an idle device waited for.
    """
    ns = {tag: median(m.samples_ns) for tag, m in measurements.items()}
    full, amortised, busy = (
        ns.get("full/eager"),
        ns.get("amortised/eager"),
        ns.get("device/eager/busy"),
    )
    if full is None:
        return Section(title="Verdict", findings=(_nothing(),))
    if not on_device:
        return Section(title="Verdict", findings=(_on_cpu(full, amortised, threads),))
    if busy is None or not amortised:
        return Section(title="Verdict", findings=(_device_unknown(full, amortised),))
    pace = pace_of(measurements, waits)
    found = _bound(pace, full, busy, ns.get("full/graph"), launches_per_call)
    return Section(title="Verdict", findings=(found,))


def _bound(
    pace: Pace, full: int, busy: int, graph: int | None, launches_per_call: int | None
) -> Finding:
    kind = pace.bound or "host-bound"
    fact = f"{kind}: the device is busy {spell_share(busy / full)} of the {spell_ns(full)} call"
    if graph is not None:
        fact += f"; a CUDA Graph replay takes {spell_ns(graph)}"
    elif kind != "device-bound":
        fact += "; no CUDA Graph replay was measured"
    return Finding(
        tag=f"verdict/{kind.replace('-', '_')}",
        severity="info",
        fact=fact,
        advice=_advice(kind, launches_per_call, pace, busy),
    )


def _advice(kind: Bound, launches: int | None, pace: Pace, busy_ns: int) -> str:
    if kind == "device-bound":
        share = spell_share(pace.busy_share or 0.0)
        return f"back to back the device is busy {share}: make the kernels faster"
    if kind == "launch-bound" and pace.waits is not None:
        return (
            f"launch fewer kernels or capture them in a graph: launches in flight keep the device "
            f"waiting for {spell_ns(pace.waits.launch_ns)} of a profiled call, the host's way to "
            f"them for {spell_ns(pace.waits.host_ns)}"
        )
    if launches is not None and launches > 1:
        return f"cut host work or launches: one call makes {launches} while the device waits"
    return (
        "cut the host's work: look at the host table; faster kernels save at most "
        f"{spell_ns(busy_ns)} of a call, and nothing of calls in a row"
    )


def spell_threads(threads: int | None) -> str:
    """Return what follows `on the CPU`: with how many threads, or nothing where that is unknown."""
    if threads is None:
        return ""
    return f" with {threads} {'thread' if threads == 1 else 'threads'}"


def _on_cpu(full: int, amortised: int | None, threads: int | None) -> Finding:
    return Finding(
        tag="verdict/host_only",
        severity="info",
        fact=f"on the CPU{spell_threads(threads)}: {_takes(full, amortised)}",
        advice="see below what it is made of",
    )


def _device_unknown(full: int, amortised: int | None) -> Finding:
    return Finding(
        tag="verdict/device_unknown",
        severity="warning",
        fact=f"device time unknown: {_takes(full, amortised)}",
        advice="read the findings below: they say why no device time was read",
    )


def _takes(full: int, amortised: int | None) -> str:
    in_a_row = "" if amortised is None else f", {spell_ns(amortised)} back to back"
    return f"the call takes {spell_ns(full)}{in_a_row}"


def _nothing() -> Finding:
    return Finding(
        tag="verdict/none",
        severity="error",
        fact="nothing was measured: the run ended before the first timed call",
        advice="read the findings below",
    )
