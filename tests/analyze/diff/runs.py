"""Runs typed by hand: samples about a median, no trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from tracelens.model.measurement import (
    Failure,
    Measurement,
    Protocol,
    Run,
    Subject,
    SubjectRun,
)
from tracelens.model.report import Environment

PROTOCOL: dict[str, Any] = {
    "device": "cuda:0",
    "seed": 0,
    "grad_mode": "grad",
    "warmup_calls": 5,
    "warmup_ns": 1,
    "samples": 101,
    "batch": 100,
    "profiled_calls": 20,
    "head_calls": 5,
    "cache_state": "warm",
    "clock": "perf_counter_ns",
}
CARD = "NVIDIA H200"
BOOM = Failure(stage="load", kind="raised", fact="The op raised ValueError.", hint="Look at it.")


def samples(median: int, spread: int = 10) -> tuple[int, ...]:
    """Return 101 samples evenly spread about a median, in an order that does not drift."""
    even = np.linspace(median - spread, median + spread, 101).round().astype(int)
    return tuple(np.random.default_rng(0).permutation(even).tolist())


def measured(tag: str, median: int, **more: Any) -> Measurement:
    return Measurement(
        tag=tag, samples_ns=samples(median), clock="perf_counter_ns", includes="one call", **more
    )


def subject(
    *medians: tuple[str, int],
    case: str | None = None,
    failure: Failure | None = None,
    **protocol: Any,
) -> SubjectRun:
    """Return a subject with a measurement for each (tag, median ns)."""
    return SubjectRun(
        subject=Subject(case=case),
        protocol=Protocol(**PROTOCOL | protocol),
        measurements=tuple(measured(tag, median) for tag, median in medians),
        failure=failure,
    )


def run(*subjects: SubjectRun, device: str = CARD, **environment: Any) -> Run:
    return Run(
        op="op", environment=Environment(device=device, **environment), subjects=tuple(subjects)
    )
