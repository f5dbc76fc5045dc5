"""Turns: several processes of a baseline and of a candidate, all warm, called one after the other.

It knows nothing of processes or devices: a side is whatever takes its turn when it is told to.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tracelens.model.pairs import Rounds

_HEADS = 3
"""Calls at the head of a turn that do not count: the other sides had the caches meanwhile."""
_MOST_CALLS = 9
_TURN_NS = 5_000_000
"""About how long the calls of a turn may take that count: a slow op is called once."""
_FEWEST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """The calls of one turn that count, in ns: until each was done, and until it returned."""

    full_ns: tuple[int, ...]
    submit_ns: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long a turn is and how many rounds there are: the same for all sides."""

    rounds: int
    heads: int
    calls: int

    @classmethod
    def within(cls, *, call_ns: int, processes: int, rounds: int, budget_ns: int) -> Plan:
        """Plan for calls of that length; slow ones get fewer rounds, so that the budget holds.

        `processes` is how many take turns in a round, on both sides together.
        """
        calls = max(1, min(_MOST_CALLS, _TURN_NS // max(call_ns, 1)))
        heads = _HEADS if calls > 1 else 1
        round_ns = max(processes * (heads + calls) * call_ns, 1)
        return cls(
            rounds=min(rounds, max(_FEWEST_ROUNDS, budget_ns // round_ns)),
            heads=heads,
            calls=calls,
        )


TakeTurn = Callable[[Plan], Turn]


def take_rounds(
    baseline: Sequence[TakeTurn],
    candidate: Sequence[TakeTurn],
    plan: Plan,
    *,
    subtract_ns: int = 0,
) -> tuple[Rounds, Rounds]:
    """Let equally many of each side take turns; return their full and submit times.

    A sample is the median call of a turn. In a round each process of the baseline stands next to
    its opposite in the candidate. Which of the two is first changes every round, and the pair that
    begins moves on, so that none always finds the device as the same other left it. `subtract_ns`
    is taken off every full time.
    """
    sides = (baseline, candidate)
    full: list[list[list[int]]] = [[[] for _ in side] for side in sides]
    submit: list[list[list[int]]] = [[[] for _ in side] for side in sides]
    for number in range(plan.rounds):
        for pair in range(len(baseline)):
            place = (pair + number // 2) % len(baseline)
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                turn = sides[side][place](plan)
                full[side][place].append(statistics.median_low(turn.full_ns) - subtract_ns)
                submit[side][place].append(statistics.median_low(turn.submit_ns))
    said = f"median of {plan.calls} calls after {plan.heads} that do not count, in turns"
    less = f"; {subtract_ns} ns subtracted" if subtract_ns else ""
    return (
        _rounds(full, f"device idle; from the call until a synchronize has returned; {said}{less}"),
        _rounds(submit, f"device idle; from the call until it has returned; {said}"),
    )


def _rounds(samples: Sequence[Sequence[Sequence[int]]], includes: str) -> Rounds:
    baseline, candidate = (tuple(map(tuple, side)) for side in samples)
    return Rounds(baseline_ns=baseline, candidate_ns=candidate, includes=includes)
