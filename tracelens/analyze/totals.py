"""Whole-trace totals: counts, sums and unions over everything in the file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tracelens.analyze.integrity import device_known, integrity, kernels_known, spell_linked
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Bools, Intervals
from tracelens.model.report import Metric, Section
from tracelens.model.trace import MEMCPY, MEMSET


def totals(timeline: Timeline, _windows: Windows) -> Section:
    """Total the trace. Device times are null where the file has no device records."""
    return Section(
        title="Whole trace",
        metrics=(
            _count("trace/events/count", "events", timeline.trace.event_count, "in the file"),
            *_kernels(timeline),
            *_memory(timeline),
            *_device(timeline),
            *_host(timeline),
        ),
        findings=(*integrity(timeline), *timeline.findings),
    )


def _kernels(timeline: Timeline) -> Iterator[Metric]:
    known, kernels = kernels_known(timeline), timeline.kernels
    yield _count("trace/kernel/count", "kernels", int(kernels.sum()), "kernel records")
    yield _time(
        "trace/kernel/sum",
        "kernel sum",
        _sum(timeline, kernels) if known else None,
        "plain sum of kernel durations; overlapping kernels count twice",
    )
    yield _time(
        "trace/kernel/busy",
        "kernel busy",
        _busy(timeline, kernels) if known else None,
        "union of kernel intervals over all devices and streams",
    )
    yield _time(
        "trace/kernel/span",
        "kernel span",
        _span(timeline, kernels) if known else None,
        "first kernel start to last kernel end, gaps included",
    )


def _memory(timeline: Timeline) -> Iterator[Metric]:
    known, kind = device_known(timeline), timeline.trace.device_work.kind
    yield _count("trace/memory/count", "copies and sets", int((~timeline.kernels).sum()), "records")
    for stem, name, rows in (
        ("memory", "memory busy", ~timeline.kernels),
        ("memcpy", "copies busy", kind == MEMCPY),
        ("memset", "sets busy", kind == MEMSET),
    ):
        yield _time(
            f"trace/{stem}/busy",
            name,
            _busy(timeline, rows) if known else None,
            "union of their intervals over all devices and streams",
        )


def _device(timeline: Timeline) -> Iterator[Metric]:
    known, everything = kernels_known(timeline), np.ones(len(timeline.kernels), np.bool_)
    linked = timeline.linked
    yield _count("trace/device/count", "device work", len(linked), "kernels, copies and sets")
    yield _count("trace/device/linked", "linked", int(linked.sum()), spell_linked(timeline))
    yield _time(
        "trace/device/busy",
        "device busy",
        _busy(timeline, everything) if known else None,
        "union of kernels, copies and sets",
    )
    yield _time(
        "trace/device/span",
        "device span",
        _span(timeline, everything) if known else None,
        "first start to last end of any device work, gaps included",
    )


def _host(timeline: Timeline) -> Iterator[Metric]:
    calls, sound = timeline.trace.calls, timeline.sound
    every_call = np.ones(len(calls), np.bool_)
    api = timeline.calls_union(every_call)
    ops = Intervals.of(timeline.trace.ops.start_ns[sound.ops], timeline.trace.ops.end_ns[sound.ops])
    yield _count(
        "trace/launch/count",
        "launch calls",
        int(timeline.launches.owns_kernel.sum()),
        "launch calls that own at least one kernel",
    )
    for tag, name, held, meaning in (
        (
            "trace/launch/api",
            "in launch calls",
            timeline.calls_union(timeline.kernel_launches),
            "union of kernel launch calls",
        ),
        ("trace/api/busy", "in API calls", api, "union of all API calls"),
        (
            "trace/sync/busy",
            "in sync calls",
            timeline.calls_union(timeline.sync_calls),
            "union of the API calls that wait",
        ),
        ("trace/host_op/busy", "in framework ops", ops, "union of cpu_op over all threads"),
        (
            "trace/host_op/outside_api",
            "in ops, outside API calls",
            ops.subtract(api),
            "that union minus the union of API calls",
        ),
    ):
        yield _time(tag, name, held.length_ns, meaning)


def _sum(timeline: Timeline, rows: Bools) -> int | None:
    """Sum the durations that can be believed; None where there is work, but no such duration."""
    summed = rows & timeline.sound.summed
    durations = timeline.trace.device_work.duration_ns[summed]
    return int(durations.sum()) if summed.any() or not rows.any() else None


def _busy(timeline: Timeline, rows: Bools) -> int | None:
    """Unite the intervals that have a place; None where there is work, but none of it has one."""
    busy = timeline.union(rows)
    return busy.length_ns if (rows & timeline.sound.placed).any() or not rows.any() else None


def _span(timeline: Timeline, rows: Bools) -> int | None:
    placed = rows & timeline.sound.placed
    if not placed.any():
        return None
    work = timeline.trace.device_work
    return int(work.end_ns[placed].max() - work.start_ns[placed].min())


def _count(tag: str, name: str, value: int, description: str) -> Metric:
    return Metric(tag=tag, name=name, value=value, unit="count", description=description)


def _time(tag: str, name: str, value: int | None, description: str) -> Metric:
    return Metric(tag=tag, name=name, value=value, unit="ns", description=description)
