"""Whether the device's records and the host's launches tell the same story.

Where they do not, a device time is not a measurement: it is null, or it carries an error.
"""

from __future__ import annotations

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Bools
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Finding
from tracelens.model.trace import MEMCPY, MISSING

_IDS_SHOWN = 5


def device_known(timeline: Timeline) -> bool:
    """Say whether the trace has any device record: without one, no device time is known."""
    return len(timeline.trace.device_work) > 0


def kernels_known(timeline: Timeline) -> bool:
    """Say whether kernel times mean something: kernels are there, or none was launched."""
    return device_known(timeline) and (
        bool(timeline.kernels.any()) or not timeline.launches.lost.any()
    )


def host_alone(timeline: Timeline) -> bool:
    """Say whether nothing launches: an op on the CPU, or a trace without the device's activities.

    All of a window is the host's own work then, and there is no split to tell.
    """
    return not device_known(timeline) and not timeline.launches.lost.any()


def whole_windows(timeline: Timeline, windows: Windows) -> Bools:
    """Mark the windows whose device work is all in the file, and all has a place in time."""
    whole = np.ones(len(windows), np.bool_)
    whole[windows.piece_window[~timeline.sound.placed[windows.piece]]] = False
    whole[windows.call_window[timeline.launches.lost[windows.call]]] = False
    return whole


def integrity(timeline: Timeline) -> tuple[Finding, ...]:
    """Count launches without device records and device records without launches."""
    lost = int(timeline.launches.lost.sum())
    if not device_known(timeline):
        return (_nothing(lost),)
    return (*_lost(timeline, lost), *_unlinked(timeline), *_empty_copies(timeline))


def _nothing(lost: int) -> Finding:
    if lost:
        return Finding(
            tag="integrity/no_device_records",
            severity="error",
            fact=f"{lost} kernel launches but no kernel records: device time unknown",
            advice="record again with ProfilerActivity.CUDA (or XPU); if it was on, the device "
            "profiler could not start: look for a second profiler on this card",
        )
    return Finding(
        tag="integrity/no_device",
        severity="warning",
        fact="no device records and no kernel launches: this is a trace of the host alone, and "
        "device times are unknown, not zero",
        advice="record on a device, with its profiler activity on, to see device time",
    )


def _lost(timeline: Timeline, lost: int) -> tuple[Finding, ...]:
    if lost == 0:
        return ()
    ids = timeline.trace.calls.correlation[timeline.launches.lost]
    ids = ids[ids != MISSING][:_IDS_SHOWN]
    shown = f" (correlation {', '.join(map(str, ids))}{', ...' if lost > len(ids) else ''})"
    return (
        Finding(
            tag="integrity/launches_without_records",
            severity="error",
            fact=f"{lost} of {lost + int(timeline.launches.owns_kernel.sum())} kernel launch calls "
            f"have no device record{shown if len(ids) else ''}: device figures miss that work",
            advice="record again with a few warm-up calls in the session and a synchronize "
            "before it stops",
        ),
    )


def spell_linked(timeline: Timeline) -> str:
    """Return what follows the count of linked device work: of how much, and the rest's time."""
    work, unlinked = timeline.trace.device_work, ~timeline.linked
    unlinked_ns = int(work.duration_ns[unlinked & timeline.sound.summed].sum())
    return f"of {len(work)} pieces of device work, unlinked {spell_ns(unlinked_ns)}"


def _unlinked(timeline: Timeline) -> tuple[Finding, ...]:
    if timeline.linked.all():
        return ()
    return (
        Finding(
            tag="integrity/records_without_launches",
            severity="error",
            fact=f"linked {int(timeline.linked.sum())} {spell_linked(timeline)}",
            advice="totals include the unlinked work; windows that own work by its launch cannot: "
            "start the session before the work is launched",
        ),
    )


def _empty_copies(timeline: Timeline) -> tuple[Finding, ...]:
    work = timeline.trace.device_work
    count = int(np.sum((work.kind == MEMCPY) & (work.duration_ns == 0)))
    if count == 0:
        return ()
    return (
        Finding(
            tag="memory/zero_duration",
            severity="info",
            fact=f"{count} {'copy has' if count == 1 else 'copies have'} a duration of zero: "
            "bandwidth undefined, not infinite",
            advice="leave these copies out of any bandwidth figure",
        ),
    )
