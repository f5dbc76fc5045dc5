"""The sentence that a reader takes away: faster or slower, by how much, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.analyze.change import Change
from tracelens.analyze.diff.kernel_changes import spell_change
from tracelens.analyze.diff.pairing import Pair
from tracelens.analyze.resampling import FEWEST
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding

_JUDGED = ("full", "full/graph", "wall")
"""What a subject is judged by, the first that both sides have: its full call, or its replay where
nothing else was measured; in a trace, its window."""

_REGRESSING = ("full/graph", "device", "kernel", "device/graph", "kernel/graph")
"""What may regress beside what is judged: a host that is slower than the device hides the device's
regression from the full call, and an eager call tells nothing of a replay."""

_INSIDE = ("before_first", "busy", "between", "after_last")
_MOST_PARTS = 3
_LEAST_OF_CHANGE = 0.5
_MOST_OF_CHANGE = 3.0
"""Parts with less or more of a change, all that moved taken together, do not explain it. A profiler
makes a call, and so its parts, up to three times as long: docs/validation/instruments.md."""
_UNATTRIBUTED = (
    "the change is not attributed: what the parts of a call moved by does not account for it"
)
_LEAST_SHARE = 0.0005
"""What is less would be spelled as none at all."""


def judged(pairs: Sequence[Pair]) -> Pair:
    """Return the pair that a subject's verdict is about."""
    by_stem = {pair.stem: pair for pair in pairs}
    known = [by_stem[stem] for stem in _JUDGED if stem in by_stem]
    return next((pair for pair in known if _on_both(pair)), known[0])


def _on_both(pair: Pair) -> bool:
    return pair.change.baseline is not None and pair.change.candidate is not None


def regressions(pairs: Sequence[Pair], threshold: float) -> list[Pair]:
    """Return what got slower by more than the threshold, a share: a call, or the device's work."""
    stems = (judged(pairs).stem, *_REGRESSING)
    return [
        pair
        for pair in pairs
        if pair.stem in stems and pair.change.verdict == "slower"
        if pair.change.ratio is not None and pair.change.ratio > 1 + threshold
    ]


def verdict(pairs: Sequence[Pair], reasons: Sequence[str]) -> Finding:
    """Judge a subject; `reasons` say why its sides cannot be compared, if they cannot."""
    pair = judged(pairs)
    word = pair.change.verdict
    why = "; ".join(reasons) or (pair.apart if pair.change.delta is None else "")
    said = _sentence(pair) if not reasons or _on_both(pair) else ""  # what failed has no figures
    return Finding(
        tag=f"verdict/{word.replace(' ', '_')}",
        severity="warning" if word in ("slower", "not comparable") else "info",
        fact=f"{word}: {'; '.join(filter(None, (why, said)))}",
        advice=moved_parts(pairs) or _unattributed(pairs),
    )


def spell_ratio(change: Change) -> str:
    """Return the ratio and its interval: `1.31x (1.28x to 1.34x)`."""
    if change.ratio is None:
        return ""
    if change.ratio_low is None or change.ratio_high is None:
        return f"{_times(change.ratio)}, without an interval"
    return f"{_times(change.ratio)} ({_times(change.ratio_low)} to {_times(change.ratio_high)})"


def moved_parts(pairs: Sequence[Pair]) -> str:
    """Lay the difference onto the parts that moved its way: `host dispatch +30.1 us`.

    What is sure stands before what two processes of one build may differ by. Nothing where the
    parts do not explain it. Where there is no difference to lay, the parts that surely moved.
    """
    moved = sorted(
        _explaining(judged(pairs).change, [pair for pair in _parts(pairs) if pair.change.moved]),
        key=lambda pair: (pair.change.is_within_luck, -abs(pair.change.delta or 0)),
    )
    words = [_moved(pair) for pair in moved[:_MOST_PARTS]]
    if not words:
        return ""
    off = moved[0].group == "inside"
    return f"{', '.join(words)} (medians, profiler {'off' if off else 'on'})"


def _explaining(change: Change, moved: Sequence[Pair]) -> list[Pair]:
    """Return those of the parts that moved which a change can be laid on."""
    if change.verdict == "no difference detected":
        return [pair for pair in moved if not pair.change.is_within_luck]
    if not change.delta:
        return list(moved)
    shares = [(pair, (pair.change.delta or 0) / change.delta) for pair in moved]
    if not _LEAST_OF_CHANGE <= sum(share for _, share in shares) <= _MOST_OF_CHANGE:
        return []
    return [pair for pair, share in shares if share > 0]


def _unattributed(pairs: Sequence[Pair]) -> str:
    """Say that a change lies nowhere, where there are parts that it could have been laid on."""
    known = any(pair.change.delta is not None for pair in _parts(pairs))
    changed = judged(pairs).change.verdict in ("faster", "slower")
    return _UNATTRIBUTED if changed and known else ""


def _moved(pair: Pair) -> str:
    said = f"{pair.name} {spell_change(pair.change.delta or 0)}"
    return f"{said} perhaps by luck" if pair.change.is_within_luck else said


def _parts(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the parts of the timed calls themselves, else those of the profiled ones."""
    inside = [pair for pair in pairs if pair.stem.removeprefix("undisturbed/") in _INSIDE]
    if any(pair.change.delta is not None for pair in inside):
        return inside
    return [pair for pair in pairs if pair.group == "parts"]


def _sentence(pair: Pair) -> str:
    change = pair.change
    if change.candidate is None or change.baseline is None:
        missing = "the candidate" if change.candidate is None else "the baseline"
        return f"{missing} has no measured {pair.name}"
    said = f"the {pair.name} takes {spell_ns(change.candidate)}, {spell_ns(change.baseline)} before"
    if change.delta is None:
        return said
    said += f": {spell_ratio(change) or 'a time of nothing has no ratio'}"
    if change.ratio_low is None:
        return f"{said}; {_difference(change)}"
    if change.verdict == "no difference detected" and change.floor is not None:
        said += f", noise floor {_floor(change.floor)}"
    return said


def _difference(change: Change) -> str:
    """Say what is judged where a ratio has no interval."""
    if change.delta is None or change.delta_low is None or change.delta_high is None:
        return f"fewer than {FEWEST} samples on a side cannot be judged"
    here, low, high = map(spell_change, (change.delta, change.delta_low, change.delta_high))
    return f"{here} ({low} to {high})"


def _floor(share: float) -> str:
    return spell_share(share) if share >= _LEAST_SHARE else f"under {spell_share(2 * _LEAST_SHARE)}"


def _times(ratio: float) -> str:
    return f"{ratio:.{3 if ratio < 1.095 else 2}f}x"
