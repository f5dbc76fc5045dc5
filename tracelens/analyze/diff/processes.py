"""What one process a side cannot tell: how far two processes of one build lie apart.

Where memory and code come to lie, and what else the host does, moves host times from process to
process, and no number of samples in one of them shows it. The constants are the largest ratios of
two processes of one op, less 1, that docs/validation.md has of one machine, rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tracelens.analyze.change import TICK_NS, Change, show_both
from tracelens.analyze.diff.quantities import Quantities
from tracelens.analyze.resampling import DRAWS, Float64s, interval
from tracelens.analyze.statistics import median
from tracelens.model.intervals import Int64s

_HOST = 1.0
"""What a call spends off the device: 11 and 19 us of a small add, 12.6 and 21.6 us of a softmax."""
_SUBMIT = 1.5
"""7.23 and 16.82 us of that softmax."""
_DEVICE = 0.01
"""Kernel medians of five processes lay within 0.4 %."""

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
        return _DEVICE
    first, _, mode = stem.partition("/")
    if first == "submit":
        return _SUBMIT
    if first not in _CALLS and not stem.startswith("undisturbed/full"):
        return _HOST
    busy = min(_busy_share(stem, mode, side) for side in (baseline, candidate))
    return _HOST * (1 - busy) + _DEVICE * busy


def compare_processes(baseline: Sequence[Int64s], candidate: Sequence[Int64s]) -> Change:
    """Compare two builds by the medians of several processes, at least two of one of them.

    The ratio is that of their geometric means. Its interval is Student's, from what processes of
    one build differ by, both builds taken together; the floor is the largest ratio of two of them.
    """
    shown = show_both(np.concatenate(baseline), np.concatenate(candidate))
    if shown.baseline is None or shown.candidate is None:
        return shown
    before, after = (np.array([np.median(s) for s in side]) for side in (baseline, candidate))
    change = replace(shown, delta=shown.candidate - shown.baseline)
    if min(before.min(), after.min()) <= 0:
        return change
    ratios = _ratios(np.log(before), np.log(after))
    low, high = interval(ratios)
    apart = max(float(side.max() / side.min()) for side in (before, after)) - 1
    return replace(
        change,
        candidate_low=round(shown.baseline * low),
        candidate_high=round(shown.baseline * high),
        delta_low=round(shown.baseline * (low - 1)),
        delta_high=round(shown.baseline * (high - 1)),
        ratio=float(np.exp(np.log(after).mean() - np.log(before).mean())),
        ratio_low=low,
        ratio_high=high,
        floor=max(apart, TICK_NS / shown.baseline),
        ratios=ratios,
    )


def _ratios(before: Float64s, after: Float64s) -> Float64s:
    """Draw the ratio that other processes of the same two builds might have had."""
    degrees = len(before) + len(after) - 2
    squares = sum(float(np.sum((side - side.mean()) ** 2)) for side in (before, after))
    error = (squares / degrees * (1 / len(before) + 1 / len(after))) ** 0.5
    drawn = np.random.default_rng(_SEED).standard_t(degrees, DRAWS)
    ratios: Float64s = np.exp(after.mean() - before.mean() + error * drawn)
    return ratios


def _busy_share(stem: str, mode: str, side: Quantities) -> float:
    """Return the share of a call in which the device is busy; 0 where nobody knows."""
    cold = "_cold" if "_cold" in stem else ""
    way = "/graph" if mode == "graph" else ""
    busy = next((side[s] for s in (f"device{cold}{way}", f"kernel{cold}{way}") if s in side), None)
    call_ns, busy_ns = median(side[stem].samples), median(busy.samples) if busy else None
    return min(busy_ns / call_ns, 1.0) if busy_ns and call_ns else 0.0
