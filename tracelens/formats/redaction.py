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
from functools import partial
from itertools import accumulate
from typing import Literal, TypeVar, cast
from unicodedata import normalize
from urllib.parse import quote

from tracelens.formats.addresses import is_version
from tracelens.formats.private_forms import FORMS, is_secret, is_setting
from tracelens.formats.private_words import PrivateWord, WordKind
from tracelens.model.cut import CUT

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

_LONG_WORD, _SHORT_WORD = 6, 2
"""A word of as many letters is replaced inside longer words too, and one of as few only where it
stands in a path, an address or a setting: half of all kernels have two letters of their own."""
_NORMAL: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
"""A letter with an accent is one character or two."""
_MOST_REMEMBERED = 100_000
_LITERALS = frozenset(
    {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
)
_NAMED = re.compile(r"(?P<name>[\w-]+)[\"']?\]?\s*(?::\s*\w+\s*)?[=:,]\s*\Z")
"""What stands before a string that has a name: `key = `, `key: str = `, `"key": `, `["key"] = `,
and `getenv("KEY", `."""
_STRING = re.compile(r"[A-Za-z]*([\"']{3}|[\"'])(?P<value>.*)\1", re.DOTALL)
_FORMATTED = re.compile(r"(?i)(?:f|fr|rf)[\"']")
_BRACES = re.compile(r"(\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})")
"""What is code in an f-string, which is one token before Python 3.12."""
_FAR_ENOUGH = 100
_HALF_WORD = re.compile(r"[^\s\"'(){}\[\]<>,;|]+\Z")
_SHORTEST_HALF = 3


class Redactor:
    """Replaces private strings and keeps count.

    `counts` has how many strings of each kind were replaced, `found` which ones: that is for the
    eyes of their owner only. `versions` are known to be those of packages: `9.10.2.21` could also
    be an address.
    """

    def __init__(self, words: Iterable[PrivateWord] = (), *, versions: Iterable[str] = ()) -> None:
        self._versions = frozenset(v for v in versions if is_version("version", v))
        self.counts: Counter[str] = Counter()
        self.found: Counter[tuple[str, str]] = Counter()
        known = {
            normalize(form, word.text).lower(): word.kind for word in words for form in _NORMAL
        }
        self._with_blanks = tuple(text for text in known if " " in text)
        self._kinds = {text: kind for text, kind in known.items() if kind != "path"}
        self._words = _any_of(self._kinds)
        self._folders = _any_folder(text for text, kind in known.items() if kind == "path")
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
            change = self._literal if literal else self.words
            if literal and (private := _value_named(source[:start], source[start:end])):
                change = partial(self._without_value, kind=private[0], value=private[1])
            elif literal and _holds_version(source[:start], source[start:end]):
                change = self.words
            source = source[:start] + change(source[start:end]) + source[end:]
        return source

    def _literal(self, literal: str) -> str:
        """Redact a string or comment; in an f-string the code between braces stays code."""
        if not _FORMATTED.match(literal):
            return self.text(literal)
        pieces = _BRACES.split(literal)
        changes = (self.text, self.words)  # what stood between braces is every other piece
        return "".join(changes[at % 2](piece) for at, piece in enumerate(pieces))

    def _without_value(self, literal: str, *, kind: str, value: str) -> str:
        self.note(kind, value)
        return literal.replace(value, PLACEHOLDERS[kind])

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
        if self._folders is not None:
            text = self._folders.sub(_Replacement("path", _whole, found), text)
        for form in FORMS:
            replacement = _Replacement(form.kind, form.private, found, kept=self._versions)
            text = form.pattern.sub(replacement, text)
        return self._without_words(text, found)

    def _without_halves(self, text: str) -> str:
        """Drop the word that a value ends with where it was cut, half of which no form would find.

        Source is never cut: there the sign stands for itself.
        """
        if CUT not in text:
            return text
        pieces = [_HALF_WORD.sub("", piece) for piece in text.split(CUT)[:-1]]
        for at, piece in enumerate(pieces):
            half = max((_half(piece.lower(), word) for word in self._with_blanks), default=0)
            pieces[at] = piece[: len(piece) - half]
        return CUT.join([*pieces, text.rpartition(CUT)[2]])

    def _without_words(self, text: str, found: Counter[tuple[str, str]]) -> str:
        if self._words is None:
            return text

        def stand_in(match: re.Match[str]) -> str:
            kind = self._kind(match[0])
            found[kind, match[0]] += 1
            return PLACEHOLDERS[kind]

        return self._words.sub(stand_in, text)

    def _kind(self, found: str) -> WordKind:
        """Return what a word is that was found, in letters that a pattern takes for its own."""
        kind = self._kinds.get(found.lower())
        if kind is not None:
            return kind
        return next(
            kind
            for text, kind in self._kinds.items()
            if re.fullmatch(re.escape(text), found, re.IGNORECASE)
        )

    def _changed(self, value: T) -> T:
        if isinstance(value, str):
            return cast(T, self.text(self._without_halves(value)))
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
        self,
        kind: str,
        private: Callable[[re.Match[str]], str],
        found: Counter[tuple[str, str]],
        *,
        kept: frozenset[str] = frozenset(),
    ) -> None:
        self._kept = kept
        self._kind = kind
        self._private = private
        self._found = found

    def __call__(self, match: re.Match[str]) -> str:
        private = self._private(match)
        if not private or private in self._kept or private in PLACEHOLDERS.values():
            return match[0]
        self._found[self._kind, private] += 1
        # a value stands behind its name, which may hold it: `--username user`
        by_name = "value" in match.re.groupindex
        at = match[0].rfind(private) if by_name else match[0].find(private)
        return match[0][:at] + PLACEHOLDERS[self._kind] + match[0][at + len(private) :]


