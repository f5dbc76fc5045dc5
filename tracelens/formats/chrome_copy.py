"""The events of a Chrome trace as its file spells them, block by block, for a copy of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import cast

import msgspec

from tracelens.errors import TraceError
from tracelens.formats.chrome_document import ChromeDocument
from tracelens.formats.chrome_entries import MALFORMED
from tracelens.formats.chrome_events import Event, decode_entries
from tracelens.formats.chrome_mending import BLOCK_MENDS, EVENT_MENDS, mend
from tracelens.formats.chunks import Chunks
from tracelens.formats.json_window import Window

_EVENTS_KEY = b"traceEvents"


class UncopyableError(Exception):
    """The events cannot be copied as they are: they have to be written anew."""


class ChromeCopy:
    """Iterates over the text of a trace's events: each one or more JSON objects, with commas.

    What comes out is JSON, whatever the file holds: a sound block is passed on byte for byte, a
    damaged one is mended. After the last block `header` has the other values by key, the
    damaged ones left out, and `cut` says where the file ends early. Raises UncopyableError where a
    block cannot be mended as a whole, or the source is no Chrome trace or no file that can be read
    twice.
    """

    def __init__(self, source: Path, *, max_expanded_bytes: int) -> None:
        self.header: dict[bytes, bytes] = {}
        self.cut: str | None = None
        self._source = source
        self._max_expanded_bytes = max_expanded_bytes

    def __iter__(self) -> Iterator[bytes]:
        if not self._source.is_file():
            raise UncopyableError
        try:
            with self._source.open("rb") as file:
                chunks = Chunks(file, max_expanded_bytes=self._max_expanded_bytes)
                yield from self._events(_Recorder(chunks))
                self.cut = chunks.damage or self.cut
        except (OSError, TraceError) as error:
            raise UncopyableError from error

    def _events(self, window: _Recorder) -> Iterator[bytes]:
        document = ChromeDocument(window, recover=True)  # a lower bound was agreed on, or none is
        count = 0
        for entries in document:
            yield from _block(window.taken(), count)
            count = len(cast(list[Event], entries))  # a part comes only with a later process
        yield from _block(window.taken(), count)
        self.cut = document.cut
        for key, value in document.header.items():
            if (
                key != _EVENTS_KEY
                and (sound := _mended(value, _is_json))
                and _is_json(b'"%b"' % key)
            ):
                self.header[key] = sound


class _Recorder(Window):
    """A window that keeps what is dropped from it: whole blocks of events, and single marks."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        super().__init__(chunks)
        self._dropped: list[bytes] = []

    def drop(self, count: int) -> None:
        """Forget the next `count` bytes, but for a last look."""
        if count > 1:
            self._dropped.append(self.text[:count])
        super().drop(count)

    def taken(self) -> list[bytes]:
        """Return what was dropped since the last time."""
        dropped, self._dropped = self._dropped, []
        return dropped


def _block(texts: list[bytes], count: int) -> Iterator[bytes]:
    """Pass on the block of so many entries that is among the texts: as it is, or mended.

    The count tells a block that was read as a whole from one whose damage swallows its neighbours.
    """
    if count:
        attempts = (_mended(text, lambda text: _entries(text) == count) for text in texts)
        sound = next((text for text in attempts if text is not None), None)
        if sound is None:
            raise UncopyableError
        yield sound


def _mended(text: bytes, is_sound: Callable[[bytes], bool]) -> bytes | None:
    """Return a text as it is, or with as few mends as make it sound; None where none do."""
    for mends in ((), BLOCK_MENDS, EVENT_MENDS):
        mended, _ = mend(text, mends)
        if is_sound(mended):
            return mended
    return None


def _entries(text: bytes) -> int | None:
    """Count the entries of a block; None where it is no JSON."""
    try:
        text.decode()  # the decoder passes over strings that it does not need
        return len(decode_entries(b"[%b]" % text))
    except MALFORMED:
        return None


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except MALFORMED:
        return False
    return True
