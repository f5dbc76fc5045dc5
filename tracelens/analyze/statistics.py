"""Order statistics of whole nanoseconds, exact: no float ever holds a time."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tracelens.analyze.grouping import fold
from tracelens.model.intervals import Int64s

LOW, HIGH = Fraction(1, 5), Fraction(4, 5)
"""The quantiles that stand beside every median."""

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Samples of many groups at once, sorted within each: group `i` has `counts[i]` of them."""

    ordered: Int64s
    counts: Int64s

    @classmethod
    def of(cls, samples: Int64s, groups: Int64s, count: int) -> Samples:
        """Sort samples by their group, a number below `count`."""
        order = np.argsort(fold((groups, samples))[0], kind="stable")
        return cls(samples[order], np.bincount(groups, minlength=count))

    def totals(self) -> list[int | None]:
        """Sum the samples of each group, None for a group without samples."""
        until = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.ordered)))
        ends = np.cumsum(self.counts)
        sums = (until[ends] - until[ends - self.counts]).tolist()
        return [total if n else None for total, n in zip(sums, self.counts.tolist(), strict=True)]

    def quantile(self, share: Fraction) -> list[int | None]:
        """Return the quantile of each group, None for a group without samples."""
        some = np.flatnonzero(self.counts)
        heads = (np.cumsum(self.counts) - self.counts)[some]
        found: list[int | None] = [None] * len(self.counts)
        values = _interpolate(self.ordered, heads, self.counts[some], share)
        for group, value in zip(some.tolist(), values.tolist(), strict=True):
            found[group] = value
        return found

    def median(self) -> list[int | None]:
        """Return the median of each group, None for a group without samples."""
        return self.quantile(_HALF)


def quantile(samples: npt.ArrayLike, share: Fraction) -> int | None:
    """Return the quantile by linear interpolation (Hyndman and Fan 1996, type 7).

    Rounded half to even, so that no set of samples is biased upwards. None without samples.
    """
    ordered = np.sort(np.asarray(samples, np.int64))
    return _at(ordered, share) if len(ordered) else None


def median(samples: npt.ArrayLike) -> int | None:
    """Return the median, rounded half to even. None without samples."""
    return quantile(samples, _HALF)


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
    whole = np.array([len(ordered)])
    return int(_interpolate(ordered, np.zeros(1, np.int64), whole, share)[0])


def _interpolate(ordered: Int64s, heads: Int64s, counts: Int64s, share: Fraction) -> Int64s:
    """Return the quantile of each stretch of sorted samples; none of them may be empty."""
    parts = share.denominator
    low, part = np.divmod((counts - 1) * share.numerator, parts)
    below = ordered[heads + low]
    step = ordered[heads + np.minimum(low + 1, counts - 1)] - below
    # step * part / parts, without a product that could leave int64
    fine, rest = np.divmod((step % parts) * part, parts)
    floor = below + step // parts * part + fine
    up = (2 * rest > parts) | ((2 * rest == parts) & (floor % 2 == 1))
    rounded: Int64s = floor + up
    return rounded


def paired_ratio(above: Sequence[int], below: Sequence[int]) -> float | None:
    """Return the median ratio of samples that were taken side by side, one of each.

    A slow moment meets both of a pair, and is in no ratio. Where there are not as many of both they
    are no pairs, and it is the ratio of their medians. None where a ratio has no denominator.
    """
    if len(above) != len(below):
        a, b = median(above), median(below)
        return a / b if a is not None and b else None
    ratios = [a / b for a, b in zip(above, below, strict=True) if b]
    return statistics.median(ratios) if ratios else None
