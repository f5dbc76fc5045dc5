"""The callers of stacks that were found without them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from types import CodeType

from tracelens.measure.sampling.sampler import Line

Stack = tuple[Line, ...]
"""Outermost first."""


def with_callers(whole: Mapping[Stack, int], apart: Mapping[Stack, int]) -> Counter[Stack]:
    """Return all stacks, those `apart` below the callers that are most often found above them.

    A generator that is suspended while its stack is copied has lost its caller: where it was is
    known all the same. What is never found below anything has a stack of its own, as greenlets do.
    """
    found = Counter(whole)
    above: defaultdict[CodeType, Counter[Stack]] = defaultdict(Counter)
    for stack, count in whole.items():
        for place, (code, _) in enumerate(stack):
            above[code][stack[:place]] += count
    for stack, count in apart.items():
        callers = above[stack[0][0]].most_common(1) if stack else []
        found[(*callers[0][0], *stack) if callers else stack] += count
    return found
