"""Quantities that are not measured, and why: they stay null in the report, with a finding."""

from __future__ import annotations

import torch

from tracelens.measure.device import Unavailable
from tracelens.model.measurement import Withheld
from tracelens.model.report import Finding, Severity

KERNEL_TAGS = ("kernel/eager/busy", "kernel/eager/sum")
GRAPH_TAGS = (
    "full/graph",
    "submit/graph",
    "amortised/graph",
    "kernel/graph/busy",
    "kernel/graph/sum",
)
UNDISTURBED_TAGS = (
    "undisturbed/before_first",
    "undisturbed/busy",
    "undisturbed/between",
    "undisturbed/after_last",
    "undisturbed/full",
    "undisturbed/full_off",
)


def withhold(tags: tuple[str, ...], tag: str, severity: Severity, reason: Unavailable) -> Withheld:
    """Say that the quantities of these tags stay unknown; `tag` is that of the finding."""
    return Withheld(tags=tags, finding=finding_of(tag, severity, reason))


def finding_of(tag: str, severity: Severity, reason: Unavailable) -> Finding:
    """Return a reason as a finding."""
    return Finding(tag=tag, severity=severity, fact=reason.reason, advice=reason.advice)


def withhold_device() -> Withheld:
    """Say why an op on the CPU has no device times."""
    reason = Unavailable(
        "The op's tensors are on the CPU: there is no device time and no graph."
        if torch.cuda.is_available()
        else "torch sees no CUDA device: there is no device time and no graph.",
        "Run the op on a CUDA device to see kernels, launches and a graph's replay.",
    )
    tags = (*KERNEL_TAGS, *GRAPH_TAGS, *UNDISTURBED_TAGS)
    return withhold(tags, "device/none", "info", reason)
