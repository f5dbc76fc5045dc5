"""Where strings and brackets stand in JSON text, found without decoding it.

Patterns that repeat a group, as the usual one for a string does, take memory for each round: on a
string of megabytes that is gigabytes. So strings are followed from mark to mark here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTE_OR_BACKSLASH = re.compile(rb'["\\]')
_BRACKET_OR_QUOTE = re.compile(rb'[{}\[\]"]')


def string_end(text: bytes, start: int) -> int | None:
    """Return the byte past the string that begins with the quote at `start`; None: no end yet."""
    at = start + 1
    while (mark := _QUOTE_OR_BACKSLASH.search(text, at)) is not None:
        if mark[0] == b'"':
            return mark.end()
        at = mark.end() + 1
    return None


def brackets(text: bytes, at: int = 0) -> Iterator[tuple[int, bytes]]:
    """Iterate over brackets outside strings, from a byte on: where each stands, which it is.

    Ends before a string that has no end.
    """
    while (mark := _BRACKET_OR_QUOTE.search(text, at)) is not None:
        if mark[0] == b'"':
            end = string_end(text, mark.start())
            if end is None:
                return
            at = end
        else:
            yield mark.start(), mark[0]
            at = mark.end()


def strings(text: bytes) -> Iterator[tuple[int, int]]:
    """Iterate over whole strings: the byte of the opening quote and the one past the closing."""
    start = text.find(b'"')
    while start >= 0 and (end := string_end(text, start)) is not None:
        yield start, end
        start = text.find(b'"', end)


def container_end(text: bytes, start: int) -> int | None:
    """Return the byte past the container that begins at `start`; None: no end yet."""
    depth = 0
    for place, bracket in brackets(text, start):
        depth += 1 if bracket in b"{[" else -1
        if depth == 0:
            return place + 1
    return None
