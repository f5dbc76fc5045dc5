"""One op at many sizes: what is asked for, and what came of each size."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tracelens.errors import UsageError

_MOST_SIZES = 64
_LARGEST = 2**63 - 1
"""What a report, whose integers have 64 bits, can hold."""
_NUMBER = "[0-9]{1,99}"
_STATED = re.compile(
    rf"([A-Za-z_]\w*)(?:=(?:({_NUMBER})\.\.({_NUMBER})|({_NUMBER}(?:,{_NUMBER})*)))?"
)
_HINT = "Such as --sweep n=256..16777216 (doubling), --sweep n=256,1000,4096, or --sweep n."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Sizes of one argument of `inputs()`, ascending. Without sizes they are those of the cases.

    Raises UsageError for too many sizes, and for one that is no size.
    """

    parameter: str
    sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.sizes) > _MOST_SIZES:
            raise UsageError(
                f"The sweep has {len(self.sizes)} sizes; {_MOST_SIZES} are enough.", _HINT
            )
        for size in self.sizes:
            if not 1 <= size <= _LARGEST:
                raise UsageError(
                    f"The sweep of {self.parameter} has the size {size}; it must be from 1 to "
                    "2^63 - 1.",
                    _HINT,
                )

    @classmethod
    def read(cls, text: str) -> Sweep:
        """Return the sweep that `n=256..4096`, `n=256,1000` or `n` says. Raises UsageError.

        A range doubles from its first size; its last is the largest that does not exceed the end.
        """
        stated = _STATED.fullmatch(text.strip())
        if stated is None:
            raise UsageError(f"{text[:80]!r} is no sweep.", _HINT)
        parameter, low, high, listed = stated.groups()
        if low and int(low) > int(high):
            raise UsageError(f"The sweep {text[:80]!r} ends before it begins.", _HINT)
        sizes = _doubled(int(low), int(high)) if low else _listed(listed)
        return cls(parameter=parameter, sizes=sizes)


def _doubled(low: int, high: int) -> tuple[int, ...]:
    sizes = [low]
    while 0 < 2 * sizes[-1] <= high and len(sizes) <= _MOST_SIZES:
        sizes.append(2 * sizes[-1])
    return tuple(sizes)


def _listed(listed: str | None) -> tuple[int, ...]:
    return tuple(sorted({int(size) for size in listed.split(",")})) if listed else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One size, in ns a sample. What is unknown is empty, and a reason says why.

    `full_ns` and `submit_ns` are single calls on an idle device; `amortised_ns` are runs of `batch`
    calls with one wait, a call each, `in_row_ns` the same runs until their last call returned.
    `busy_ns` is the device's part of some calls more.
    """

    parameter: str
    size: int
    full_ns: tuple[int, ...] = ()
    submit_ns: tuple[int, ...] = ()
    amortised_ns: tuple[int, ...] = ()
    in_row_ns: tuple[int, ...] = ()
    busy_ns: tuple[int, ...] = ()
    batch: int = 1
    failed: str | None = None
    """Why nothing was measured at this size."""
    busy_unknown: str | None = None
