"""What writers of traces get wrong in JSON, mended without touching a number.

Each mend takes damaged text and returns mended text and how often it had to. None of them guesses
a value: a bare `inf` becomes null, a bad byte in a name becomes the replacement character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from tracelens.formats.json_text import brackets, strings

Mend = Callable[[bytes], tuple[bytes, int]]

_DEEPEST = 64
"""Levels of nesting that are kept; nothing that is read lies deeper."""

_REPLACEMENT = b"\xef\xbf\xbd"  # U+FFFD in UTF-8

_NONFINITE = re.compile(rb"[iInN](?:[nN][fF](?:inity)?|[aA][nN](?:\((?:ind|snan)\))?)(?=\s*[,\]}])")
_VALUE_SO_FAR = re.compile(rb'"\s*:[\[\s\w.,+-]*\Z')
"""Key, colon, and no more than numbers: what stands before a bare value and before no text."""

_VALUE_REACH = 400

_HEX = rb"[0-9a-fA-F]"
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u%b{4})?' % _HEX)
_SURROGATE = re.compile(
    rb"(\\\\|\\u[dD][89abAB]%b{2}\\u[dD][c-fC-F]%b{2})|\\u[dD][89a-fA-F]%b{2}" % (_HEX, _HEX, _HEX)
)
_UNPRINTABLE = bytes(set(range(32)) - set(b"\t\r\n"))
_SPACING = re.compile(rb"[\t\r\n]")

_MARK = re.compile(rb'["{}\[\]:,]')
_KEY_END = re.compile(rb'"(?=\s*:)')
_MEMBER_END = re.compile(rb'"(?=\s*(?:\}|,\s*"[^"\\]*"\s*:))')
_ELEMENT_END = re.compile(rb'"(?=\s*(?:\]|,\s*["\[{\d\-tfn]))')
_ANY_END = re.compile(rb'"(?=\s*[,:}\]])')
_SWALLOWED = re.compile(rb'"\s*:|\}\s*,\s*\{')
"""What a string has in it if it is more than one: a key, or the end of an event and the next."""

_ESCAPED_OR_BARE = re.compile(rb'\\.|["\\]', re.DOTALL)


def mend_encoding(text: bytes) -> tuple[bytes, int]:
    """Replace bytes that are not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        mended = text.decode(errors="replace").encode()
        return mended, mended.count(_REPLACEMENT) - text.count(_REPLACEMENT)
    return text, 0


def mend_nonfinite(text: bytes) -> tuple[bytes, int]:
    """Write null for a bare inf or nan, as the languages of the writers print them."""
    mended: list[bytes] = []
    done = count = 0
    for bare in _NONFINITE.finditer(text):
        start = bare.start() - (text[bare.start() - 1 : bare.start()] == b"-")
        if _VALUE_SO_FAR.search(text, max(0, start - _VALUE_REACH), start):
            mended += (text[done:start], b"null")
            done = bare.end()
            count += 1
    return b"".join([*mended, text[done:]]), count


def mend_surrogates(text: bytes) -> tuple[bytes, int]:
    r"""Replace `\ud800` and its like where they do not come in pairs."""
    if rb"\ud" not in text and rb"\uD" not in text:
        return text, 0
    lone = 0

    def replaced(match: re.Match[bytes]) -> bytes:
        nonlocal lone
        lone += match[1] is None
        return match[0] if match[1] else rb"\ufffd"

    mended = _SURROGATE.sub(replaced, text)
    return mended, lone


def mend_unprintables(text: bytes) -> tuple[bytes, int]:
    """Escape control characters that stand raw in the text."""
    if len(text.translate(None, _UNPRINTABLE)) == len(text):
        return text, 0
    return re.compile(b"[%b]" % _UNPRINTABLE).subn(_as_escape, text)


