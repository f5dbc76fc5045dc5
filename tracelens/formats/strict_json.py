"""Strict JSON, quickly: documents of ours out as bytes, and back in with one clear error.

What has no place in strict JSON is written so that every parser agrees on it: NaN and infinity
become null, and a lone surrogate (a file name or a trace that is not Unicode) is spelled out as the
six characters of its escape. So is what a terminal acts on and what nobody sees: of those, JSON
itself asks it of a few.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
import orjson

from tracelens.errors import TracelensError

_INDENT = b"  "
_HIDDEN = re.compile(
    r"[\x80-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Controls, what turns the direction of a line, and what takes no place on it."""
_ROW_ENCODER = msgspec.json.Encoder()

T = TypeVar("T")


class _Head(msgspec.Struct):
    schema: str


def dump(document: dict[str, Any] | list[Any]) -> bytes:
    """Return a document of builtins and `rows` as UTF-8 bytes, indented, with a last newline.

    Raises TypeError for an integer beyond 64 bits, which other parsers would round.
    """
    try:
        data = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # of a string: orjson has no class of its own for a lone surrogate
        data = orjson.dumps(
            _spell_surrogates(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        )
    return data if data.isascii() else _HIDDEN.sub(_spelled, data.decode()).encode()


def rows(values: Sequence[Any], *, depth: int) -> orjson.Fragment:
    """Return a list, one line per element, for a place in a document `depth` levels deep.

    A table of nine columns stays as many lines as it has rows, so that people can read and `grep`
    it too.
    """
    if not values:
        return orjson.Fragment(b"[]")
    try:
        lines = _ROW_ENCODER.encode_lines(values)
    except UnicodeEncodeError:
        lines = _ROW_ENCODER.encode_lines(_spell_surrogates(values))
    margin = b"\n" + _INDENT * depth
    # A newline inside a string is escaped, so each one left ends an element.
    body = lines.rstrip(b"\n").replace(b"\n", b"," + margin + _INDENT)
    return orjson.Fragment(b"[" + margin + _INDENT + body + margin + b"]")


def line(values: Sequence[int]) -> orjson.Fragment:
    """Return a list of numbers, all on one line, for a place in a document."""
    return orjson.Fragment(_ROW_ENCODER.encode(values))


def load(data: bytes, form: type[T], *, schema: str, source: str, error: type[TracelensError]) -> T:
    """Return the object of class `form` that strict JSON of that schema holds.

    `source` names the file in messages. Raises `error` where the bytes are not JSON, are of another
    or a newer schema, or lack what the schema promises.
    """
    try:
        found = msgspec.json.decode(data, type=_Head).schema
        if found == schema:
            return msgspec.json.decode(data, type=form)
    except msgspec.ValidationError as reason:
        raise error(
            f"{source} does not hold what {schema} promises: {reason}",
            "Pass a file that tracelens wrote and nothing changed.",
        ) from None
    # msgspec 0.18 has no class of its own for bytes that are not UTF-8.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as reason:
        raise error(
            f"{source} is damaged, or is not JSON: {reason}",
            "Make it again, or pass a file that tracelens wrote.",
        ) from None
    raise error(
        f"{source} is {found[:60]!r}: {schema} was expected", _way_out(found, wanted=schema)
    )


def _way_out(found: str, *, wanted: str) -> str:
    kind, _, version = wanted.rpartition("/")
    found_kind, _, found_version = found.rpartition("/")
    if found_kind != kind:
        return f"Pass a file whose schema is {wanted}."
    if found_version.isdecimal() and int(found_version[:9]) > int(version):
        return "A newer tracelens wrote it: pip install --upgrade tracelens-gpu."
    return "Make it again with this version of tracelens."


def _spelled(hidden: re.Match[str]) -> str:
    """Return a character of a string as JSON may spell any: both its halves where it has two."""
    halves = hidden[0].encode("utf-16-be").hex()
    return "".join(f"\\u{halves[at : at + 4]}" for at in range(0, len(halves), 4))


def _spell_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_spell_surrogates(k): _spell_surrogates(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spell_surrogates(v) for v in value]
    return value
