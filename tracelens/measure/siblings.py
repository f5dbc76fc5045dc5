"""Every card of the machine on the same two pieces of work, so that an odd one shows."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from tracelens.model.calibration import Calibration

_SAMPLES = 30
_CYCLES = 400_000
"""About 0.2 ms: long beside the cost of events."""
_FILL_BYTES = 1 << 30
"""Far more than any L2: the rate of the memory itself."""
_WARM_UP_CALLS = 500
"""About 0.1 s of work, in which an idle card raises its clocks."""


class Sibling(Protocol):
    """One of several cards."""

    def cycle(self, cycles: int) -> Callable[[], None]:
        """Return a launch of a kernel that runs for that many clocks."""
        ...

    def fill(self, size: int) -> Callable[[], None]:
        """Return a call that queues a memset of that many bytes."""
        ...

    def between_events(self, call: Callable[[], object]) -> int:
        """Return the ns between two device events around a call."""
        ...


def compare_cards(open_cards: Mapping[str, Callable[[], Sibling]]) -> Iterator[Calibration]:
    """Time the clock and the memory of each card, by name; the truth is what all agree on.

    Nothing where there is only one card: it has no siblings.
    """
    if len(open_cards) < 2:
        return
    found: list[Calibration] = []
    for name, open_card in open_cards.items():
        card = open_card()
        cycles = card.cycle(_CYCLES)
        for _ in range(_WARM_UP_CALLS):
            cycles()
        found += [
            _timed(card, name, "card_clock", cycles, f"a kernel of {_CYCLES} clocks"),
            _timed(card, name, "card_memory", card.fill(_FILL_BYTES), "a memset of 1 GiB"),
        ]
    for check in ("card_clock", "card_memory"):
        same = [one for one in found if one.check == check]
        truth_ns = int(statistics.median(statistics.median(one.samples_ns) for one in same))
        yield from (replace(one, truth_ns=truth_ns) for one in same)


def _timed(
    card: Sibling, name: str, check: str, call: Callable[[], object], what: str
) -> Calibration:
    return Calibration(
        check=check,
        way="events",
        kind="kernel",
        truth_ns=0,
        truth_from=f"{what}: the median of all cards",
        samples_ns=tuple(card.between_events(call) for _ in range(_SAMPLES)),
        device=name,
    )
