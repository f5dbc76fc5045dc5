"""Many cases in one figure: the geometric mean of their ratios, failures left out and named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracelens.analyze.change import Change
from tracelens.analyze.resampling import interval

_SEED = 7


def counts(change: Change) -> bool:
    """Whether a change enters a geometric mean: a ratio of 0 would make it 0, whatever the rest."""
    return change.ratio is not None and change.ratio > 0


def geometric_mean(changes: Sequence[Change]) -> Change:
    """Return the geometric mean of the ratios as a change that has only a ratio.

    Only changes with a ratio count (see `counts`); a failed case has none. The interval holds where
    each of them has one: the cases are drawn again independently of each other. The floor is the
    mean of theirs, and so is the luck, for a hotter card and a busier host move all cases alike.
    Without any ratio all of it is None.
    """
    counted = list(filter(counts, changes))
    ratios = [change.ratio for change in counted if change.ratio is not None]
    if not ratios:
        return Change()
    # Draws of different cases came from one stream of random numbers: shuffled, they share none.
    shuffle = np.random.default_rng(_SEED).permutation
    draws = [
        np.log(shuffle(c.ratios)) for c in counted if c.ratios is not None and c.ratios.min() > 0
    ]
    low = high = None
    if len(draws) == len(counted):
        low, high = interval(np.exp(np.mean(draws, axis=0)))
    floors = [change.floor for change in counted if change.floor is not None]
    return Change(
        ratio=float(np.exp(np.mean(np.log(ratios)))),
        ratio_low=low,
        ratio_high=high,
        floor=float(np.mean(floors)) if floors else None,
        luck=float(np.mean([change.luck for change in counted])),
    )
