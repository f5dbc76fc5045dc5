"""The report's words for well-known tags: titles of rows and columns, short meanings, colours.

Only for these: whatever is not here is shown under its own name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a split: what it is in a few words, and its colour."""

    meaning: str
    style: str


@dataclass(frozen=True, slots=True)
class Parts:
    """Metrics `<stem>/<part>/median` whose parts sum to the part `whole`, drawn as bars."""

    stem: str
    whole: str
    parts: dict[str, Part]


SPLIT = Parts(
    stem="split",
    whole="wall",
    parts={
        "wall": Part("the whole window", ""),
        "kernel": Part("a kernel runs", "green"),
        "memory": Part("a copy or set runs, no kernel", "cyan"),
        "launch": Part("launched, not yet begun", "yellow"),
        "sync": Part("the host waits in a sync call", "blue"),
        "host_dispatch": Part("the host is yet to launch", "magenta"),
        "return": Part("all launched, the host unwinds", "bright_black"),
    },
)
UNDISTURBED = Parts(
    stem="undisturbed",
    whole="full",
    parts={
        "full": Part("the whole call", ""),
        "before_first": Part("the host is yet to launch", "magenta"),
        "busy": Part("a kernel runs", "green"),
        "between": Part("no kernel runs", "yellow"),
        "after_last": Part("the host learns of it", "blue"),
    },
)

SPREAD = ("q20", "q80", "samples")
"""Last segments of the metrics that say how a median came to be."""

MODES = ("eager", "graph")
"""How an op was called: a segment of a tag that becomes a column of its own."""

QUANTITIES = {
    "full": "full call",
    "submit": "submit",
    "amortised": "amortised",
    "device/busy": "device busy",
    "kernel/busy": "kernel busy",
    "kernel/sum": "kernel sum",
    "full_cold": "full call, cold L2",
    "kernel_cold/busy": "kernel busy, cold L2",
    "kernel_cold/sum": "kernel sum, cold L2",
    "device_cold/busy": "device busy, cold L2",
}
"""What was sampled, by its tag without mode and statistic."""

CHANGES = (
    *("candidate", "delta", "delta_low", "delta_high"),
    *("ratio", "ratio_low", "ratio_high", "floor", "verdict"),
)
"""Last segments of the metrics of a comparison, beside `baseline`."""

VERDICTS = {
    "faster": ("faster", "green"),
    "slower": ("slower", "bold red"),
    "no difference detected": ("none found", "dim"),
}
"""What a comparison found, in a cell, and its colour; what is not compared has an empty one."""

ENVIRONMENT = (
    ("trace", "{}"),
    ("device", "{}"),
    ("driver", "driver {}"),
    ("cuda", "CUDA {}"),
    ("torch", "torch {}"),
    ("triton", "triton {}"),
    ("python", "Python {}"),
    ("cpu", "{}"),
    ("tracelens", "tracelens {}"),
    ("os", "{}"),
)
"""Facts of the environment line, the ones first that stay when it is too long."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a well-known table is shown: its columns by name and label, most important first."""

    columns: tuple[tuple[str, str], ...]
    rows: int
    """Rows shown at the most."""
    wide: frozenset[str] = frozenset()
    """Columns of text that keep more than half of the page."""
    medians: str | None = None
    """The stem of the metrics that give a last row of medians."""


LEFT_OUT = {
    "profile": frozenset({"windows", "checks"}),
    "analyze": frozenset({"kernel_shapes"}),
}
"""Tables that a command shows only with --verbose."""

SECOND_LOOK = {"profile": frozenset({"How well it is known"})}
"""Sections whose figures a command shows only with --verbose."""

SAME_AS = {"kernel busy": "device busy", "kernel sum": "device busy"}
"""Quantities that need no row of their own where they equal another: no copies, no overlap."""

SAY_NOTHING_ALONE = frozenset({"devices", "streams"})
"""Tables that are left out where they have one row: the totals say as much."""

