"""What each layer of an op costs: the difference to the layer inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tracelens.analyze.statistics import median
from tracelens.model.layered import LayerTimes
from tracelens.model.measurement import SubjectRun
from tracelens.model.median_interval import median_interval
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Cell, Column, Finding, Section, Table

_CONFIDENCE = 0.99
_SAME_WORK, _SAME_WORK_NS = 0.05, 100
"""Layers whose device times differ by more than this share, and this much, do other work: a device
tells time in steps of 32 ns."""
_SAME_CALL = 0.1
"""The op's full call in these turns and alone may differ by that: other calls come between."""

_TIMES = ("full", "submit")
_COLUMNS = (
    Column(name="layer"),
    *(
        Column(name=f"{time}{part}_ns", unit="ns")
        for time in _TIMES
        for part in ("", "_cost", "_cost_low", "_cost_high")
    ),
    Column(name="busy_ns", unit="ns"),
    Column(name="difference"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A difference of paired samples in ns: its median, and where the true one lies by 99 %."""

    middle_ns: int
    low_ns: int | None
    high_ns: int | None

    @property
    def words(self) -> str:
        """What was found of it."""
        if self.low_ns is None or self.high_ns is None:
            return "too few rounds"
        if self.low_ns <= 0 <= self.high_ns:
            return "no difference detected"
        return "costs" if self.low_ns > 0 else "negative"


def cost_of(outer_ns: Sequence[int], inner_ns: Sequence[int]) -> Cost:
    """Return what calling the outer one costs more, by samples taken next to each other."""
    apart = [outer - inner for outer, inner in zip(outer_ns, inner_ns, strict=True)]
    low, high = median_interval(apart, confidence=_CONFIDENCE) or (None, None)
    return Cost(middle_ns=median(apart) or 0, low_ns=low, high_ns=high)


def layers_section(found: SubjectRun) -> Section | None:
    """Table each layer with its cost, outermost first; None where the op file names none."""
    if found.layered is None:
        return None
    called = [layer for layer in found.layered.layers if layer.failed is None]
    insides: list[LayerTimes | None] = [*called[1:], None]
    rows = tuple(_row(one, inside) for one, inside in zip(called, insides, strict=True))
    return Section(
        title="Layers",
        tables=(Table(tag="layers", columns=_COLUMNS, rows=rows),),
        findings=(
            _how_to_read(found.layered.protocol),
            *_uncalled(found.layered.layers),
            *_surprises(called),
            *_check(found, called[0]),
        ),
    )


def _row(one: LayerTimes, inside: LayerTimes | None) -> tuple[Cell, ...]:
    full, submit = (
        cost_of(_samples(one, time), _samples(inside, time) if inside else [0] * len(one.full_ns))
        for time in _TIMES
    )
    return (
        one.name,
        *_cells(one.full_ns, full),
        *_cells(one.submit_ns, submit),
        median(one.busy_ns),
        full.words if inside else "innermost: all of it",
    )


def _cells(samples_ns: Sequence[int], cost: Cost) -> tuple[int | None, ...]:
    return median(samples_ns), cost.middle_ns, cost.low_ns, cost.high_ns


def _samples(layer: LayerTimes, time: str) -> tuple[int, ...]:
    return layer.full_ns if time == "full" else layer.submit_ns


def _how_to_read(protocol: str) -> Finding:
    return Finding(
        tag="layers/nested",
        severity="info",
        fact="layers are nested: a layer's time holds all that it calls, so the times do not add "
        "up. Its cost is the median difference to the layer inside it, round by round, with a "
        f"{100 * _CONFIDENCE:.0f} % interval ({protocol})",
        advice="",
    )


def _uncalled(layers: Sequence[LayerTimes]) -> Iterator[Finding]:
    for layer in layers:
        if layer.failed is not None:
            yield Finding(
                tag="layers/failed",
                severity="warning",
                fact=f"the layer {layer.name!r} was not measured: {layer.failed}; the cost of the "
                "layer around it holds that of this one",
                advice="let it take the same inputs as the op",
            )


def _surprises(called: Sequence[LayerTimes]) -> Iterator[Finding]:
    """Yield what speaks against the layers being nested, or being told apart."""
    for outer, inner in pairwise(called):
        cost = cost_of(outer.full_ns, inner.full_ns)
        if cost.words == "negative":
            yield Finding(
                tag="layers/negative",
                severity="warning",
                fact=f"{outer.name!r} is faster than {inner.name!r}, which it is said to call, by "
                f"{spell_ns(-cost.middle_ns)} (at least {spell_ns(-(cost.high_ns or 0))})",
                advice="check that the layers are named outermost first and do the same work",
            )
        outside, inside = median(outer.busy_ns), median(inner.busy_ns)
        if outside and inside and abs(outside - inside) > max(_SAME_WORK * outside, _SAME_WORK_NS):
            yield Finding(
                tag="layers/other_work",
                severity="warning",
                fact=f"{outer.name!r} keeps the device busy for {spell_ns(outside)} and "
                f"{inner.name!r} for {spell_ns(inside)}: they do not do the same work",
                advice="a cost between them is not the host's alone",
            )


def _check(found: SubjectRun, top: LayerTimes) -> Iterator[Finding]:
    """Hold the op's full call in turns to the one that was measured alone."""
    alone = next((median(m.samples_ns) for m in found.measurements if m.tag == "full/eager"), None)
    turns = median(top.full_ns)
    if alone and turns is not None and abs(turns - alone) > _SAME_CALL * alone:
        yield Finding(
            tag="layers/unlike_alone",
            severity="warning",
            fact=f"between its layers the op's full call takes {spell_ns(turns)}, alone "
            f"{spell_ns(alone)}",
            advice="host times moved in between, or the layers fill each other's caches: run again",
        )
