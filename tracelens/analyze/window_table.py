"""The split of each window as a table, and the median window."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.integrity import host_alone, kernels_known, whole_windows
from tracelens.analyze.split import Split, split
from tracelens.analyze.statistics import median, noise
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Cell, Column, Finding, Metric, Section, Table

SPLIT_TITLE = "Split of a call, profiler on"

PARTS = (
    ("wall", "wall", "the whole window"),
    ("kernel", "kernel", "at least one of the window's kernels runs"),
    ("memory", "memory", "no kernel runs, a copy or set does"),
    ("launch", "launch", "the device is idle, a launch is in flight"),
    ("sync", "sync", "none of these, the host waits in a sync call"),
    ("host_dispatch", "host dispatch", "none of these, a later launch is still to begin"),
    ("return", "return", "none of these: no launch is left, the host unwinds"),
)
"""Parts of the split: tag, name, when it holds. The wall is the sum of the six others."""

_COLUMNS = (
    *("wall", "kernel", "memory", "launch", "sync", "host_dispatch", "return"),
    *("kernel_sum", "kernel_count", "launch_in_call", "launch_before_first", "launch_between"),
    *("launch_queued", "host_in_ops", "host_hidden", "outside"),
)
_NEEDS_DEVICE = ("kernel", "memory", "kernel_sum", "host_hidden", "outside")


def window_table(timeline: Timeline, windows: Windows) -> Section:
    """Split every window; null device times where the file has no device records."""
    known = kernels_known(timeline)
    parts = split(timeline, windows)
    metrics = [
        Metric(
            tag=f"split/{tag}/median",
            name=name,
            value=_value(parts, tag, known=known),
            unit="ns",
            description=meaning,
            noise=noise(_of(parts, tag)) if known or tag not in _NEEDS_DEVICE else None,
        )
        for tag, name, meaning in PARTS
    ]
    return Section(
        title=_title(windows, alone=host_alone(timeline)),
        metrics=(
            *metrics,
            Metric(
                tag="split/windows/count",
                name="windows",
                value=len(windows),
                unit="count",
                description=f"{windows.kind} windows under the medians",
            ),
            Metric(
                tag="split/device_busy/share",
                name="device busy share",
                value=_busy_share(parts) if known else None,
                unit="ratio",
                description="(kernel + memory) / wall",
            ),
        ),
        tables=(_table(windows, parts, known=known),),
        findings=(
            *windows.findings,
            *_running_past(windows, parts),
            *(_incomplete(timeline, windows) if known else ()),
        ),
    )


def unsplit() -> Section:
    """Return the split of a run that has no profiled pass: every part of it is unknown."""
    return Section(
        title=SPLIT_TITLE,
        metrics=tuple(
            Metric(tag=f"split/{tag}/median", name=name, value=None, unit="ns", description=meaning)
            for tag, name, meaning in PARTS
        ),
        findings=(
            Finding(
                tag="split/none",
                severity="warning",
                fact="no profiled pass could be read, so the call is not split",
                advice="see the findings on how the run ended, or on its trace",
            ),
        ),
    )


def _title(windows: Windows, *, alone: bool) -> str:
    """Name the windows; where nothing launches there is no split of them to speak of."""
    named = windows.names[0]
    if len(windows) > 1:
        named = f"{len(windows)} {windows.kind} windows {named.partition('#')[0]}"
    return named if alone else f"Split of {named}"


def _of(parts: Split, tag: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    values: np.ndarray[tuple[int], np.dtype[np.int64]] = getattr(
        parts, tag if tag == "kernel_count" else f"{tag}_ns"
    )
    return values


def _value(parts: Split, tag: str, *, known: bool) -> int | None:
    return median(_of(parts, tag)) if known or tag not in _NEEDS_DEVICE else None


def _busy_share(parts: Split) -> float | None:
    walls = np.maximum(parts.wall_ns, 1)
    return float(np.median((parts.kernel_ns + parts.memory_ns) / walls))


def _table(windows: Windows, parts: Split, *, known: bool) -> Table:
    columns: list[list[Cell]] = [list(windows.names), windows.starts.tolist()]
    for tag in _COLUMNS:
        if tag in _NEEDS_DEVICE and not known:
            columns.append([None] * len(windows))
        else:
            columns.append([int(value) for value in _of(parts, tag)])
    return Table(
        tag="windows",
        columns=(
            Column(name="name"),
            Column(name="start_ns", unit="ns"),
            *(
                Column(name="kernel_count", unit="count")
                if tag == "kernel_count"
                else Column(name=f"{tag}_ns", unit="ns")
                for tag in _COLUMNS
            ),
        ),
        rows=tuple(zip(*columns, strict=True)),
    )


def _running_past(windows: Windows, parts: Split) -> tuple[Finding, ...]:
    past = parts.outside_ns > 0
    if not past.any():
        return ()
    return (
        Finding(
            tag="windows/work_runs_past",
            severity="warning",
            fact=f"device work of {int(past.sum())} of {len(windows)} windows runs past their end, "
            f"by {spell_ns(int(parts.outside_ns.max()))} at most: the split shows only what lies "
            "inside",
            advice="synchronize after each call, or look at kernel_sum, which is whole",
        ),
    )


def _incomplete(timeline: Timeline, windows: Windows) -> tuple[Finding, ...]:
    """Say which windows own work that their split cannot show."""
    short = ~whole_windows(timeline, windows)
    if not short.any():
        return ()
    return (
        Finding(
            tag="windows/incomplete",
            severity="error",
            fact=f"{int(short.sum())} of {len(windows)} windows own device work that is not in the "
            "file or has no place in time: their kernel and memory parts are too small",
            advice="look at the windows that are whole, and at the findings on records",
        ),
    )
