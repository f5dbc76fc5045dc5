"""Where the true median may lie, by order statistics: no assumption on how samples are spread.

It stands on the ground floor because two rooms need the same answer: sampling ends by it, and the
report states it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp, lgamma, log

CONFIDENCE = 0.95


def median_interval(
    samples: Sequence[int], *, confidence: float = CONFIDENCE
) -> tuple[int, int] | None:
    """Return two of the samples between which the true median lies, with 95 % confidence or other.

    The number of samples below the true median is binomial with a half, so a pair of order
    statistics encloses it with a known probability (Hahn and Meeker, Statistical Intervals, 1991,
    section 5.2). It holds for independent samples; a drift is not in it. None for too few samples:
    fewer than six, or eight for 99 %.
    """
    rank = _rank(len(samples), confidence)
    if rank is None:
        return None
    ordered = sorted(samples)
    return ordered[rank], ordered[-1 - rank]


@cache
def _rank(count: int, confidence: float) -> int | None:
    """Return the largest rank, from 0, that as few samples lie below with at most half the rest."""
    tail, below = (1 - confidence) / 2, 0.0
    for rank in range(count // 2 + 1):
        ways = lgamma(count + 1) - lgamma(rank + 1) - lgamma(count - rank + 1)
        below += exp(ways - count * log(2))
        if below > tail:
            return rank - 1 if rank else None
    return None