def _as_escape(character: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % character[0][0]


def mend_escapes(text: bytes) -> tuple[bytes, int]:
    r"""Double the backslashes of every string with one that escapes nothing.

    A writer that left `C:\Users` as it is meant none of that string's backslashes as escapes.
    """
    mended: list[bytes] = []
    done = count = 0
    for escape in _ESCAPE.finditer(text):
        if len(escape[0]) > 1 or escape.start() < done:
            continue
        opening = _opening_quote(text, escape.start(), done)
        closing = _ANY_END.search(text, escape.end())
        if opening < 0 or closing is None:
            break
        content = text[opening + 1 : closing.start()]
        mended += (text[done : opening + 1], re.sub(rb'\\(?!")', rb"\\\\", content))
        done = closing.start()
        count += 1
    return b"".join([*mended, text[done:]]), count


def _opening_quote(text: bytes, inside: int, floor: int) -> int:
    """Find the quote that opens the string around a position, or -1."""
    quote = text.rfind(b'"', floor, inside)
    while quote > 0 and text[quote - 1 : quote] == b"\\":
        quote = text.rfind(b'"', floor, quote)
    return quote


def mend_spacing(text: bytes) -> tuple[bytes, int]:
    """Escape line breaks and tabs inside strings. For one event: it looks at every string."""
    mended: list[bytes] = []
    done = count = 0
    for start, end in strings(text):
        string, found = _SPACING.subn(_as_escape, text[start:end])
        if found:
            mended += (text[done:start], string)
            done = end
            count += 1
    return b"".join([*mended, text[done:]]), count


def mend_nesting(text: bytes) -> tuple[bytes, int]:
    """Write null for what lies deeper than 64 levels. For one event: it looks at every bracket."""
    if text.count(b"{") + text.count(b"[") <= _DEEPEST:
        return text, 0
    mended: list[bytes] = []
    done = depth = count = 0
    for place, bracket in brackets(text):
        if bracket in b"{[":
            depth += 1
            if depth == _DEEPEST + 1:
                mended += (text[done:place], b"null")
                count += 1
        else:
            if depth == _DEEPEST + 1:
                done = place + 1
            depth -= 1
    return b"".join([*mended, text[done:]]), count


def mend_quotes(text: bytes) -> tuple[bytes, int]:
    """Escape quotes inside strings. For one event: it follows the object from its first brace.

    A string ends at the first quote after which comes what must: a colon after a key, the next key
    or the end after a value. Where no quote is like that the text is left as it is.
    """
    mended: list[bytes] = []
    open_brackets: list[bytes] = []
    at = count = 0
    is_value = False
    while (mark := _MARK.search(text, at)) is not None:
        mended.append(text[at : mark.end()])
        at = mark.end()
        if mark[0] == b'"':
            in_array = open_brackets[-1:] == [b"["]
            end = _ELEMENT_END if in_array else _MEMBER_END if is_value else _KEY_END
            closing = end.search(text, at)
            content = text[at : closing.start()] if closing else b""
            if closing is None or _SWALLOWED.search(content):
                return text, 0
            escaped = _ESCAPED_OR_BARE.sub(_escaped, content)
            count += escaped != content
            mended += (escaped, b'"')
            at = closing.end()
        elif mark[0] in b"{[":
            open_brackets.append(mark[0])
        elif mark[0] in b"}]" and open_brackets:
            open_brackets.pop()
        is_value = mark[0] == b":"
    return b"".join([*mended, text[at:]]), count


def _escaped(match: re.Match[bytes]) -> bytes:
    return match[0] if len(match[0]) == 2 else b"\\" + match[0]


BLOCK_MENDS: tuple[tuple[str, Mend], ...] = (
    ("encoding", mend_encoding),
    ("nonfinite", mend_nonfinite),
    ("surrogates", mend_surrogates),
    ("control_characters", mend_unprintables),
    ("escapes", mend_escapes),
)
"""Mends that need no event around the damage, and so may have a whole block at once."""

EVENT_MENDS = (*BLOCK_MENDS, ("control_characters", mend_spacing), ("nesting", mend_nesting))
"""Mends for one event, where its quotes are as they should be."""

QUOTE_MENDS = (*BLOCK_MENDS, ("quotes", mend_quotes), *EVENT_MENDS[len(BLOCK_MENDS) :])
"""Mends for one event, where they may not be."""


def mend(text: bytes, mends: Iterable[tuple[str, Mend]]) -> tuple[bytes, Counter[str]]:
    """Apply mends in their order. Returns the text and how often each had something to mend."""
    counts: Counter[str] = Counter()
    for kind, mending in mends:
        text, count = mending(text)
        counts[kind] += count
    return text, +counts
