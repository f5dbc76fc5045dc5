"""Device time per call, read off the profiled timeline: the second of the three measurements."""

from __future__ import annotations

from tracelens.analyze.integrity import kernels_known, whole_windows
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.measurement import Measurement


def device_time(
    timeline: Timeline, windows: Windows, way: str, *, state: str | None = None
) -> dict[str, Measurement]:
    """Return `kernel/<way>/busy`, `kernel/<way>/sum` and `device/<way>/busy`, a sample per window.

    `way` is `eager` or `graph`; with a `state` such as `cold` the tags begin with `kernel_cold`.
    A window that lacks some of its records gives no sample: it would be too small. Nothing where
    no window is whole, or the trace has no device records to read.
    """
    of = "" if state is None else f"_{state}"
    whole = whole_windows(timeline, windows)
    if not kernels_known(timeline) or not whole.any():
        return {}
    parts = split(timeline, windows)
    taken = (
        (f"kernel{of}/{way}/busy", parts.kernel_ns, "union of the call's kernels"),
        (f"kernel{of}/{way}/sum", parts.kernel_sum_ns, "plain sum of the call's kernel durations"),
        (
            f"device{of}/{way}/busy",
            parts.kernel_ns + parts.memory_ns,
            "union of the call's kernels, copies and sets",
        ),
    )
    return {tag: _measurement(tag, samples[whole], includes) for tag, samples, includes in taken}


def _measurement(tag: str, samples_ns: Int64s, includes: str) -> Measurement:
    return Measurement(
        tag=tag,
        samples_ns=tuple(samples_ns.tolist()),
        clock="device timeline (torch.profiler)",
        includes=f"{includes}, profiled",
    )
