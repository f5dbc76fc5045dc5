"""Turns: several processes of a baseline and of a candidate, all warm, called one after the other.

It knows nothing of processes or devices: a side is whatever takes its turn when it is told to.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tracelens.model.pairs import Rounds

_HEADS = 5
"""Calls at the head of a turn that do not count: another process had the caches and the card
meanwhile. Of calls of 14 us on an H200 the first took 220 us, and the fifth was like the rest."""
_MOST_CALLS = 9
_TURN_NS = 5_000_000
"""About how long the calls of a turn may take that count: a slow op is called once."""
_FEWEST_ROUNDS = 12
ROUNDS_A_CORE = 10
"""Then all go on to another core: one alone could be the one that something else keeps busy."""

Turn = Mapping[str, tuple[int, ...]]
"""The calls of one turn that count, in ns, by what was timed: `full` until each was done, `submit`
until it returned, `busy` on the device, and so on."""

Turns = Sequence[Sequence[Sequence[Turn]]]
"""By side, process and round."""


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

    def __str__(self) -> str:
        """Say what a sample is."""
        return f"{self.sample}, in turns"

    @property
    def sample(self) -> str:
        """What a sample is within its turn."""
        taken = "one call" if self.calls == 1 else f"the median of {self.calls} calls"
        heads = "one that does not" if self.heads == 1 else f"{self.heads} that do not"
        return f"{taken} after {heads} count"


TakeTurn = Callable[[Plan, int | None], Turn]
"""Takes one turn, on the core of that number where one is given."""


def take_rounds(
    baseline: Sequence[TakeTurn],
    candidate: Sequence[TakeTurn],
    plan: Plan,
    *,
    cores: Sequence[int] = (),
) -> Turns:
    """Let equally many of each side take turns, and return them all.

    In a round each process of the baseline stands next to its opposite in the candidate. Which of
    the two is first changes every round, and the pair that begins moves on, so that none always
    finds the device as the same other left it. All turns of a round are taken on one core: on a
    virtual machine the cores differed by 30 %, and processes on one of them by 1.5 to 3.7 %.
    """
    sides = (baseline, candidate)
    taken: list[list[list[Turn]]] = [[[] for _ in side] for side in sides]
    for number in range(plan.rounds):
        core = cores[-1 - number // ROUNDS_A_CORE % len(cores)] if cores else None
        for pair in range(len(baseline)):
            place = (pair + number // 2) % len(baseline)
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                taken[side][place].append(sides[side][place](plan, core))
    return taken


def sum_up(turns: Turns, what: str, *, includes: str, subtract_ns: int = 0) -> Rounds:
    """Return the samples of one quantity: the median call of each turn.

    `subtract_ns` is taken off every one, and said in what a sample includes.
    """
    baseline, candidate = (
        tuple(
            tuple(statistics.median_low(turn[what]) - subtract_ns for turn in process)
            for process in side
        )
        for side in turns
    )
    less = f"; {subtract_ns} ns subtracted" if subtract_ns else ""
    return Rounds(baseline_ns=baseline, candidate_ns=candidate, includes=f"{includes}{less}")
