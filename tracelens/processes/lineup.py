"""Both sides of live pairs, each in several processes that are kept warm and take turns."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tracelens.errors import OpFailedError
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan, TakeTurn, Turn, Turns, sum_up, take_rounds
from tracelens.model.pairs import PARTS, Entry, Paired, Rounds, Way
from tracelens.model.quantity import spell_ns
from tracelens.processes.process import (
    LOG,
    EndedEarly,
    Process,
    last_words,
    lines,
    main_of,
    started,
)

_TIMES_BUDGET = 5
"""All turns of a case may take this many times the budget of one stage of a run, and as much again
where they are recorded."""

Side = Literal["baseline", "candidate"]

OnRefusal = Callable[[Side, Way, str, str], None]
"""Is told that a side cannot be called in a way: why, and what to do about it."""

_Request = Mapping[str, object]

_NO_ANSWER = "Something wrote to a file descriptor that it had not opened: there is no answer"


class SideFailedError(OpFailedError):
    """A process of one side failed, ended, or did not answer in time."""

    def __init__(self, side: Side, fact: str, hint: str) -> None:
        super().__init__(fact, hint)
        self.side = side


@dataclass(frozen=True, slots=True)
class _Asked:
    """A running worker of one side. `timeout_s` is for each answer."""

    side: Side
    process: Process
    log_path: Path
    timeout_s: float | None

    def ask(self, request: _Request) -> dict[str, Any]:
        """Send a request and return the answer. Raises SideFailedError where it fails or ends."""
        self.send(request)
        return self.receive()

    def send(self, request: _Request) -> None:
        """Send a request, which says in `ask` what it asks for."""
        try:
            self.process.asked.write(json.dumps(request).encode() + b"\n")
            self.process.asked.flush()
        except OSError as end:
            raise self._ended("Its pipe is broken") from end

    def receive(self) -> dict[str, Any]:
        """Return the answer to what was sent."""
        try:
            answer = json.loads(next(lines(self.process, self.timeout_s)))
        except EndedEarly as end:
            raise self._ended(end.fact) from end
        except ValueError as end:
            raise self._ended(_NO_ANSWER) from end
        if not isinstance(answer, dict):
            raise self._ended(_NO_ANSWER)
        if "fact" in answer:
            raise SideFailedError(self.side, answer["fact"], answer["hint"])
        return answer

    def takes_turns(self, way: Way) -> TakeTurn:
        """Return what lets it take its turn in one way of calling."""

        def take_turn(plan: Plan, core: int | None) -> Turn:
            request = {"ask": "turn", "way": way, "plan": dataclasses.asdict(plan), "core": core}
            turn: Turn = self.ask(request)["turn"]
            return turn

        return take_turn

    def _ended(self, fact: str) -> SideFailedError:
        return SideFailedError(self.side, f"{fact}.", last_words(self.log_path))


class Lineup:
    """Processes of a baseline and of a candidate, kept warm for case after case.

    They are started when the first case is played, and anew after one has failed. A context
    manager: they end with it. `timeout_s` is for each answer, `folder` takes their logs.
    """

    def __init__(
        self,
        baseline: Entry,
        candidate: Entry,
        *,
        processes: int,
        options: Options,
        folder: Path,
        timeout_s: float | None = None,
    ) -> None:
        self._sides: dict[Side, Entry] = {"baseline": baseline, "candidate": candidate}
        self._processes = processes
        self._options = options
        self._folder = folder
        self._timeout_s = timeout_s
        self._running = ExitStack()
        self._workers: list[_Asked] = []

    def __enter__(self) -> Lineup:
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()

    def play(
        self,
        cases: tuple[str | None, str | None],
        *,
        ways: tuple[Way, ...],
        rounds: int,
        subtract_ns: int = 0,
        on_stage: Callable[[str], None] = lambda name: None,
        on_refusal: OnRefusal = lambda side, way, reason, advice: None,
    ) -> Paired:
        """Take the turns of one case; all have their memory and are warm before one is timed.

        `cases` are the baseline's name for it and the candidate's. A way that a side refuses is
        left out. Raises SideFailedError where a process fails, ends, or does not answer
        in time, OpFailedError where more is to be subtracted than a call takes.
        """
        try:
            call_ns = self._make_ready(cases, ways, on_stage, on_refusal)
            return self._played(call_ns, rounds, subtract_ns, on_stage)
        except BaseException:
            self._running.close()
            self._workers = []
            raise

    def _played(
        self,
        call_ns: dict[Way, int],
        rounds: int,
        subtract_ns: int,
        on_stage: Callable[[str], None],
    ) -> Paired:
        paired: dict[str, Rounds] = {}
        for way, longest_ns in call_ns.items():
            plan = Plan.within(
                call_ns=longest_ns,
                processes=len(self._workers),
                rounds=rounds,
                budget_ns=_TIMES_BUDGET * self._options.budget_ns,
            )
            on_stage(f"{way} turns")
            paired |= _host_times(self._taken(way, plan), way, plan, subtract_ns)
            paired |= _device_times(self._recorded(way, plan, on_stage), way, plan)
        return paired

    def _make_ready(
        self,
        cases: tuple[str | None, str | None],
        ways: tuple[Way, ...],
        on_stage: Callable[[str], None],
        on_refusal: OnRefusal,
    ) -> dict[Way, int]:
        """Make all ready, one after the other: tuning must find the device for itself alone.

        Return how long a call of the slowest takes, in each way that none refuses.
        """
        on_stage("warm-up of all")
        if not self._workers:
            self._workers = [
                self._running.enter_context(self._working(side))
                for _ in range(self._processes)
                for side in self._sides
            ]
            for worker in self._workers:
                worker.send({"ask": "load"})
            for worker in self._workers:
                worker.receive()
        named = dict(zip(self._sides, cases, strict=True))
        ready = [
            worker.ask({"ask": "ready", "case": named[worker.side], "ways": ways})
            for worker in self._workers
        ]
        refused = {
            (worker.side, way): why
            for worker, answer in zip(self._workers, ready, strict=True)
            for way, why in answer["refused"].items()
        }
        for (side, way), why in refused.items():
            on_refusal(side, way, *why)
        left = [way for way in ways if all(way in answer["call_ns"] for answer in ready)]
        if not left:  # each side can be called in some way, and both in none
            (side, _), why = next(iter(refused.items()))
            raise SideFailedError(side, *why)
        return {way: max(answer["call_ns"][way] for answer in ready) for way in left}

    def _taken(self, way: Way, plan: Plan) -> Turns:
        baseline, candidate = (
            [worker.takes_turns(way) for worker in self._workers if worker.side == side]
            for side in self._sides
        )
        return take_rounds(baseline, candidate, plan, cores=_cores())

    def _recorded(self, way: Way, plan: Plan, on_stage: Callable[[str], None]) -> Turns | None:
        """Take the rounds again with records of the device; None where they cannot be had.

        They slow the host a little: no time of a whole call is taken from these rounds.
        """
        if any("unavailable" in worker.ask({"ask": "records"}) for worker in self._workers):
            for worker in self._workers:
                worker.ask({"ask": "parts"})
            return None
        on_stage(f"{way} turns, recorded")
        self._taken(way, plan)
        answers = {id(worker): worker.ask({"ask": "parts"}) for worker in self._workers}
        if any("unavailable" in answer for answer in answers.values()):
            return None
        return [
            [answers[id(worker)]["parts"] for worker in self._workers if worker.side == side]
            for side in self._sides
        ]

    @contextmanager
    def _working(self, side: Side) -> Iterator[_Asked]:
        entry, options = self._sides[side], self._options
        order = json.dumps([str(entry.op_path), entry.variant, dataclasses.asdict(options)])
        log_path = self._folder / f"{side}-{LOG}"
        environment = dict(os.environ)
        if options.device == "cpu":
            environment["CUDA_VISIBLE_DEVICES"] = ""  # the op itself then finds no CUDA device
        python = entry.python or sys.executable
        arguments = [*main_of("tracelens.processes.worker", python=python), order]
        with started(arguments, log_path=log_path, environment=environment, asked=True) as process:
            yield _Asked(side, process, log_path, self._timeout_s)


def _cores() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _host_times(turns: Turns, way: Way, plan: Plan, subtract_ns: int) -> Paired:
    mode = "" if way == "eager" else f"/{way}"
    full = f"device idle; from the call until a synchronize has returned; {plan}"
    submit = f"device idle; from the call until it has returned; {plan}"
    calls = sum_up(turns, "full", includes=full, subtract_ns=subtract_ns)
    least_ns = min(min(series) for series in (*calls.baseline_ns, *calls.candidate_ns))
    if least_ns <= 0 < subtract_ns:
        raise OpFailedError(
            f"A call took {spell_ns(least_ns + subtract_ns)}, and {spell_ns(subtract_ns)} were to "
            "be subtracted from it.",
            "Subtract what the protocol's own cost is, and no more.",
        )
    return {
        f"full{mode}": calls,
        f"submit{mode}": sum_up(turns, "submit", includes=submit),
    }


def _device_times(turns: Turns | None, way: Way, plan: Plan) -> Paired:
    """Return the parts of the recorded calls; of a replay only how long the device was busy."""
    if turns is None:
        return {}
    busy = sum_up(turns, "busy", includes=f"union of a call's device work, by CUPTI; {plan}")
    if way == "graph":
        return {"kernel/graph": busy}
    parts = {
        f"undisturbed/{part}": sum_up(turns, part, includes=f"recorded by CUPTI; {plan}")
        for part in PARTS
    }
    return {"kernel": busy, **parts}
