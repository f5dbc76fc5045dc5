"""One side of live pairs in a process of its own: kept warm, it takes its turn when asked.

A request and its answer are a line of JSON each. Only the worker itself imports torch.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from tracelens.errors import OpFailedError
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan, TakeTurn, Turn, take_rounds
from tracelens.model.measurement import Failure
from tracelens.model.pairs import Entry, Paired, Rounds, Way
from tracelens.process import (
    LOG,
    STACK_SIGNAL,
    EndedEarly,
    Process,
    die_with_parent,
    last_words,
    lines,
    started,
)

_TIMES_BUDGET = 10
"""All turns of a case may take this many times the budget of one stage of a run."""

Side = Literal["baseline", "candidate"]


class SideFailedError(OpFailedError):
    """A process of one side failed, ended, or did not answer in time."""

    def __init__(self, side: Side, fact: str, hint: str) -> None:
        super().__init__(fact, hint)
        self.side = side


@dataclass(frozen=True, slots=True)
class _Worker:
    """A running worker of one side. `timeout_s` is for each answer."""

    side: Side
    process: Process
    log_path: Path
    timeout_s: float | None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer. Raises SideFailedError where it fails or ends."""
        try:
            self.process.asked.write(json.dumps(request).encode() + b"\n")
            self.process.asked.flush()
            answer: dict[str, Any] = json.loads(next(lines(self.process, self.timeout_s)))
        except (EndedEarly, OSError, ValueError) as end:
            said = end.fact if isinstance(end, EndedEarly) else "Its pipe is broken"
            raise SideFailedError(self.side, f"{said}.", last_words(self.log_path)) from end
        if "fact" in answer:
            raise SideFailedError(self.side, answer["fact"], answer["hint"])
        return answer

    def takes_turns(self, way: Way) -> TakeTurn:
        """Return what lets it take its turn in one way of calling."""

        def take_turn(plan: Plan) -> Turn:
            answer = self.ask({"turn": way, "plan": dataclasses.asdict(plan)})
            return Turn(tuple(answer["full_ns"]), tuple(answer["submit_ns"]))

        return take_turn


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
        self._workers: list[_Worker] = []

    def __enter__(self) -> Lineup:
        return self

    def __exit__(self, *reason: object) -> None:
        self._running.close()

    def play(
        self,
        case: str | None,
        *,
        ways: tuple[Way, ...],
        rounds: int,
        subtract_ns: int = 0,
        on_stage: Callable[[str], None] = lambda name: None,
    ) -> Paired:
        """Take the turns of one case; all have their memory and are warm before one is timed.

        Raises SideFailedError where a process fails, ends, or does not answer in time.
        """
        try:
            return self._played(case, ways, rounds, subtract_ns, on_stage)
        except BaseException:
            self._running.close()
            self._workers = []
            raise

    def _played(
        self,
        case: str | None,
        ways: tuple[Way, ...],
        rounds: int,
        subtract_ns: int,
        on_stage: Callable[[str], None],
    ) -> Paired:
        self._workers = self._workers or [
            self._running.enter_context(self._working(side))
            for side in self._sides
            for _ in range(self._processes)
        ]
        slowest: dict[Way, int] = dict.fromkeys(ways, 0)
        on_stage("warm-up of all")
        for worker in self._workers:
            ready = worker.ask({"case": case, "ways": ways})
            slowest = {way: max(ns, ready["call_ns"][way]) for way, ns in slowest.items()}
        paired: dict[str, Rounds] = {}
        for way, call_ns in slowest.items():
            on_stage(f"{way} turns")
            plan = Plan.within(
                call_ns=call_ns,
                processes=len(self._workers),
                rounds=rounds,
                budget_ns=_TIMES_BUDGET * self._options.budget_ns,
            )
            turns = [worker.takes_turns(way) for worker in self._workers]
            sides = turns[: self._processes], turns[self._processes :]
            full, submit = take_rounds(*sides, plan, subtract_ns=subtract_ns)
            mode = "" if way == "eager" else f"/{way}"
            paired |= {f"full{mode}": full, f"submit{mode}": submit}
        return paired

    @contextmanager
    def _working(self, side: Side) -> Iterator[_Worker]:
        entry, options = self._sides[side], self._options
        order = json.dumps([str(entry.op_path), entry.variant, dataclasses.asdict(options)])
        log_path = self._folder / f"{side}-{LOG}"
        environment = dict(os.environ)
        if options.device == "cpu":
            environment["CUDA_VISIBLE_DEVICES"] = ""  # the op itself then finds no CUDA device
        arguments = [entry.python or sys.executable, "-u", "-m", "tracelens.worker", order]
        with started(arguments, log_path=log_path, environment=environment, asked=True) as process:
            yield _Worker(side, process, log_path, self._timeout_s)


def main() -> None:
    """Be a worker: answer the requests on standard input until it ends."""
    order, pipe = sys.argv[1:]
    op_path, variant, options = json.loads(order)
    sys.argv = [op_path]  # as for a script: an op file may read its arguments
    die_with_parent()
    faulthandler.enable()
    faulthandler.register(STACK_SIGNAL)
    os.set_inheritable(int(pipe), False)
    with os.fdopen(_taken_stdin(), "r") as requests, os.fdopen(int(pipe), "w") as answers:
        _answer(Path(op_path), variant, Options(**options), requests, answers)
    os._exit(0)


def _taken_stdin() -> int:
    """Return standard input under another number, and leave nothing there for the op to read."""
    requests, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests


def _answer(
    op_path: Path, variant: str | None, options: Options, requests: TextIO, answers: TextIO
) -> None:
    # The parent imports this module too, and must not import torch.
    from tracelens.measure.contender import Contender, make_ready  # noqa: PLC0415
    from tracelens.measure.failure import failure_of  # noqa: PLC0415
    from tracelens.measure.op_file import load_op  # noqa: PLC0415

    op = contender = None
    for line in requests:
        request = json.loads(line)
        try:
            if "turn" in request and isinstance(contender, Contender):
                turn = contender.take_turn(request["turn"], Plan(**request["plan"]))
                answer: dict[str, Any] = dataclasses.asdict(turn)
            else:
                op = op or load_op(op_path)
                ways = tuple(request["ways"])
                contender = make_ready(
                    op, case=request["case"], variant=variant, ways=ways, options=options
                )
                answer = {"call_ns": contender.call_ns}
        except BaseException as error:  # whatever the op raises is an answer, and not our end
            traceback.print_exception(error)
            answer = _failed(failure_of(error, stage="turns"))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _failed(failure: Failure) -> dict[str, str]:
    return {"fact": failure.fact, "hint": failure.hint}


if __name__ == "__main__":
    main()
