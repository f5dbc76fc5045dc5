"""What a median might have been: the same samples, drawn again.

The share of samples below the median is drawn anew, in blocks, and the median is read off the
samples at that share: Woodruff, Journal of the American Statistical Association 47 (1952), with
the circular blocks of Politis and Romano (Exploring the Limits of Bootstrap, 1992), since
neighbouring calls resemble each other. To first order that is the bootstrap of the median, at the
cost of a sum: ten thousand samples need no ten thousand sorts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Float64s = npt.NDArray[np.float64]

CONFIDENCE = 0.99
"""Of every interval of a comparison: of forty true nulls, fewer than one looks like a change."""

FEWEST = 10
"""Of fewer samples even the two outermost do not safely enclose the true median with 99 %."""

DRAWS = 4_000
"""Of every distribution: twenty lie beyond each end of an interval."""
_SEED = 20_240_229
"""Any number: with a fixed one the same runs always give the same report."""


def draw_medians(samples: npt.NDArray[Any], *, stream: int = 0) -> Float64s | None:
    """Return `DRAWS` medians that samples like these might have had, None for fewer than `FEWEST`.

    `samples` are numbers in the order taken. Draws of different `stream` are independent.
    """
    count = len(samples)
    if count < FEWEST:
        return None
    values = np.asarray(samples, np.float64)
    middle = np.median(values)
    below = (values < middle) + 0.5 * (values == middle)  # equal samples move no median
    length = round(count ** (1 / 3))
    sums = np.cumsum(np.concatenate((np.zeros(1), below, below[: length - 1])))
    blocks = sums[length:] - sums[:-length]
    drawn = -(-count // length)
    begins = np.random.default_rng((_SEED, stream)).integers(0, count, (DRAWS, drawn))
    shares = blocks[begins].sum(axis=1) / (drawn * length)
    # Blocks vary too little about the mean of a short series; the factor is that of their variance.
    apart = (np.mean(below) - shares) * (count / (count - length)) ** 0.5
    medians: Float64s = np.quantile(values, np.clip(0.5 + apart, 0.0, 1.0))
    return medians


def interval(draws: Float64s) -> tuple[float, float]:
    """Return the two ends between which `CONFIDENCE` of the draws lie."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws, (tail, 1 - tail))
    return float(low), float(high)
