"""The layouts of a Chrome trace: a bare event array, or an object that holds one anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracelens.errors import TraceError, TruncatedTraceError
from tracelens.formats.chrome_blocks import End, EventArray, Later
from tracelens.formats.chrome_columns import Part
from tracelens.formats.chrome_entries import Damage
from tracelens.formats.chrome_events import Event
from tracelens.formats.json_window import Window

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EVENTS_KEY = b'"traceEvents"'
_EVENTS = re.compile(rb'traceEvents"\s*:\s*(?=\[)')  # its own quote may end a damaged string
_NOT_A_TRACE = "Pass a trace that torch.profiler exported (export_chrome_trace)."
_BEGUN = (b"", b'"', b"{", b"[")  # what is left where a string or a container has no end
_KEYS_TOLD = 8
_HEADER_BYTES = 4 << 20  # what is kept of the values around the events
_BROKEN_HEADER_BYTES = 1 << 20  # what is searched for the events of an object past its damage


class ChromeDocument:
    """Iterates over the entries of a trace in blocks, and keeps what it meets around them.

    Iterating raises `TraceError` where there is no trace. After the last block `header` has the
    text of the other values by key, `open_ended` says whether a bare array lacks its bracket,
    and `cut` says why events may be missing, or is None.
    """

    def __init__(self, window: Window, *, recover: bool, later: Later | None = None) -> None:
        self.header: dict[bytes, bytes] = {}
        self.damage = Damage()
        self.open_ended = False
        self.cut: str | None = None
        self._window = window
        self._recover = recover
        self._later = later
        self._kept_bytes = 0
        self._rest_is_lost = False

    def __iter__(self) -> Iterator[list[Event] | Part]:
        window = self._window
        while len(window.text) < len(_BYTE_ORDER_MARK) and not window.ended:
            window.extend()
        if window.text.startswith(_BYTE_ORDER_MARK):
            window.drop(len(_BYTE_ORDER_MARK))
            self.damage.mended["byte_order_mark"] += 1
        first = window.peek()
        if first == b"[":
            yield from self._array(bare=True)
        elif first == b"{":
            yield from self._object()
        elif first:
            raise TraceError(f"it is not JSON: it begins with {window.text[:8]!r}", _NOT_A_TRACE)
        else:
            raise TraceError("it is empty", "Record the trace again.")
        if self.cut is None and not self._rest_is_lost:
            self._look_past_the_end()

    def _array(self, *, bare: bool) -> Iterator[list[Event] | Part]:
        array = EventArray(self._window, self.damage, recover=self._recover, later=self._later)
        yield from array
        found, begin, end = self._window.text[:1], self._window.position, self._window.end
        if array.end is End.OPEN and bare:
            self.open_ended = True
        elif array.end is End.OPEN:
            self.cut = f"it ends at byte {end:,}, inside its event array"
        elif array.end is End.CUT:
            event = f"the event that begins at byte {begin:,}"
            self.cut = f"it ends at byte {end:,} before {event} is whole"
        elif array.end is End.BROKEN:
            self.cut = f"{found!r} stands at byte {begin:,}, where an event should be"

    def _object(self) -> Iterator[list[Event] | Part]:
        window = self._window
        window.take(b"{")
        has_events = False
        while (key := window.take_string()) is not None and window.take(b":"):
            if key == _EVENTS_KEY and window.peek() == b"[":
                yield from self._array(bare=False)
                if self.cut is not None:
                    return
                has_events = True
            else:
                value = window.take_value()
                if value is None:
                    break
                self._keep(key, value)
            if not window.take(b","):
                break
        whole = window.take(b"}")
        if not has_events:
            yield from self._events_of_broken(whole=whole)
        elif not whole:
            self.damage.mended["header"] += 1
            self._rest_is_lost = True

    def _keep(self, key: bytes, value: bytes) -> None:
        self._kept_bytes += len(key) + len(value)
        if self._kept_bytes <= _HEADER_BYTES:
            self.header[key.strip(b'"')] = value

    def _events_of_broken(self, *, whole: bool) -> Iterator[list[Event] | Part]:
        """Read the events of an object that shows none where they belong, if it has any."""
        window = self._window
        events = None if whole else self._search_events()
        if events is not None:
            window.drop(events.end())
            self.damage.mended["header"] += 1
            yield from self._array(bare=False)
            self._rest_is_lost = True
        elif whole:
            keys = [repr(key.decode(errors="replace")) for key in [*self.header][:_KEYS_TOLD]]
            raise TraceError(
                f"its JSON object has no traceEvents array; its keys: {', '.join(keys) or 'none'}",
                _NOT_A_TRACE,
            )
        elif window.ended and window.text[:1] in _BEGUN:
            raise TruncatedTraceError(
                f"it ends at byte {window.end:,}, before its first event", "Record it again."
            )
        else:
            raise TraceError(f"it is not JSON at byte {window.position:,}", _NOT_A_TRACE)

    def _search_events(self) -> re.Match[bytes] | None:
        window = self._window
        while (events := _EVENTS.search(window.text)) is None:
            if window.ended or len(window.text) > _BROKEN_HEADER_BYTES:
                break
            window.extend()
        return events

    def _look_past_the_end(self) -> None:
        following = self._window.peek()
        if following in (b"{", b"["):
            self.cut = f"another JSON value follows the trace at byte {self._window.position:,}"
        elif following.strip(b"\0"):
            self.damage.mended["trailing"] += 1
