"""What `expect` in an op file may say: a table of the kernels that must run.

    expect = {"kernel": "nvjet*", "tile": "64x8", "splitK": True}    # one kernel, in every case
    expect = [{...}, {...}]                                          # several: all of them must run

An entry names a kernel by `kernel`, a pattern, or by `family`, or both. Every other key is a field
of its configuration and the value that it must have, but for these four:

    "case": "m1*", "variant": "fast"          which cases and variants it is about, as patterns
    "config": (16, 1, 1, 2)                   values for the names that `configs` has for the kernel
    "by_case": {"m1": (16, 1, 1, 2), ...}     a tuned table: by case a config, or a dict like this
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracelens.errors import OpFileError
from tracelens.measure.failure import gist
from tracelens.measure.values import spell_value
from tracelens.model.expectation import ExpectedKernel, ExpectedValue, matches

_PATTERNS = ("kernel", "family", "case", "variant")
_CONFIG, _BY_CASE, _CALLS = "config", "by_case", "calls"
_MOST = 2**63
"""A run keeps integers of 64 bits."""
_EXAMPLE = 'Write `expect = {"kernel": "nvjet*", "tile": "64x8"}`, or a list of such dicts.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The names of an op file that an expectation may refer to."""

    cases: Sequence[str]
    variants: Sequence[str]
    configs: Mapping[str, tuple[str, ...]]


def read_expected(stated: object, known: Known, path: Path) -> tuple[ExpectedKernel, ...]:
    """Return what an op file's `expect` states, an entry for each kernel and row of a table.

    Raises OpFileError, naming the entry, where it cannot be read or names no case or variant.
    """
    if stated is None:
        return ()
    if isinstance(stated, Mapping):
        return tuple(_Entry("expect", path, known).read(stated))
    if not isinstance(stated, (list, tuple)):
        raise _Entry("expect", path, known).refused(stated, "a dict, or a list of dicts")
    read: list[ExpectedKernel] = []
    for number, entry in enumerate(stated):
        read += _Entry(f"expect[{number}]", path, known).read(entry)
    return tuple(read)


def spell_stated(stated: object) -> str:
    """Return what an op file states as it would be written, on one line.

    Not everything can be: an object's own `__repr__` may raise, an integer be too long for text.
    """
    try:
        return gist(repr(stated))
    except Exception:  # the op file's own code
        return spell_value(stated)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A place in the op file, for messages, and what may be named there."""

    where: str
    path: Path
    known: Known

    def read(self, stated: object) -> Iterator[ExpectedKernel]:
        if not isinstance(stated, Mapping) or not all(isinstance(key, str) for key in stated):
            raise self.refused(stated, "a dict of a kernel and its fields")
        if _BY_CASE in stated:
            yield from self.at(_BY_CASE)._table(stated)
            return
        patterns = {name: self._pattern(name, stated.get(name)) for name in _PATTERNS}
        kernel = patterns["kernel"]
        if kernel is None and patterns["family"] is None:
            raise self.refused(stated, "a dict with `kernel`, a pattern for its name, or `family`")
        self._require("case", patterns["case"], self.known.cases)
        self._require("variant", patterns["variant"], self.known.variants)
        fields = {
            name: self.at(name)._value(value)
            for name, value in stated.items()
            if name not in (*_PATTERNS, _CONFIG)
        }
        if _CONFIG in stated:
            config = self.at(_CONFIG)._config(stated[_CONFIG], kernel)
            twice = sorted(fields.keys() & config.keys())
            if twice:
                raise self.refused(stated, f"an entry that says {', '.join(twice)} once")
            fields |= config
        self._require_count(fields.get(_CALLS, 0))
        yield ExpectedKernel(**patterns, fields=fields)

    def at(self, key: str) -> _Entry:
        return _Entry(f"{self.where}[{key!r}]", self.path, self.known)

    def refused(self, found: object, needed: str) -> OpFileError:
        return OpFileError(
            f"{self.where} in {self.path} is {spell_stated(found)}; it must be {needed}.", _EXAMPLE
        )

    def _pattern(self, name: str, stated: object) -> str | None:
        if stated is None or (isinstance(stated, str) and stated):
            return stated
        raise self.at(name).refused(stated, "a text, such as 'nvjet*'")

    def _require(self, kind: str, pattern: str | None, names: Sequence[str]) -> None:
        """Refuse a pattern that is about nothing: it would be an expectation that is never held."""
        if pattern is not None and not any(matches(pattern, name) for name in names):
            raise self.at(kind).refused(
                pattern, f"a {kind} of the file: {', '.join(names) or 'it has none'}"
            )

    def _require_count(self, calls: ExpectedValue) -> None:
        if type(calls) is not int or calls < 0:
            raise self.at(_CALLS).refused(calls, "how many launches one call makes: 0, 1, 2 ...")

    def _value(self, stated: object) -> ExpectedValue:
        if isinstance(stated, bool):
            return stated
        if isinstance(stated, str):
            return str(stated)
        if isinstance(stated, int) and abs(stated) < _MOST:
            return int(stated)  # and no member of an IntEnum, which is spelled by its name
        if isinstance(stated, (list, tuple)) and stated and all(type(n) is int for n in stated):
            return "x".join(map(str, stated))
        raise self.refused(
            stated, "a whole number, a text, True or False, or a shape such as (132, 1, 1)"
        )

    def _config(self, stated: object, kernel: str | None) -> dict[str, ExpectedValue]:
        names = self.known.configs.get(kernel or "")
        if names is None:
            configs = ", ".join(self.known.configs) or "it has none"
            raise self.refused(stated, f"for a kernel that `configs` names ({configs})")
        if not isinstance(stated, (list, tuple)) or len(stated) != len(names):
            raise self.refused(stated, f"a value each for {', '.join(names)}")
        return {
            name: self.at(name)._value(value) for name, value in zip(names, stated, strict=True)
        }

    def _table(self, entry: Mapping[str, Any]) -> Iterator[ExpectedKernel]:
        """Read an entry once for each row of its table; a row says what the entry leaves open."""
        table = entry[_BY_CASE]
        if not isinstance(table, Mapping) or not table or "case" in entry:
            raise self.refused(table, "a dict by case, and the only word on cases")
        unknown = [case for case in table if case not in self.known.cases]
        if unknown:
            cases = ", ".join(self.known.cases) or "it has none"
            raise self.refused(unknown[0], f"a dict by case of the file: {cases}")
        for case, row in table.items():
            stated = row if isinstance(row, Mapping) else {_CONFIG: row}
            if "case" in stated or _BY_CASE in stated:
                raise self.at(case).refused(row, "a row of the table, which is about its own case")
            rest = {name: value for name, value in entry.items() if name != _BY_CASE}
            yield from self.at(case).read({**rest, **stated, "case": case})
