"""One side of live pairs in a process of its own: kept warm, it takes its turn when asked.

A request and its answer are a line of JSON each; `lineup` asks.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from tracelens.measure.choice import choose_device
from tracelens.measure.contender import Contender, make_ready
from tracelens.measure.device import Unavailable
from tracelens.measure.failure import failure_of
from tracelens.measure.op_file import load_op
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan, Turn
from tracelens.model.op import Op
from tracelens.model.pairs import Way
from tracelens.processes.process import STACK_SIGNAL, die_with_parent

Answer = dict[str, Any]


def main() -> None:
    """Be a worker: answer the requests on standard input until it ends."""
    order, pipe = sys.argv[1:]
    op_path, variant, options = json.loads(order)
    sys.argv = [op_path]  # as for a script: an op file may read its arguments
    die_with_parent()
    faulthandler.enable()
    faulthandler.register(STACK_SIGNAL)
    os.set_inheritable(int(pipe), False)
    worker = _Worker(Path(op_path), variant, Options(**options))
    with os.fdopen(_taken_stdin(), "r") as requests, os.fdopen(int(pipe), "w") as answers:
        _serve(worker, requests, answers)
    os._exit(0)


def _taken_stdin() -> int:
    """Return standard input under another number, and leave nothing there for the op to read."""
    requests, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests


def _serve(worker: _Worker, requests: TextIO, answers: TextIO) -> None:
    own = os.getpid()
    for line in requests:
        try:
            answer = worker.answer(json.loads(line))
        except BaseException as error:  # whatever the op raises is an answer, and not our end
            traceback.print_exception(error)
            failure = failure_of(error, stage="turns")
            answer = {"fact": failure.fact, "hint": failure.hint}
        if os.getpid() != own:  # an op forked and let its own child come back here
            os._exit(1)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class _Worker:
    def __init__(self, op_path: Path, variant: str | None, options: Options) -> None:
        self._op_path = op_path
        self._variant = variant
        self._options = options
        self._op: Op | None = None
        self._contender: Contender | None = None
        self._cores = _allowed_cores()

    def answer(self, request: dict[str, Any]) -> Answer:
        """Do what the request names."""
        asked = request.pop("ask")
        if asked == "load":
            return self._load()
        if asked == "ready":
            return self._make_ready(case=request["case"], ways=tuple(request["ways"]))
        if self._contender is None:
            raise AssertionError(f"{asked} was asked of a worker that is not ready")
        if asked == "turn":
            return {"turn": self._take_turn(self._contender, request)}
        return self._record(self._contender, begin=asked == "records")

    def _load(self) -> Answer:
        """Execute the op file and wake the device: all workers may do so at once."""
        self._op = load_op(self._op_path)
        choose_device((), wanted=self._options.device, settled=False).synchronize()
        return {}

    def _make_ready(self, *, case: str | None, ways: tuple[Way, ...]) -> Answer:
        if self._op is None:
            raise AssertionError("the op file is loaded before it is made ready")
        self._stay_on(self._cores)  # what it starts must be free to go where it likes
        self._contender = None  # so that its memory can be had again
        self._contender = make_ready(
            self._op,
            case=case,
            variant=self._variant,
            ways=ways,
            options=self._options,
        )
        return {"call_ns": self._contender.call_ns, "refused": self._contender.refused}

    def _take_turn(self, contender: Contender, request: dict[str, Any]) -> Turn:
        """Take a turn: on one core where the device does the work.

        An op on the CPU is its threads: on one core they would stand in each other's way.
        """
        core: int | None = request["core"] if contender.device.asynchronous else None
        self._stay_on(self._cores if core is None else {core})
        return contender.take_turn(request["way"], Plan(**request["plan"]))

    def _record(self, contender: Contender, *, begin: bool) -> Answer:
        try:
            if begin:
                contender.begin_records()
                return {}
            return {"parts": contender.end_records()}
        except Unavailable as reason:
            return {"unavailable": reason.reason}

    def _stay_on(self, cores: set[int]) -> None:
        """Let this thread, and what it starts from here on, run on these cores only."""
        if cores and os.sched_getaffinity(0) != cores:
            with suppress(OSError):  # a sandbox may forbid it: then cores are noise again
                os.sched_setaffinity(0, cores)


def _allowed_cores() -> set[int]:
    """Return the cores that this process may run on; none where the system cannot say."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


if __name__ == "__main__":
    main()
