"""The entries at the head of an event array's text, decoded at once or one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import DecodeError, ValidationError

from tracelens.formats.chrome_events import Event, decode_entries, decode_events, decode_odd_event
from tracelens.formats.chrome_mending import BLOCK_MENDS, EVENT_MENDS, QUOTE_MENDS, mend
from tracelens.formats.json_text import container_end

_FALSE_ENDS = 8
"""Ends of a damaged event that are tried: `}, {` may also stand inside its `args`."""

_LONG_EVENT_BYTES = 4 << 20
"""More than any real event has: one that shows no end in so much text has lost it."""

_EVENT_END = re.compile(rb"\}(?=\s*(?:,\s*(?:[{,]|\Z)|[\]{]|\Z))")
_COMMA = re.compile(rb"\s*,\s*")
_NO_OBJECT = re.compile(rb'[^\s,\[\]{}"]+')
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
"""Says that the value was whole, and counts the bytes up to the first that is too many, with it."""

MALFORMED = (DecodeError, ValueError, RecursionError)
"""What the decoder raises for text that is no JSON; old ones say bad UTF-8 with a ValueError."""


@dataclass
class Damage:
    """What was mended, by kind and how often; what could not be read, by where it begins."""

    mended: Counter[str] = field(default_factory=Counter)
    unreadable: list[int] = field(default_factory=list)


def decode_array(text: bytes, damage: Damage) -> tuple[list[Event], int] | None:
    """Decode the array at the head of the text. Returns its entries and where its bracket ends."""
    end = len(text)
    for _ in range(2):
        try:
            return _decode_entries(text[:end], damage), text.rfind(b"]", 0, end) + 1
        except MALFORMED as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                break
            end = text.rfind(b"]", 0, int(trailing[1]) - 1) + 1
    return None


def _decode_entries(text: bytes, damage: Damage) -> list[Event]:
    try:
        return decode_events(text)
    except ValidationError:
        pairs = [decode_odd_event(entry) for entry in decode_entries(text)]
    damage.mended["types"] += sum(odd for _, odd in pairs)
    return [event for event, _ in pairs]


def decode_mended(text: bytes, damage: Damage) -> list[Event] | None:
    """Decode a whole array after those mends that may have many events at once."""
    mended, counts = mend(text, BLOCK_MENDS)
    inside = Damage(counts)
    decoded = decode_array(mended, inside) if counts else None
    if decoded is None or decoded[1] < len(mended):
        return None
    damage.mended += inside.mended
    return decoded[0]


def decode_one_by_one(
    text: bytes, damage: Damage, *, allowed: int, ended: bool
) -> tuple[list[Event], int]:
    """Decode entry after entry, as far as they can be read. Returns them and where they end.

    Notes in `damage` where an entry is unreadable and leaves it out, but ends before the one that
    is more than `allowed`. `ended` says that no more text will come.
    """
    entries: list[Event] = []
    at = end = 0
    while text[at : at + 1] not in (b",", b"]", b""):
        found = _decode_entry(text, at, damage)
        if found is not None:
            entry, end = found
            entries.append(entry)
        else:
            unreadable_end = _end_of_unreadable(text, at, ended=ended)
            if unreadable_end is None:
                break
            damage.unreadable.append(at)
            if len(damage.unreadable) > allowed:
                break
            end = unreadable_end
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        at = comma.end()
    return entries, end


def _candidate_ends(text: bytes, at: int) -> Iterator[int]:
    """Guess where a damaged event that begins at a byte ends, nearest first."""
    for _, end in zip(range(_FALSE_ENDS), _EVENT_END.finditer(text, at), strict=False):
        yield end.end()


def _end_of_unreadable(text: bytes, at: int, *, ended: bool) -> int | None:
    """Find where an event that cannot be read ends: at its bracket, or before a readable one.

    None where it may be whole once there is more text, or where the text ends in it.
    """
    closing = container_end(text, at)
    if closing is None and not ended and len(text) - at < _LONG_EVENT_BYTES:
        return None
    for end in _candidate_ends(text, at):
        if end == closing:
            break
        comma = _COMMA.match(text, end)
        following = _decode_sound(memoryview(text)[comma.end() :], Damage()) if comma else None
        if following is not None and following[0].ph:
            return end
    return closing


def _decode_entry(text: bytes, at: int, damage: Damage) -> tuple[Event, int] | None:
    """Decode the entry that begins at a byte. Returns it and where it ends; None: unreadable."""
    if text[at : at + 1] != b"{":
        other = _NO_OBJECT.match(text, at)
        if other is None:
            return None
        damage.mended["types"] += 1
        return Event(), other.end()
    sound = _decode_sound(memoryview(text)[at:], damage)
    if sound is not None:
        event, length = sound
        return event, at + length
    for end in _candidate_ends(text, at):
        piece = text[at:end]
        for mends in (EVENT_MENDS, QUOTE_MENDS):
            mended, counts = mend(piece, mends)
            sound = _decode_sound(mended, damage) if counts else None
            if sound is not None and sound[1] == len(mended):
                damage.mended += counts
                return sound[0], end
    return None


def _decode_sound(text: bytes | memoryview, damage: Damage) -> tuple[Event, int] | None:
    """Decode the object at the head of the text. Returns it and its length; None: malformed."""
    end = len(text)
    for _ in range(2):
        try:
            event, odd = decode_odd_event(text[:end])
        except MALFORMED as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                break
            end = bytes(text[: int(trailing[1]) - 1]).rfind(b"}") + 1
        else:
            damage.mended["types"] += odd
            return event, end
    return None
