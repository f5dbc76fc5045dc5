"""A window over a stream of JSON text: what has come and is not read yet."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tracelens.errors import TraceError
from tracelens.formats.json_text import brackets, string_end

LONGEST_VALUE_BYTES = 16 << 20
"""No event and no name is longer than this: a value that is has no end."""

_KEPT_BYTES = 1 << 20
_SPACE = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb'[^\s,:{}\[\]"]+')


class Window:
    """The unread part of a stream, as far as it has come. `ended` says that no more will come.

    `start` is the byte of the whole text that the stream begins with.
    """

    def __init__(self, chunks: Iterable[bytes], *, start: int = 0) -> None:
        self.ended = False
        self._chunks = iter(chunks)
        self._text = b""
        self._at = 0
        self._start = start

    @property
    def text(self) -> bytes:
        """All of the unread text that has come."""
        self._text = self._text[self._at :]
        self._start += self._at
        self._at = 0
        return self._text

    @property
    def position(self) -> int:
        """The byte of the stream that `text` begins with."""
        return self._start + self._at

    @property
    def end(self) -> int:
        """The byte of the stream past the text that has come."""
        return self._start + len(self._text)

    def extend(self) -> None:
        """Let the text grow: by a chunk, or twofold where it is larger than that.

        Raises `TraceError` where it has grown past what one value can be.
        """
        parts = [self.text]
        if len(self._text) > LONGEST_VALUE_BYTES:
            raise TraceError(
                f"the value at byte {self.position:,} is longer than {LONGEST_VALUE_BYTES:,} bytes",
                "Check that the file is a trace: no event is that long.",
            )
        grown = 0
        while grown <= len(self._text) and not self.ended:
            chunk = next(self._chunks, b"")
            self.ended = not chunk
            parts.append(chunk)
            grown += len(chunk)
        self._text = b"".join(parts)

    def drop(self, count: int) -> None:
        """Forget the next `count` bytes: they are read."""
        self._at += count

    def skip_to(self, position: int, text: bytes) -> None:
        """Go on with the text from a later byte, which is all that is left of the stream."""
        self.ended = True
        self._start, self._at, self._text = position, 0, text

    def peek(self) -> bytes:
        """Drop white space and return the byte that follows, or nothing at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or self.ended:
                return self._text[self._at : self._at + 1]
            self.extend()

    def take(self, byte: bytes) -> bool:
        """Drop this byte, and white space before it, if it is what comes next."""
        found = self.peek() == byte
        self._at += found
        return found

    def take_string(self) -> bytes | None:
        """Drop a string and return it with its quotes; None where no whole one comes next."""
        if self.peek() != b'"':
            return None
        while (end := string_end(self._text, self._at)) is None:
            if self.ended:
                return None
            self.extend()
        string = self._text[self._at : end]
        self._at = end
        return string

    def take_value(self) -> bytes | None:
        """Drop any value and return it, cut off at 1 MiB; None where no whole one comes next."""
        first = self.peek()
        if first == b'"':
            return self.take_string()
        if first in (b"{", b"["):
            return self._take_container()
        while (scalar := _SCALAR.match(self._text, self._at)) is not None:
            if scalar.end() < len(self._text) or self.ended:
                self._at = scalar.end()
                return scalar[0]
            self.extend()
        return None

    def _take_container(self) -> bytes | None:
        kept = b""
        depth = 0
        while True:
            text = self.text
            for place, bracket in brackets(text):
                depth += 1 if bracket in b"{[" else -1
                self._at = place + 1
                if depth == 0:
                    break
            kept += text[: min(self._at, _KEPT_BYTES - len(kept))]
            if depth == 0:
                return kept
            if self.ended:
                return None
            self.extend()
