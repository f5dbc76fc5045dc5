"""A whole number divided in proportion, so that the parts sum to it."""

from __future__ import annotations

from collections.abc import Sequence


def apportion(whole: int, weights: Sequence[int]) -> list[int]:
    """Divide a whole into parts in proportion to weights; they sum to it exactly.

    By largest remainder: each part is its exact share rounded down, and what is left goes, one
    each, to the largest remainders, the first of equals. So no part is off by a whole unit. All
    parts are 0 where all weights are. `whole` and the weights are not negative.
    """
    total = sum(weights)
    if total == 0:
        return [0] * len(weights)
    parts, remainders = zip(*(divmod(whole * weight, total) for weight in weights), strict=True)
    left = whole - sum(parts)
    order = sorted(range(len(weights)), key=lambda at: -remainders[at])
    given = set(order[:left])
    return [part + (at in given) for at, part in enumerate(parts)]
