"""Events and header of a Chrome trace, written again without what is private."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Raw, json

from tracelens.formats.chrome_entries import MALFORMED
from tracelens.formats.chrome_events import decode_entries
from tracelens.formats.public_fields import ARGUMENTS, DEVICE, EVENT, HEADER
from tracelens.formats.redaction import LEFT_OUT, PLACEHOLDERS, Redactor

Fields = dict[str, Raw]

decode_fields = json.Decoder(Fields).decode
_decode_text = json.Decoder(str).decode

_PROCESS = b'"process_name"'
_OWN_PROCESS = re.compile(r"(?:python[\d.]*|pt_\w+|GPU \d+|stream \d+ ?|CPU|)")
_MOST_REMEMBERED = 200_000
_UNREADABLE = b'"unreadable"'


class RedactedEvents:
    """Redacts events one at a time. Equal texts are redacted once and counted each time."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._arguments: dict[bytes, bytes] = {}

    def event(self, fields: Fields) -> bytes:
        """Return an event as JSON, with the numbers spelled as they were."""
        kept = []
        for key, value in fields.items():
            if key == "args":
                kept.append(b'"args":' + self._args(value, fields.get("name")))
            elif key in EVENT:
                kept.append(b'"%b":%b' % (key.encode(), self._value(value)))
            else:
                self._redactor.note(LEFT_OUT, key)
        return b"{" + b",".join(kept) + b"}"

    def header(self, header: dict[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries beside the events that are about the device and the recorder."""
        for key, value in header.items():
            name = key.decode(errors="replace")
            if name == "deviceProperties":
                yield key, self._devices(value)
            elif name in HEADER:
                yield key, self._value(Raw(value))
            else:
                self._redactor.note(LEFT_OUT, name)

    def _devices(self, value: bytes) -> bytes:
        try:
            devices = json.decode(value, type=list[Fields])
        except MALFORMED:
            return b"[]"
        return b"[" + b",".join(self._listed(device, DEVICE) for device in devices) + b"]"

    def _args(self, value: Raw, name: Raw | None) -> bytes:
        text = bytes(value)
        if name is not None and bytes(name) == _PROCESS:
            return self._process(value)
        known = self._arguments.get(text)
        if known is not None:
            return known
        counted = sum(self._redactor.counts.values())
        args = self._listed(_fields(value), ARGUMENTS)
        # what had nothing private in it needs no second look, and most arguments have nothing
        clean = sum(self._redactor.counts.values()) == counted
        if clean and len(self._arguments) < _MOST_REMEMBERED:
            self._arguments[text] = args
        return args

    def _listed(self, fields: Fields, listed: frozenset[str]) -> bytes:
        kept = []
        for key, value in fields.items():
            if key in listed:
                kept.append(b"%b:%b" % (json.encode(key), self._value(value)))
            elif _holds_text(value):
                self._redactor.note(LEFT_OUT, key)
            else:
                kept.append(b"%b:%b" % (json.encode(self._redactor.text(key)), bytes(value)))
        return b"{" + b",".join(kept) + b"}"

    def _process(self, value: Raw) -> bytes:
        """Redact the name of a process: a command line may stand there, or what a job is called."""
        try:
            name = _decode_text(_fields(value).get("name", b'""'))
        except MALFORMED:
            name = ""
        if not _OWN_PROCESS.fullmatch(name):
            self._redactor.note("process name", name)
            name = PLACEHOLDERS["process name"]
        return b'{"name":%b}' % json.encode(name)

    def _value(self, value: Raw) -> bytes:
        return _with_texts(bytes(value), self._redactor.text) if _holds_text(value) else value


def entries(block: bytes) -> Iterator[Fields]:
    """Yield the events of a block of a `ChromeCopy`; what is no object is passed over."""
    for entry in decode_entries(b"[%b]" % block):
        try:
            yield decode_fields(entry)
        except MALFORMED:
            continue


def texts_of(value: bytes) -> Iterator[str]:
    """Yield every string in a JSON value, keys of objects too."""
    seen: list[str] = []

    def see(text: str) -> str:
        seen.append(text)
        return text

    _with_texts(value, see)
    yield from seen


def _fields(value: Raw) -> Fields:
    try:
        return decode_fields(value)
    except MALFORMED:
        return {}


def _holds_text(value: Raw) -> bool:
    return b'"' in bytes(value)


def _with_texts(value: bytes, change: Callable[[str], str]) -> bytes:
    """Return JSON with each string changed, numbers and structure as they are."""
    head = value.lstrip()[:1]
    try:
        if head == b'"':
            return json.encode(change(_decode_text(value)))
        if head == b"[":
            items = json.decode(value, type=list[Raw])
            return b"[" + b",".join(_with_texts(bytes(item), change) for item in items) + b"]"
        if head == b"{":
            pairs = (
                json.encode(change(key)) + b":" + _with_texts(bytes(item), change)
                for key, item in decode_fields(value).items()
            )
            return b"{" + b",".join(pairs) + b"}"
    except MALFORMED:
        return _UNREADABLE
    return value