def _whole(match: re.Match[str]) -> str:
    return match[0]


def _any_of(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for the words, the longest first; short ones must stand alone."""
    ordered = sorted(words, key=len, reverse=True)
    patterns = (
        re.escape(word) if len(word) >= _LONG_WORD else _alone(re.escape(word), len(word))
        for word in ordered
    )
    return re.compile("|".join(patterns), re.IGNORECASE) if ordered else None


def _alone(word: str, length: int) -> str:
    """Return a pattern for a word with no letter beside it; `bobKernel` is two words."""
    if length <= _SHORT_WORD:
        return rf"(?<![^\W_]){word}(?=[@/\\])|(?<=[@/\\~=]){word}(?![^\W_])"
    seam = r"(?-i:(?<=[a-z])(?=[A-Z]))"
    return rf"(?:(?<![^\W\d_])|{seam}){word}(?:(?![^\W\d_])|{seam})"


def _any_folder(paths: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for folders, as they are and as a URL has them, and what lies in them."""
    spelled = {way for path in paths for way in (path, quote(path), quote(path, safe=""))}
    ordered = sorted(spelled, key=len, reverse=True)
    inside = r"(?:[/\\]+[^\s\"'`<>|/\\]+)*"
    patterns = (re.escape(path) + inside for path in ordered)
    return re.compile("|".join(patterns), re.IGNORECASE) if ordered else None


def _value_named(before: str, literal: str) -> tuple[str, str] | None:
    """Return kind and text of a string where the code before it says that it is private."""
    name, by, value = _named_string(before, literal)
    if value in PLACEHOLDERS.values():
        return None
    if is_secret(name, value):
        return "token", value
    return ("environment value", value) if is_setting(name, value, by=by) else None


def _holds_version(before: str, literal: str) -> bool:
    """Say whether a string holds a version, by what the code before it says."""
    name, _, value = _named_string(before, literal)
    return is_version(name, value)


def _named_string(before: str, literal: str) -> tuple[str, str, str]:
    """Return the name that the code before a string gives it, by which mark, and what it holds."""
    name, string = _NAMED.search(before[-_FAR_ENOUGH:]), _STRING.fullmatch(literal)
    if name is None or string is None:
        return "", "", ""
    return name["name"], name[0].strip()[-1], string["value"]


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


def _half(text: str, word: str) -> int:
    """Return how many characters at the end of a text are the beginning of a word."""
    lengths = range(len(word) - 1, _SHORTEST_HALF - 1, -1)
    return next((n for n in lengths if text.endswith(word[:n])), 0)
