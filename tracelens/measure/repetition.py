"""The calls that an op is warmed up with, kept: is the second as fast as the thousandth?"""

from __future__ import annotations

from tracelens.measure.timing import Instants
from tracelens.model.invocation import Repetition

_KEPT = 1_010
"""Calls: up to the thousandth, and some around it."""


def repetition(first_ns: int, second_ns: int, warmed: Instants) -> Repetition:
    """Return the first two calls of the process, and those of the warm-up behind the checks."""
    return Repetition(
        first_ns=first_ns, second_ns=second_ns, submit_ns=tuple(warmed.submit_ns[:_KEPT])
    )
