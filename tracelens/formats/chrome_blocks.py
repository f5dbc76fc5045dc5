"""The event array of a Chrome trace, read a block at a time.

A block is cut where one event probably ends and the next begins. If `[block]` decodes, the cut was
right, and that is proof: it is then a whole number of entries. If it does not, the cut lay inside
an event, or the array ends in the block, or the block is damaged; only then are entries looked at
one by one.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from tracelens.errors import TraceError
from tracelens.formats.chrome_columns import Part
from tracelens.formats.chrome_entries import (
    Damage,
    decode_array,
    decode_mended,
    decode_one_by_one,
)
from tracelens.formats.chrome_events import Event
from tracelens.formats.json_window import Window

_NEXT_EVENT = re.compile(rb"\s*,\s*\{")
EVENT_AND_NEXT = re.compile(rb"\}\s*,\s*\{")

_BRACES_TRIED = 1_000
"""From the end of a block; an event with more of them is found by a search of the whole block."""

_MOST_UNREADABLE = 1_000
"""Events that are left out on request. A file with more of them is no trace any more."""


class End(Enum):
    """How an event array ends."""

    CLOSED = "with its bracket"
    OPEN = "after a whole event or a comma, where the text ends"
    CUT = "inside an event, where the text ends"
    BROKEN = "before something that is neither an event nor a bracket"


@dataclass(frozen=True, slots=True)
class LaterPart:
    """What another process has read, from the event that begins past byte `start` to the last.

    `rest` is the text of the file that follows, with the array's bracket, from byte `rest_start`.
    """

    start: int
    part: Part
    mended: Counter[str]
    rest_start: int
    rest: bytes


@dataclass(frozen=True, slots=True)
class Later:
    """Another process, which reads from the first event that seems to end past a byte.

    `take` waits for it, and returns None where it has nothing that is sound.
    """

    middle: int
    take: Callable[[], LaterPart | None]


class EventArray:
    """Iterates over the entries of the array that the window begins with, in blocks.

    With `recover` an entry that cannot be read is noted in `damage` and left out, up to a thousand;
    without, it raises `TraceError`. After the last block `end` says how the array ends, and the
    window begins with what follows, or with what is left of a cut event.
    """

    def __init__(
        self, window: Window, damage: Damage, *, recover: bool, later: Later | None = None
    ) -> None:
        self.end = End.CLOSED
        self._window = window
        self._damage = damage
        self._recover = recover
        self._later = later

    def __iter__(self) -> Iterator[list[Event] | Part]:
        window, mended = self._window, self._damage.mended
        before = b"["
        window.take(before)
        while (byte := window.peek()) and byte != b"]":
            if byte == b",":
                mended["commas"] += before != b"}"
                window.drop(1)
                before = b","
                continue
            entries, end = self._block() if before != b"}" or byte == b"{" else ([], 0)
            if end == 0:
                self.end = End.CUT if byte == b"{" else End.BROKEN
                return
            mended["commas"] += before == b"}"
            yield entries
            window.drop(end)
            before = b"}"
            if (later := self._later_part()) is not None:
                yield later.part
                window.skip_to(later.rest_start, later.rest)
                mended += later.mended
        mended["commas"] += bool(byte) and before == b","
        self.end = End.CLOSED if byte else End.OPEN
        window.drop(len(byte))

    def _later_part(self) -> LaterPart | None:
        """Return what another process has read from here on, if it began right here."""
        if self._later is None or self._window.position < self._later.middle:
            return None
        part = self._later.take()
        self._later = None
        return part if part and part.start == self._window.position else None

    def _block(self) -> tuple[list[Event], int]:
        """Decode entries from the window's first byte on. Returns them and where they end.

        An end of 0 says that the window holds no whole entry, and that nothing more will come.
        """
        window = self._window
        while True:
            decoded = self._read(window.text)
            if decoded is not None:
                return decoded
            if window.ended:
                return [], 0
            window.extend()

    def _read(self, text: bytes) -> tuple[list[Event], int] | None:
        damage = self._damage
        cut = self._cut(text)
        if cut is None or self._window.ended:  # the array may end in here
            whole = decode_array(b"[" + text, damage)
            if whole is not None:
                return whole[0], whole[1] - 2  # before its bracket
            if not self._window.ended:
                return None
        array = b"".join((b"[", memoryview(text)[:cut], b"]"))  # one copy, not three
        decoded = decode_array(array, damage)
        if decoded is not None:
            return decoded[0], decoded[1] - 2
        mended = decode_mended(array, damage)
        if mended is not None:
            return mended, len(array) - 2
        allowed = _MOST_UNREADABLE if self._recover else 0
        entries, end = decode_one_by_one(text, damage, allowed=allowed, ended=self._window.ended)
        if len(damage.unreadable) > allowed:
            place = self._window.position + damage.unreadable[-1]
            raise TraceError(f"the event at byte {place:,} is not JSON", _hint(allowed))
        return (entries, end) if end else None

    def _cut(self, text: bytes) -> int | None:
        """Choose where the block ends: where another process begins, or else as late as can be."""
        if self._later is not None and self._later.middle < self._window.end:
            ahead = self._later.middle - self._window.position
            if cut := EVENT_AND_NEXT.search(text, max(0, ahead)):
                return cut.start() + 1
        return _last_cut(text)


def _hint(allowed: int) -> str:
    if allowed:
        return f"Record the trace again: {allowed:,} events before it are not JSON either."
    return "Mend it by hand, or leave it out with --recover: sums are then lower bounds."


def _last_cut(text: bytes) -> int | None:
    """Find the last place where a comma and another event follow a closing brace."""
    brace = len(text)
    for _ in range(_BRACES_TRIED):
        brace = text.rfind(b"}", 0, brace)
        if brace < 0:
            return None
        if _NEXT_EVENT.match(text, brace + 1):
            return brace + 1
    whole = deque(EVENT_AND_NEXT.finditer(text), maxlen=1)
    return whole[0].start() + 1 if whole else None
