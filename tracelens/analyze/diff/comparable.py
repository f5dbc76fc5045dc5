"""What differs between two runs besides the build: the card, the protocol, the versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tracelens.model.measurement import Protocol
from tracelens.model.report import Cell, Column, Environment, Table

_MACHINE = {
    "device": "card",
    "compute_capability": "compute capability",
    "multiprocessors": "multiprocessors",
    "mig": "MIG",
    "cpu": "CPU",
}
"""Facts of the environment without which times cannot be compared. Versions are the build's own."""

_SAID_ELSEWHERE = frozenset({"trace"})

_COLUMNS = (Column(name="what"), Column(name="baseline"), Column(name="candidate"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not the same on both sides. With `bars` there is no ratio between them."""

    what: str
    baseline: Any
    candidate: Any
    bars: bool

    def __str__(self) -> str:
        """Spell it as a part of a sentence."""
        return f"{self.what} {_spell(self.baseline)} in the baseline, {_spell(self.candidate)} now"


def environment_differences(baseline: Environment, candidate: Environment) -> list[Difference]:
    """Compare where two runs were taken. A fact that one side does not know bars nothing."""
    found = []
    for name, before, after in _unequal(baseline, candidate):
        known = before is not None and after is not None
        what = _MACHINE.get(name, name.replace("_", " "))
        bars = name in _MACHINE and known
        if name not in _SAID_ELSEWHERE:
            found.append(Difference(what=what, baseline=before, candidate=after, bars=bars))
    return found


def protocol_differences(baseline: Protocol | None, candidate: Protocol | None) -> list[Difference]:
    """Compare how two runs were taken.

    What is a word, such as the cache state, says what a sample is, and bars a ratio; what is a
    number says how many there are. Of a device only its kind counts: `cuda:0` and `cuda:1` are
    told apart by the card.
    """
    if baseline is None or candidate is None:
        return []
    found = []
    for name, before, after in _unequal(baseline, candidate):
        what = name.replace("_", " ")
        if name == "device" and _kind(before) == _kind(after):
            continue
        bars = isinstance(before, str) or isinstance(after, str)
        found.append(Difference(what=what, baseline=before, candidate=after, bars=bars))
    return found


def window_differences(baseline: str | None, candidate: str | None) -> list[Difference]:
    """Compare what the windows of two traces are: a call and a whole trace have no ratio."""
    if baseline is None or candidate is None or baseline == candidate:
        return []
    return [Difference(what="window", baseline=baseline, candidate=candidate, bars=True)]


def difference_table(differences: Sequence[Difference]) -> tuple[Table, ...]:
    """Table what differs, or return nothing where nothing does."""
    rows = tuple((d.what, _cell(d.baseline), _cell(d.candidate)) for d in differences)
    return (Table(tag="differences", columns=_COLUMNS, rows=rows),) if rows else ()


def shared_environment(baseline: Environment, candidate: Environment) -> Environment:
    """Return what both sides have in common; the rest is None."""
    differing = {name: None for name, _, _ in _unequal(baseline, candidate)}
    return Environment(
        **{f.name: getattr(baseline, f.name) for f in fields(Environment)} | differing
    )


def _unequal(baseline: Any, candidate: Any) -> Iterator[tuple[str, Any, Any]]:
    for field in fields(baseline):
        before, after = getattr(baseline, field.name), getattr(candidate, field.name)
        if before != after:
            yield field.name, before, after


def _kind(device: str) -> str:
    return device.partition(":")[0]


def _spell(value: Any) -> str:
    return "unknown" if value is None else str(value)


def _cell(value: Any) -> Cell:
    return value if value is None or isinstance(value, (int, float, str, bool)) else str(value)
