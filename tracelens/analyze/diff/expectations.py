"""Predictions beside what came: an experiment ends with met, missed, or cannot tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tracelens.analyze.change import Change
from tracelens.analyze.diff.quantities import NAMES
from tracelens.errors import UsageError
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Column, Finding, Section, Table

Outcome = Literal["met", "missed, higher", "missed, lower", "cannot tell"]

GEOMEAN = "geomean"

_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01, "x": 1.0}
_FIGURE = r"([+-]?)(\d+(?:\.(\d+))?)\s*(ns|us|ms|s|%|x)?"
_MARGIN = r"(?:\s*(?:\+/-|\u00b1)\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s|%|x)?)?"
_BEFORE = r"(?P<before>\d+(?:\.\d+)?\s*(?:ns|us|ms|s)\s*->\s*)?"
_RANGE = re.compile(rf"{_FIGURE}\s*\.\.\s*{_FIGURE}", re.ASCII)
_CLAIM = re.compile(rf"{_BEFORE}{_FIGURE}{_MARGIN}", re.ASCII)
_STEMS = {name: stem for stem, name in reversed(NAMES.items())} | {stem: stem for stem in NAMES}
"""Of what a quantity is called in reports and on the command line; of two of one name the first."""
_COUNTS = frozenset({"kernels", "launches"})
_HINT = (
    'write "kernel: -20% +/- 3%", "kernel: 13.8us -> 17us", "full: 8us..12us", "full: 1.31x" or '
    '"geomean: 1.31x"; ratios are candidate / baseline'
)
_LONGEST = 200
"""Characters of a prediction: longer ones are no prediction."""

_UNKNOWN = "not measured"
_OUTCOMES = {"missed": "prediction missed, ", "cannot tell": "nobody can tell of a prediction"}

_COLUMNS = (
    Column(name="quantity"),
    Column(name="expected"),
    Column(name="found"),
    Column(name="outcome"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What somebody expects of one quantity: a ratio, or a time in ns, between two bounds."""

    stem: str
    text: str
    low: float
    high: float
    unit: Literal["%", "x", "time"]

    def outcome(self, change: Change) -> Outcome:
        """Hold it against what came.

        Met where the whole interval lies within the bounds, missed where all of it lies outside.
        Where it reaches across a bound, or there is none, nobody can tell.
        """
        _, low, high = self._found(change)
        if low is None or high is None:
            return "cannot tell"
        if self.low <= low and high <= self.high:
            return "met"
        if low > self.high:
            return "missed, higher"
        return "missed, lower" if high < self.low else "cannot tell"

    def spell_found(self, change: Change) -> str:
        """Return what came, in the terms of the expectation, and between which ends it lies."""
        figures = [figure for figure in self._found(change) if figure is not None]
        spelled = [self._spell(figure) for figure in figures]
        if not spelled:
            return _UNKNOWN
        return spelled[0] + (f" ({spelled[1]} to {spelled[2]})" if len(spelled) == 3 else "")

    def _spell(self, figure: float) -> str:
        if self.unit == "time":
            return spell_ns(figure)
        return f"{figure:.3f}x" if self.unit == "x" else f"{100 * (figure - 1):+.1f} %"

    def _found(self, change: Change) -> tuple[float | None, float | None, float | None]:
        """Return the figure and its interval, wider by what another process might have shown."""
        found = change.ratio, change.ratio_low, change.ratio_high
        if self.unit == "time":
            found = change.candidate, change.candidate_low, change.candidate_high
        here, low, high = found
        times = 1 + change.luck
        return here, None if low is None else low / times, None if high is None else high * times


def read_predictions(claims: Iterable[str]) -> tuple[list[Expectation], list[Finding]]:
    """Read what op files predict. One that means nothing is a finding: it costs only itself."""
    read, wrong = [], []
    for claim in dict.fromkeys(claims):
        try:
            read.append(read_expectation(claim))
        except UsageError as error:
            wrong.append(
                Finding(
                    tag="prediction/unreadable",
                    severity="error",
                    fact=f"the op file predicts what cannot be read: {error.fact}",
                    advice=error.hint,
                )
            )
    return read, wrong


