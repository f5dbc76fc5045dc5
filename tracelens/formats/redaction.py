"""Takes what is private out of text: who, where and with which keys, and what lies on their disk.

Private words that are known are replaced wherever they stand; everything else is recognised by its
form. A replacement is one word of capitals, so that source stays source and JSON stays JSON.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import accumulate
from typing import TypeVar, cast

from tracelens.formats.private_forms import FORMS
from tracelens.formats.private_words import PrivateWord

T = TypeVar("T")

PLACEHOLDERS = {
    "user name": "REDACTED_USER",
    "host name": "REDACTED_HOST",
    "job name": "REDACTED_JOB",
    "path": "REDACTED_PATH",
    "environment value": "REDACTED_ENVIRONMENT",
    "token": "REDACTED_TOKEN",
    "e-mail address": "REDACTED_EMAIL",
    "network address": "REDACTED_ADDRESS",
    "process name": "REDACTED_PROCESS",
}
"""What stands for a string of each kind. A field of a trace that was left out has no other."""

LEFT_OUT = "unlisted trace field"

_LONG_WORD = 6
"""A word of as many letters is replaced inside longer words too."""
_MOST_REMEMBERED = 100_000
_LITERALS = frozenset(
    {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
)


class Redactor:
    """Replaces private strings and keeps count.

    `counts` has how many strings of each kind were replaced, `found` which ones: that is for the
    eyes of their owner only.
    """

    def __init__(self, words: Iterable[PrivateWord] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.found: Counter[tuple[str, str]] = Counter()
        self._kinds = {word.text.lower(): word.kind for word in words}
        self._words = _any_of(self._kinds)
        self._remembered: dict[str, tuple[str, Counter[tuple[str, str]]]] = {}

    def text(self, text: str) -> str:
        """Return text without anything private."""
        known = self._remembered.get(text)
        if known is None:
            found: Counter[tuple[str, str]] = Counter()
            known = self._replaced(text, found), found
            if len(self._remembered) < _MOST_REMEMBERED:
                self._remembered[text] = known
        self._count(known[1])
        return known[0]

    def value(self, value: T) -> T:
        """Return a value of dataclasses and containers with every string in it redacted."""
        return self._changed(value)

    def source(self, source: str) -> str:
        """Return Python source whose names, strings and comments tell nothing private.

        Names only lose private words: `q@k.mT` in code is no address.
        """
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        except (tokenize.TokenError, SyntaxError):
            return self.text(source)
        for start, end, literal in reversed(_spans(source, tokens)):
            change = self.text if literal else self.words
            source = source[:start] + change(source[start:end]) + source[end:]
        return source

    def words(self, text: str) -> str:
        """Return text without private words; what is private by its form stays."""
        found: Counter[tuple[str, str]] = Counter()
        changed = self._without_words(text, found)
        self._count(found)
        return changed

    def note(self, kind: str, text: str) -> None:
        """Count something that was replaced or left out elsewhere."""
        self._count(Counter({(kind, text): 1}))

    def _count(self, found: Mapping[tuple[str, str], int]) -> None:
        for (kind, text), times in found.items():
            self.counts[kind] += times
            self.found[kind, text] += times

    def _replaced(self, text: str, found: Counter[tuple[str, str]]) -> str:
        for form in FORMS:
            text = form.pattern.sub(_Replacement(form.kind, form.private, found), text)
        return self._without_words(text, found)

    def _without_words(self, text: str, found: Counter[tuple[str, str]]) -> str:
        if self._words is None:
            return text

        def stand_in(match: re.Match[str]) -> str:
            kind = self._kinds[match[0].lower()]
            found[kind, match[0]] += 1
            return PLACEHOLDERS[kind]

        return self._words.sub(stand_in, text)

    def _changed(self, value: T) -> T:
        if isinstance(value, str):
            return cast(T, self.text(value))
        if isinstance(value, (tuple, list)):
            return cast(T, type(value)(map(self._changed, value)))
        if isinstance(value, Mapping):
            pairs = {self._changed(k): self._changed(v) for k, v in value.items()}
            return cast(T, pairs)
        if is_dataclass(value) and not isinstance(value, type):
            changes = {f.name: self._changed(getattr(value, f.name)) for f in fields(value)}
            return replace(value, **changes)
        return value


class _Replacement:
    """What `re.sub` calls for one form: the private part of a match is counted and replaced."""

    def __init__(
        self, kind: str, private: Callable[[re.Match[str]], str], found: Counter[tuple[str, str]]
    ) -> None:
        self._kind = kind
        self._private = private
        self._found = found

    def __call__(self, match: re.Match[str]) -> str:
        private = self._private(match)
        if not private or private in PLACEHOLDERS.values():
            return match[0]
        self._found[self._kind, private] += 1
        head, _, tail = match[0].partition(private)
        return head + PLACEHOLDERS[self._kind] + tail


def _any_of(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for the words, the longest first; short ones must stand alone."""
    ordered = sorted(words, key=len, reverse=True)
    if not ordered:
        return None
    alone = r"(?<![^\W_]){}(?![^\W_])"
    patterns = (
        re.escape(word) if len(word) >= _LONG_WORD else alone.format(re.escape(word))
        for word in ordered
    )
    return re.compile("|".join(patterns), re.IGNORECASE)


def _spans(source: str, tokens: Iterable[tokenize.TokenInfo]) -> list[tuple[int, int, bool]]:
    """Return where each token begins and ends, and whether it is a literal or a comment.

    What stands there is read from the source: a token of an f-string spells braces otherwise.
    """
    heads = [
        0,
        *accumulate(len(line) for line in io.StringIO(source)),
    ]  # lines as tokens count them
    return [
        (heads[t.start[0] - 1] + t.start[1], heads[t.end[0] - 1] + t.end[1], t.type in _LITERALS)
        for t in tokens
        if t.string.strip()
    ]
