"""The report's words for well-known tags, segments of tags and verdicts.

Only for these: whatever is not here is shown under its own name.
"""

from __future__ import annotations

SPREAD = ("q20", "q80", "samples")
"""Last segments of the metrics that say how a median came to be."""

MODES = {"eager": "eager calls", "graph": "graph replays"}
"""How an op was called: a segment of a tag that becomes a column of its own."""

QUANTITIES = {
    "full": "full call",
    "submit": "submit",
    "amortised": "amortised",
    "submit_in_row": "submit, in a row",
    "backlog": "wait behind a row",
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
    "no difference detected": ("noise", "dim"),
    "failed": ("failed", "bold red"),
    "missing": ("missing", "bold red"),
}
"""What a comparison found, in a cell, and its colour; what is not compared has an empty one."""

ECHOES = {
    "device busy": "kernel busy",
    "kernel sum": "device busy",
    "device busy, graph": "kernel busy, graph",
    "kernel sum, graph": "kernel busy, graph",
}
"""Quantities of a comparison that need no row where another says the same on both sides."""

SAME_AS = {"kernel busy": "device busy", "kernel sum": "device busy"}
"""Quantities that need no row of their own where they equal another: no copies, no overlap."""

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
