"""One entry of a Chrome trace: the fields that are read, in a struct that costs little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Raw, Struct, ValidationError, field, json
from msgspec.structs import FieldInfo, fields

from tracelens.formats.labels import Id

_NO_ID = -1
_NO_SHAPE = (-1, -1, -1)
_NO_TEXT = Raw(b"")


class Arguments(Struct, gc=False, frozen=True):
    """What `args` says of a call or a piece of device work, under the names of every writer."""

    correlation: Id = _NO_ID
    external_id: Id = field(default=_NO_ID, name="External id")
    external_id_2021: Id = field(default=_NO_ID, name="external id")
    stream: Id = None
    device: Id = None
    grid: tuple[int, int, int] = _NO_SHAPE
    block: tuple[int, int, int] = _NO_SHAPE
    registers: Id = field(default=_NO_ID, name="registers per thread")
    shared_memory: Id = field(default=_NO_ID, name="shared memory")
    bytes_moved: Id = field(default=_NO_ID, name="bytes")
    bytes_moved_2021: Id = field(default=_NO_ID, name="Bytes")
    sizes: Raw = field(default=_NO_TEXT, name="Input Dims")
    types: Raw = field(default=_NO_TEXT, name="Input type")


_NO_ARGUMENTS = Arguments()


class Event(Struct, gc=False):
    """An entry of `traceEvents`. Times stay the text that the file has: see `decimals`.

    What is no object in the file is an event without a phase (`ph`), which no reader looks at.
    """

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: Id = None
    tid: Id = None
    id: Id = _NO_ID
    ts: Raw = Raw(b"")
    dur: Raw = Raw(b"")
    args: Arguments = _NO_ARGUMENTS


decode_events = json.Decoder(list[Event]).decode
"""Decode a JSON array of entries. Raises where one field of one entry is not as it should be."""

decode_entries = json.Decoder(list[Raw]).decode
_decode_event = json.Decoder(Event).decode
_decode_object = json.Decoder(dict[str, Raw]).decode

_NULL = b"null"


def decode_odd_event(text: bytes | memoryview | Raw) -> tuple[Event, bool]:
    """Decode one entry that may have fields of the wrong type, and say whether it has.

    Such a field counts as absent, but a name that is no string is shown as the file spells it.
    """
    try:
        return _decode_event(text), False
    except ValidationError:
        pass
    try:
        entry = _decode_object(text)
    except ValidationError:
        return Event(), True
    arguments, odd_arguments = _arguments(entry.pop("args", Raw(b"{}")))
    fitting, odd = _fitting(Event, entry)
    return Event(**fitting, args=arguments), odd or odd_arguments


def _arguments(text: Raw) -> tuple[Arguments, bool]:
    try:
        values = _decode_object(text)
    except ValidationError:
        return _NO_ARGUMENTS, bytes(text) != _NULL
    fitting, odd = _fitting(Arguments, values)
    return Arguments(**fitting), odd


_FIELDS: dict[type[Struct], list[tuple[FieldInfo, Callable[[Raw], Any]]]] = {
    record: [(known, json.Decoder(known.type).decode) for known in fields(record)]
    for record in (Event, Arguments)
}


def _fitting(record: type[Struct], values: dict[str, Raw]) -> tuple[dict[str, Any], bool]:
    """Keep the values that fit the record's fields, and say whether one does not."""
    fitting: dict[str, Any] = {}
    odd = False
    for known, decode in _FIELDS[record]:
        text = values.get(known.encode_name)
        if text is None:
            continue
        try:
            fitting[known.name] = decode(text)
        except ValidationError:
            spelled = bytes(text)
            if known.type == Id and spelled.endswith(b".0"):
                fitting[known.name] = spelled.removesuffix(b".0").decode()
                continue
            odd = odd or spelled != _NULL
            if known.name == "name":
                fitting["name"] = spelled.decode(errors="replace")
    return fitting, odd