TELLS_ALL = frozenset({"doctor"})
"""Tables that show all metrics whose tags begin with theirs: those are left out beside them."""

LAYOUTS = {
    "kernel_names": Layout(
        columns=(
            ("name", "kernel"),
            ("family", "family"),
            ("config", "configuration"),
            ("status", "status"),
            ("role", "role"),
            ("library", "library"),
        ),
        rows=1_000,
    ),
    "windows": Layout(
        columns=(
            ("name", "window"),
            ("wall_ns", "wall"),
            ("kernel_ns", "kernel"),
            ("memory_ns", "memory"),
            ("launch_ns", "launch"),
            ("sync_ns", "sync"),
            ("host_dispatch_ns", "dispatch"),
            ("return_ns", "return"),
            ("kernel_count", "kernels"),
            ("kernel_sum_ns", "kernel sum"),
        ),
        rows=5,
        medians="split",
    ),
    "kernel_changes": Layout(
        columns=(
            ("change", "change"),
            ("delta_ns", "delta"),
            ("count_delta", "launches"),
            ("baseline", "baseline"),
            ("candidate", "candidate"),
            ("what", "what changed"),
        ),
        rows=12,
    ),
    "host_changes": Layout(
        columns=(
            ("name", "host"),
            ("baseline_ns", "baseline"),
            ("candidate_ns", "candidate"),
            ("delta_ns", "delta"),
            ("layer", "layer"),
        ),
        rows=6,
    ),
    "cases": Layout(
        columns=(
            ("case", "case"),
            ("variant", "variant"),
            ("baseline_ns", "baseline"),
            ("candidate_ns", "candidate"),
            ("ratio", "ratio"),
            ("ratio_low", "low"),
            ("ratio_high", "high"),
            ("verdict", "verdict"),
            ("kernel_ratio", "kernel"),
            ("moved", "moved"),
        ),
        rows=1_000,
    ),
    "predictions": Layout(
        columns=(
            ("outcome", "prediction"),
            ("quantity", "of"),
            ("expected", "expected"),
            ("found", "came"),
        ),
        rows=1_000,
    ),
    "kernels": Layout(
        columns=(
            ("name", "kernel"),
            ("count", "count"),
            ("total_ns", "total"),
            ("share", "share"),
            ("median_ns", "median"),
            ("launch_latency_median_ns", "latency"),
            ("q20_ns", "q20"),
            ("q80_ns", "q80"),
            ("family", "family"),
            ("config", "config"),
            ("grid", "grid"),
            ("block", "block"),
        ),
        rows=12,
        wide=frozenset({"name"}),
    ),
    "ops": Layout(
        columns=(
            ("name", "framework op"),
            ("kernel_count", "kernels"),
            ("kernel_sum_ns", "kernel sum"),
            ("share", "share"),
            ("calls", "calls"),
        ),
        rows=8,
    ),
    "graphs": Layout(
        columns=(
            ("name", "graph launch"),
            ("kernels", "kernels"),
            ("device_busy_ns", "busy"),
            ("span_ns", "span"),
            ("first_latency_ns", "latency"),
            ("correlation", "correlation"),
            ("kernel_sum_ns", "kernel sum"),
            ("copies_and_sets", "copies, sets"),
        ),
        rows=5,
    ),
    "launch_runs": Layout(
        columns=(
            ("kernels", "kernels"),
            ("wall_ns", "wall"),
            ("busy_share", "busy"),
            ("kernel_median_ns", "median"),
            ("stream", "stream"),
            ("device", "device"),
        ),
        rows=3,
    ),
    "launches": Layout(
        columns=(
            ("name", "device work"),
            ("duration_ns", "duration"),
            ("latency_ns", "latency"),
            ("queue_ns", "queue"),
            ("stream", "stream"),
            ("device", "device"),
            ("correlation", "correlation"),
            ("start_ns", "start"),
            ("launch_start_ns", "launch start"),
        ),
        rows=20,
        wide=frozenset({"name"}),
    ),
}
"""Well-known tables. The columns that they leave out are in the JSON."""
