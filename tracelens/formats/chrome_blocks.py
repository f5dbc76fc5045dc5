"""The event array of a Chrome trace, read a block at a time.

A block is cut where one event probably ends and the next begins. If `[block]` decodes, the cut was
right, and that is proof: it is then a whole number of entries. If it does not, the cut lay inside
an event, or the array ends in the block, or the block is damaged; only then are entries looked at
one by one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from enum import Enum

from tracelens.errors import TraceError
from tracelens.formats.chrome_entries import (
    Damage,
    decode_array,
    decode_mended,
    decode_one_by_one,
)
from tracelens.formats.chrome_events import Event
from tracelens.formats.json_window import Window

_NEXT_EVENT = re.compile(rb"\s*,\s*\{")
_EVENT_AND_NEXT = re.compile(rb"\}\s*,\s*\{")

_BRACES_TRIED = 1_000
"""From the end of a block; an event with more of them is found by a search of the whole block."""


class End(Enum):
    """How an event array ends."""

    CLOSED = "with its bracket"
    OPEN = "after a whole event or a comma, where the text ends"
    CUT = "inside an event, where the text ends"
    BROKEN = "before something that is neither an event nor a bracket"


class EventArray:
    """Iterates over the entries of the array that the window begins with, in blocks.

    With `recover` an entry that cannot be read is counted in `damage` and left out; without, it
    raises `TraceError`. After the last block `end` says how the array ends; the window then begins
    with what follows, or with what is left of a cut event.
    """

    def __init__(self, window: Window, damage: Damage, *, recover: bool) -> None:
        self.end = End.CLOSED
        self._window = window
        self._damage = damage
        self._recover = recover

    def __iter__(self) -> Iterator[list[Event]]:
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
        mended["commas"] += bool(byte) and before == b","
        self.end = End.CLOSED if byte else End.OPEN
        window.drop(len(byte))

    def _block(self) -> tuple[list[Event], int]:
        """Decode entries from the window's first byte on. Returns them and where they end.

        An end of 0 says that the window holds no whole entry, and that nothing more will come.
        """
        window = self._window
        while True:
            decoded = self._decoded(window.text)
            if decoded is not None:
                return decoded
            if window.ended:
                return [], 0
            window.extend()

    def _decoded(self, text: bytes) -> tuple[list[Event], int] | None:
        damage = self._damage
        cut = _last_cut(text)
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
        entries, end = decode_one_by_one(
            text, damage, leave_out=self._recover, ended=self._window.ended
        )
        if damage.unreadable and not self._recover:
            raise TraceError(
                f"the event at byte {self._window.position + damage.unreadable[0]:,} is not JSON",
                "Mend it by hand, or leave it out with --recover: sums are then lower bounds.",
            )
        return (entries, end) if end else None


def _last_cut(text: bytes) -> int | None:
    """Find the last place where a comma and another event follow a closing brace."""
    brace = len(text)
    for _ in range(_BRACES_TRIED):
        brace = text.rfind(b"}", 0, brace)
        if brace < 0:
            return None
        if _NEXT_EVENT.match(text, brace + 1):
            return brace + 1
    whole = deque(_EVENT_AND_NEXT.finditer(text), maxlen=1)
    return whole[0].start() + 1 if whole else None
