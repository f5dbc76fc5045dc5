"""Begin and end marks (`ph` B and E), which older writers use where newer ones use one event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter

from msgspec.structs import replace

from tracelens.formats.chrome_events import Event
from tracelens.formats.decimals import elapsed
from tracelens.formats.labels import Id

_PHASE = attrgetter("ph")
_MARKS = frozenset("BE")


class Pairs:
    """Turns begin and end marks into complete events. Marks nest, on each thread by itself.

    `met` says whether there were marks at all.
    """

    def __init__(self) -> None:
        self.met = False
        self._begun: defaultdict[tuple[Id, Id], list[Event]] = defaultdict(list)

    def closed(self, events: Sequence[Event]) -> Sequence[Event]:
        """Replace each end mark by its complete event, and leave out the begin marks."""
        if not self.met and _MARKS.isdisjoint(map(_PHASE, events)):
            return events
        self.met = True
        return [*self._paired(events)]

    def unfinished(self) -> list[Event]:
        """Return what began and has no end, as complete events of unknown duration."""
        return [replace(event, ph="X") for begun in self._begun.values() for event in begun]

    def _paired(self, events: Iterable[Event]) -> Iterable[Event]:
        for event in events:
            thread = (event.pid, event.tid)
            if event.ph == "B":
                self._begun[thread].append(_kept(event))
            elif event.ph == "E" and self._begun[thread]:
                begin = self._begun[thread].pop()
                yield replace(begin, ph="X", dur=elapsed(begin.ts, event.ts))
            else:
                yield event


def _kept(event: Event) -> Event:
    """Return an event that stays: a view of its texts would keep its whole block alive."""
    args = event.args
    if args.sizes or args.types:
        args = replace(args, sizes=args.sizes.copy(), types=args.types.copy())
    return replace(event, ts=event.ts.copy(), args=args)