def read_expectation(text: str) -> Expectation:
    """Read `quantity: claim`.

    A claim is a change (`-20% +/- 3%`), a ratio candidate / baseline (`1.31x`), a time
    (`13.8us -> 17us` or `17us`) or a range of one of them (`8us..12us`). A figure without `+/-`
    claims half a unit of its last digit. Raises UsageError for anything else.
    """
    name, colon, claim = text[:_LONGEST].partition(":")
    name, claim = " ".join(name.split()), claim.strip()
    stem = _STEMS.get(name, name.replace(" ", "_"))
    if not colon or len(text) > _LONGEST:
        raise UsageError(f"{text[:_LONGEST]!r} is no prediction", _HINT)
    if stem not in NAMES and stem != GEOMEAN:
        known = ", ".join([GEOMEAN, *NAMES])
        raise UsageError(f"{name!r} is no quantity to predict", f"name one of {known}")
    low, high, unit = _bounds(claim, text)
    said: Literal["%", "x", "time"] = "%" if unit == "%" else "x" if unit == "x" else "time"
    if stem == GEOMEAN and said == "time":
        raise UsageError(f"{text!r}: a geometric mean is a ratio, not a time", _HINT)
    if stem in _COUNTS and said == "time":
        raise UsageError(f"{text!r}: {NAMES[stem]} are counted, and take no time", _HINT)
    shift = 1 if unit == "%" else 0
    scale = _UNITS[unit]
    return Expectation(
        stem=stem,
        text=claim,
        low=shift + low * scale,
        high=shift + high * scale,
        unit=said,
    )


def expectation_section(
    expectations: Sequence[Expectation],
    changes: dict[str, Change],
    *,
    wrong: Sequence[Finding] = (),
) -> tuple[Section, ...]:
    """Table each expectation with what came of it; nothing where nothing was expected.

    `wrong` are those that could not be read.
    """
    if not expectations and not wrong:
        return ()
    rows, findings = [], [*wrong]
    for expected in expectations:
        change = changes.get(expected.stem, Change())
        outcome, found = expected.outcome(change), expected.spell_found(change)
        name = NAMES.get(expected.stem, "geometric mean")
        rows.append((name, expected.text, found, outcome))
        if outcome != "met":
            findings.append(_finding(name, expected, found, outcome))
    return (
        Section(
            title="Predictions",
            tables=(Table(tag="predictions", columns=_COLUMNS, rows=tuple(rows)),),
            findings=tuple(findings),
        ),
    )


def _finding(name: str, expected: Expectation, found: str, outcome: Outcome) -> Finding:
    word, _, direction = outcome.partition(", ")
    if word == "missed":
        advice = f"the change did something else than thought: find what is {direction}"
    elif found == _UNKNOWN:
        advice = "measure it on both sides"
    else:
        advice = "take more samples, let the builds take turns, or predict a wider range"
    came = "and it was not measured" if found == _UNKNOWN else f"{found} came"
    return Finding(
        tag=f"prediction/{word.replace(' ', '_')}",
        severity="warning",
        fact=f"{_OUTCOMES[word]}{direction}: {name} {expected.text} was expected, {came}",
        advice=advice,
    )


def _bounds(claim: str, text: str) -> tuple[float, float, str]:
    """Return the bounds of a claim in its unit."""
    if found := _RANGE.fullmatch(claim):
        sign, digits, _, unit, second_sign, second, _, second_unit = found.groups()
        unit = _one_unit(unit, second_unit, text)
        low = _value(sign, digits, unit, text)
        high = _value(second_sign, second, unit, text)
        if low > high:
            raise UsageError(f"{text!r}: the range ends before it begins", _HINT)
        return low, high, unit
    found = _CLAIM.fullmatch(claim)
    if found is None:
        raise UsageError(f"{text!r} is no prediction", _HINT)
    before, sign, digits, decimals, unit, margin, margin_unit = found.groups()
    if unit is None:
        raise UsageError(f"{text!r} lacks a unit", _HINT)
    if before is not None and unit in ("%", "x"):
        raise UsageError(f"{text!r} goes from a time to none", _HINT)
    value = _value(sign, digits, unit, text)
    if margin is None:
        within = 0.5 * 10 ** -len(decimals or "")
    elif margin_unit == "%" and unit != "%":
        within = float(margin) / 100 * abs(value)
    else:
        _one_unit(unit, margin_unit, text)
        within = float(margin)
    return value - within, value + within, unit


def _value(sign: str, digits: str, unit: str, text: str) -> float:
    """Return a figure. A change in % has a sign unless it is none; a time or a ratio has none."""
    value = float(sign + digits)
    if unit == "%" and not sign and value:
        raise UsageError(f"{text!r} lacks a sign, for less or for more", _HINT)
    if unit != "%" and sign:
        raise UsageError(
            f"{text!r} has a sign, and a time or a ratio is the candidate's own, not a change",
            _HINT,
        )
    return value


def _one_unit(first: str | None, second: str | None, text: str) -> str:
    if first is not None and second is not None and first != second:
        raise UsageError(f"{text!r} mixes the units {first} and {second}", _HINT)
    unit = second or first
    if unit is None:
        raise UsageError(f"{text!r} lacks a unit", _HINT)
    return unit
