"""How well-known tables are shown: which columns, under which labels, and how many rows."""

from __future__ import annotations

from tracelens.render.layout import Layout

LAYOUTS = {
    "kernel_names": Layout(
        columns=(
            ("name", "kernel"),
            ("family", "family"),
            ("status", "status"),
            ("role", "role"),
            ("library", "library"),
        ),
        rows=1_000,
        under=("config",),
    ),
    "checks": Layout(
        columns=(("name", "check"), ("status", "status")),
        rows=1_000,
        under=("proves", "fact"),
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
            ("layer", "kind"),
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
        ),
        rows=1_000,
        under=("moved",),
    ),
    "geomean": Layout(
        columns=(
            ("quantity", "geometric mean of"),
            ("cases", "cases"),
            ("ratio", "ratio"),
            ("ratio_low", "low"),
            ("ratio_high", "high"),
            ("verdict", "verdict"),
        ),
        rows=2,
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
    "expected": Layout(
        columns=(
            ("outcome", "outcome"),
            ("case", "case"),
            ("variant", "variant"),
            ("expected", "expected kernel"),
        ),
        rows=1_000,
        wide=frozenset({"expected"}),
        under=("found",),
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
            ("grid", "grid"),
            ("block", "block"),
        ),
        rows=12,
        wide=frozenset({"name"}),
        under=("config",),
    ),
    "compiled_kernels": Layout(
        columns=(
            ("name", "compiled kernel"),
            ("count", "count"),
            ("median_ns", "median"),
            ("registers", "registers"),
            ("spills", "spills"),
            ("shared_memory_bytes", "shared"),
            ("candidates", "candidates"),
            ("grid", "grid"),
            ("threads", "threads"),
            ("compiler", "compiler"),
            ("target", "target"),
            ("source", "source"),
        ),
        rows=20,
        under=("settings", "ops"),
    ),
    "tuning": Layout(
        columns=(
            ("name", "tuned kernel"),
            ("tuner_ns", "by the tuner"),
            ("outcome", "outcome"),
        ),
        rows=20,
        under=("settings",),
    ),
    "host": Layout(
        columns=(
            ("name", "host"),
            ("total_ns", "total"),
            ("self_ns", "self"),
            ("share", "share"),
            ("count", "calls"),
            ("layer", "kind"),
        ),
        rows=24,
    ),
    "host_sampled": Layout(
        columns=(
            ("name", "function"),
            ("total_ns", "total"),
            ("self_ns", "self"),
            ("share", "share"),
            ("error_ns", "error"),
        ),
        rows=24,
    ),
    "functions": Layout(
        columns=(
            ("function", "function"),
            ("self_ns", "self"),
            ("self_error_ns", "error"),
            ("total_ns", "total"),
            ("file", "file"),
            ("line", "line"),
        ),
        rows=5,
        elsewhere=("in_one_row", "each in one row of the tree of functions"),
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
        nameless="outside framework ops",
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
    "layers": Layout(
        columns=(
            ("layer", "layer"),
            ("full_ns", "full"),
            ("full_cost_ns", "cost"),
            ("full_cost_low_ns", "low"),
            ("full_cost_high_ns", "high"),
            ("difference", "difference"),
            ("submit_ns", "submit"),
            ("submit_cost_ns", "cost"),
            ("busy_ns", "busy"),
        ),
        rows=1_000,
    ),
    "repetition": Layout(
        columns=(("call", "call"), ("submit_ns", "submit"), ("full_ns", "full")),
        rows=1_000,
    ),
    "variations": Layout(
        columns=(
            ("changed", "changed"),
            ("before_ns", "before"),
            ("first_ns", "first"),
            ("second_ns", "second"),
            ("steady_ns", "steady"),
            ("after_ns", "after"),
            ("compiled", "compiled"),
            ("back_ns", "back"),
        ),
        rows=1_000,
        under=("what",),
    ),
    "sweep": Layout(
        columns=(
            ("size", "size"),
            ("submit_ns", "submit"),
            ("full_ns", "full"),
            ("amortised_ns", "in a row"),
            ("busy_ns", "busy"),
            ("bound_by", "bound by"),
            ("busy_share", "share"),
        ),
        rows=1_000,
        bars="busy_share",
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

DIFFERENCES = frozenset({"delta_ns", "count_delta"})
"""Columns whose numbers have a sign."""
