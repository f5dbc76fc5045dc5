"""One record of a run as one line of JSON, for a stream between processes."""

from __future__ import annotations

from typing import get_args

import msgspec

from tracelens.model.measurement import Record

_TYPES: dict[str, type] = {record.__name__: record for record in get_args(Record)}


class _Envelope(msgspec.Struct, forbid_unknown_fields=True):
    type: str
    record: msgspec.Raw


def encode_record(record: Record) -> bytes:
    """Return the record as one line, newline included. It names the record's type."""
    body = msgspec.Raw(msgspec.json.encode(record))
    return msgspec.json.encode(_Envelope(type(record).__name__, body)) + b"\n"


def decode_record(line: bytes) -> Record:
    """Return the record that a line holds. Raises ValueError where it holds none."""
    try:
        envelope = msgspec.json.decode(line, type=_Envelope)
        record: Record = msgspec.json.decode(envelope.record, type=_TYPES[envelope.type])
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"not a record: {error}") from error
    return record
