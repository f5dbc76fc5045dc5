"""What one process a side cannot tell: how far two processes of one build lie apart.

Where memory and code come to lie, and what else the host does, moves host times from process to
process, and no number of samples in one of them shows it. The constants are ratios of two processes
of one op, less 1, that docs/validation/instruments.md has of one machine, rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracelens.analyze.change import Change, of_difference, of_ratio, show_both, to_ratios
from tracelens.analyze.diff.quantities import Quantities
from tracelens.analyze.resampling import DRAWS, Float64s
from tracelens.analyze.statistics import median
from tracelens.model.intervals import Int64s

_HOST = 1.0
"""What a call spends off the device, full call less busy: 12.6 and 21.6 us of a softmax."""
_SUBMIT = 1.5
"""7.23 and 16.82 us of that softmax."""
DEVICE_LUCK = 0.01
"""Kernel medians of several processes lay within 0.6 %, but of a matmul at the power cap 3.3 %.
There the clock moves, and what it moved by is the floor."""

_SEED = 13

_CALLS = frozenset({"full", "full_cold", "amortised", "wall"})
"""Host and device, one after the other or beside each other."""
_BUSY = frozenset({"kernel", "kernel_cold", "device", "device_cold", "memory"})


def on_device(stem: str) -> bool:
    """Say whether a quantity is time of the device alone."""
    first, _, rest = stem.partition("/")
    return first in _BUSY or (first, rest) in (("undisturbed", "busy"), ("split", "kernel"))


def process_floor(stem: str, baseline: Quantities, candidate: Quantities) -> float:
    """Return how far from 1 the ratio of two processes of one build may lie.

    A call has the host's floor for what it spends off the device, and the device's for the rest.
    """
    if on_device(stem):
        return DEVICE_LUCK
    first, _, mode = stem.partition("/")
    if first == "submit":
        return _SUBMIT
    if first not in _CALLS and not stem.startswith("undisturbed/full"):
        return _HOST
    busy = min(_busy_share(stem, mode, side) for side in (baseline, candidate))
    return _HOST * (1 - busy) + DEVICE_LUCK * busy


def compare_processes(
    baseline: Sequence[Int64s], candidate: Sequence[Int64s], *, tick_ns: int
) -> Change:
    """Compare two builds by the medians of several processes, at least two of one of them.

    The ratio is that of their geometric means, which stand for the medians. Its interval is
    Student's, from what processes of one build differ by, both builds taken together; the floor is
    the largest ratio of two of them, and a tick of the clock. Where a median is nothing there is no
    ratio, and the means are compared in the same way.
    """
    shown = show_both(np.concatenate(baseline), np.concatenate(candidate))
    if shown.baseline is None or shown.candidate is None:
        return shown
    before, after = (
        np.array([np.median(s) for s in side if len(s)]) for side in (baseline, candidate)
    )
    if min(before.min(), after.min()) <= 0:
        return of_difference(
            float(before.mean()),
            float(after.mean()),
            tick_ns=tick_ns,
            errors=_errors(before, after),
        )
    baseline_ns, candidate_ns = (float(np.exp(np.log(side).mean())) for side in (before, after))
    ratio, errors = candidate_ns / baseline_ns, _errors(np.log(before), np.log(after))
    apart = max(float(side.max() / side.min()) for side in (before, after)) - 1
    return of_ratio(
        baseline_ns,
        ratio,
        floor=max(apart, tick_ns / baseline_ns),
        ratios=None if errors is None else to_ratios(ratio, errors),
    )


def _errors(before: Float64s, after: Float64s) -> Float64s | None:
    """Return by how far the difference of two means may be off, None for one process a side."""
    degrees = len(before) + len(after) - 2
    if degrees < 1:
        return None
    squares = sum(float(np.sum((side - side.mean()) ** 2)) for side in (before, after))
    error = (squares / degrees * (1 / len(before) + 1 / len(after))) ** 0.5
    drawn: Float64s = error * np.random.default_rng(_SEED).standard_t(degrees, DRAWS)
    return drawn


def _busy_share(stem: str, mode: str, side: Quantities) -> float:
    """Return the share of a call in which the device is busy; 0 where nobody knows."""
    cold = "_cold" if "_cold" in stem else ""
    way = "/graph" if mode == "graph" else ""
    busy = next((side[s] for s in (f"device{cold}{way}", f"kernel{cold}{way}") if s in side), None)
    call_ns, busy_ns = median(side[stem].samples), median(busy.samples) if busy else None
    return min(busy_ns / call_ns, 1.0) if busy_ns and call_ns else 0.0
