"""Order statistics of whole nanoseconds, exact: no float ever holds a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tracelens.model.intervals import Int64s

LOW, HIGH = Fraction(1, 5), Fraction(4, 5)
"""The quantiles that stand beside every median."""


def quantile(samples: npt.ArrayLike, share: Fraction) -> int | None:
    """Return the quantile by linear interpolation (Hyndman and Fan 1996, type 7).

    Rounded half to even, so that no set of samples is biased upwards. None without samples.
    """
    ordered = np.sort(np.asarray(samples, np.int64))
    if len(ordered) == 0:
        return None
    return _at(ordered, share)


def median(samples: npt.ArrayLike) -> int | None:
    """Return the median, rounded half to even. None without samples."""
    return quantile(samples, Fraction(1, 2))


def noise(samples: npt.ArrayLike) -> float | None:
    """Return IQR / median, the relative spread that this project calls noise.

    None without samples or where the median is not positive.
    """
    ordered = np.sort(np.asarray(samples, np.int64))
    middle = median(ordered)
    if middle is None or middle <= 0:
        return None
    return (_at(ordered, Fraction(3, 4)) - _at(ordered, Fraction(1, 4))) / middle


def _at(ordered: Int64s, share: Fraction) -> int:
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    below, above = int(ordered[low]), int(ordered[high])
    return round(below + (above - below) * (position - low))
