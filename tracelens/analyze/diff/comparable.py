"""What differs between two runs besides the build: the card, the protocol, the versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tracelens.model.measurement import Protocol
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Cell, Column, Environment, Table

_MACHINE = {
    "device": "card",
    "compute_capability": "compute capability",
    "multiprocessors": "multiprocessors",
    "mig": "MIG",
    "cpu": "CPU",
}
"""Facts of the environment without which times cannot be compared. Versions are the build's own."""

_CALLED = {
    **_MACHINE,
    "cuda": "CUDA",
    "python": "Python",
    "os": "operating system",
    "variables": "environment variables",
    "sm_clock_limit_mhz": "limit of the SM clock",
    "memory_clock_limit_mhz": "limit of the memory clock",
    "power_limit_mw": "power limit",
}
"""Facts of the environment that are not called by the name of their field."""

_CALLED_IN_PROTOCOL = {
    "warmup_calls": "warm-up calls",
    "warmup_ns": "warm-up, at least",
    "batch": "calls a batch",
    "head_calls": "profiled calls that do not count",
    "grad_mode": "gradients",
}

_SAID_ELSEWHERE = frozenset({"trace"})

_COLUMNS = (Column(name="what"), Column(name="baseline"), Column(name="candidate"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not the same on both sides, as a person says it; None where unknown.

    With `bars` there is no ratio between them.
    """

    what: str
    baseline: Cell
    candidate: Cell
    bars: bool

    def __str__(self) -> str:
        """Spell it as a part of a sentence."""
        before, after = (
            "unknown" if value is None else value for value in (self.baseline, self.candidate)
        )
        return f"{self.what} {before} in the baseline, {after} now"


def environment_differences(baseline: Environment, candidate: Environment) -> list[Difference]:
    """Compare where two runs were taken. A fact that one side does not know bars nothing."""
    found = []
    for name, before, after in _unequal(baseline, candidate):
        known = before is not None and after is not None
        if name not in _SAID_ELSEWHERE:
            what = _CALLED.get(name, name.replace("_", " "))
            bars = name in _MACHINE and known
            found.append(_difference(what, name, (before, after), bars=bars))
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
        if name == "device" and _kind(before) == _kind(after):
            continue
        what = _CALLED_IN_PROTOCOL.get(name, name.replace("_", " "))
        bars = isinstance(before, str) or isinstance(after, str)
        found.append(_difference(what, name, (before, after), bars=bars))
    return found


def window_differences(baseline: str | None, candidate: str | None) -> list[Difference]:
    """Compare what the windows of two traces are: a call and a whole trace have no ratio."""
    if baseline is None or candidate is None or baseline == candidate:
        return []
    return [Difference(what="window", baseline=baseline, candidate=candidate, bars=True)]


def difference_table(differences: Sequence[Difference]) -> tuple[Table, ...]:
    """Table what differs, or return nothing where nothing does."""
    rows = tuple((d.what, d.baseline, d.candidate) for d in differences)
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


def _difference(what: str, name: str, values: tuple[Any, Any], *, bars: bool) -> Difference:
    """Spell both values; of dicts what is not the same in both."""
    if all(isinstance(value, dict) for value in values):
        same = values[0].items() & values[1].items()
        values = dict(values[0].items() - same), dict(values[1].items() - same)
    before, after = (_spell(name, value) for value in values)
    return Difference(what=what, baseline=before, candidate=after, bars=bars)


def _spell(name: str, value: Any) -> Cell:
    """Return a value of the field of that name, which says its unit, as a person says it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return ", ".join(f"{key} {value[key] or 'empty'}" for key in sorted(value)) or "none"
    if isinstance(value, tuple):  # an older run does not say what the op was called with
        return "; ".join(map(str, value)) or None
    if isinstance(value, int):
        return _with_unit(name, value)
    return value if value is None else str(value)


def _with_unit(name: str, number: int) -> Cell:
    if name.endswith("_ns"):
        return spell_ns(number)
    if name.endswith("_mhz"):
        return f"{number:,} MHz"
    return f"{number / 1000:g} W" if name.endswith("_mw") else number
