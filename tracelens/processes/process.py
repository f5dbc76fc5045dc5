"""A process beside this one that may crash, hang or exit, and the lines that it sends.

It is the first of a session of its own, so that it ends with everything that it started. What it
prints goes to a log; what it has to say comes as lines on a pipe.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import IO, Any, Literal

from tracelens.errors import RunFolderError, TracelensError
from tracelens.model.cut import cut
from tracelens.model.measurement import Failure

LOG = "op.log"

STACK_SIGNAL = signal.SIGUSR1
"""Lets the process write where it stands; it must have asked faulthandler to."""

_LONGEST_LINE = 16 << 20
"""A measurement of a million samples; what is longer comes from no sender of ours."""
_LOG_SHOWN = 300
"""Characters of a process's last words."""
_TICK_S = 0.1
_REAPED_WITHIN_S = 10.0
_MARK = "TRACELENS_PROCESS"
"""The environment variable by which all that a process started is found again. A session of its
own, or a parent that is gone, hides it from its group and its tree."""
_ROUNDS = 5
"""What is being ended may be starting another just then."""
_STACK_WITHIN_S = 0.5
_ENDINGS: dict[signal.Signals, Callable[[int, FrameType | None], Any] | signal.Handlers] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
"""Signals that ask a process to end, and what they do unless told otherwise."""
_STACK = "Current thread "
"""Begins the stack of the thread that a dump of `faulthandler` is about, innermost frame first."""
_WORKING_FOLDER_LAST = "import os, sys; sys.path[:] = [*filter(None, sys.path), os.getcwd()]\n"
_PR_SET_PDEATHSIG = 1
"""prctl(2): choose the signal that a Linux process gets when its parent dies."""


class EndedEarly(Exception):  # noqa: N818  # no error of ours: how the process came to its end
    """The process ended before it had said all: how, and what to do about it."""

    def __init__(
        self, kind: Literal["crashed", "timeout", "interrupted"], fact: str, hint: str
    ) -> None:
        super().__init__(fact)
        self.kind = kind
        self.fact = fact
        self.hint = hint

    def failure(self, stage: str) -> Failure:
        """Return the record of it."""
        fact = f"{self.fact} in the stage '{stage}'."
        return Failure(stage=stage, kind=self.kind, fact=fact, hint=self.hint)


@dataclass(frozen=True, slots=True)
class Process:
    """A running process, the pipe that it answers on, and the one that it is asked on."""

    popen: subprocess.Popen[bytes]
    pipe: int

    @property
    def asked(self) -> IO[bytes]:
        """Where requests to it are written; only where it was started to be asked."""
        if self.popen.stdin is None:
            raise AssertionError("this process was not started to be asked")
        return self.popen.stdin


def running(source: str, *, python: str) -> list[str]:
    """Return the arguments that run a few lines of Python under an interpreter.

    Of itself, as with `python -m`, it would look for every import in the working folder first: a
    `types.py` there would pass for Python's own, and a library's sources for what the environment
    has installed, on both sides of a comparison. It looks there last instead.
    """
    return [python, "-u", "-c", f"{_WORKING_FOLDER_LAST}{source}"]


def main_of(module: str, *, python: str) -> list[str]:
    """Return the arguments that run the `main` of a module of ours under an interpreter."""
    return running(f"from {module} import main; main()", python=python)


@contextmanager
def started(
    arguments: Sequence[str], *, log_path: Path, environment: Mapping[str, str], asked: bool = False
) -> Iterator[Process]:
    """Start a process; end it and all that it started when the context ends.

    The file descriptor of the pipe that it answers on is its last argument. With `asked` its
    standard input is a pipe. Raises RunFolderError where the log cannot be written, and
    TracelensError where the system starts no process.
    """
    reader, writer = os.pipe()
    mark = secrets.token_hex(16)
    try:
        with _opened(log_path) as log:
            popen = subprocess.Popen(
                [*arguments, str(writer)],
                stdin=subprocess.PIPE if asked else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[writer],
                env={**environment, _MARK: mark},
                start_new_session=True,
            )
    except BaseException as error:
        os.close(reader)
        if isinstance(error, OSError):
            raise TracelensError(
                f"{arguments[0]} cannot be started: {error.strerror}.",
                "See that it may be run, and that the system has room for one more process.",
            ) from error
        raise
    finally:
        os.close(writer)
    try:
        yield Process(popen, reader)
    finally:
        _kill(popen)
        _kill_marked(mark)
        os.close(reader)


def _opened(log_path: Path) -> IO[bytes]:
    """Open a log, which several processes may share."""
    try:
        return log_path.open("ab")
    except OSError as error:
        raise RunFolderError(
            f"{log_path} cannot be written: {error.strerror}.", "Check the run folder."
        ) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the whole group is gone already
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # a driver can hold a dead process for long
        process.wait(_REAPED_WITHIN_S)


def _kill_marked(mark: str) -> None:
    for _ in range(_ROUNDS):
        left = list(_marked(mark))
        if not left:
            return
        for number in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes that have inherited a mark. Where there is no /proc, none is found."""
    sought = f"{_MARK}={mark}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it is gone, or another user's
            if sought in place.read_bytes().split(b"\0"):
                yield int(place.parent.name)


def lines(child: Process, timeout_s: float | None) -> Iterator[bytes]:
    """Yield the lines that the process sends. Raises EndedEarly where it ends or is too slow."""
    deadline = time.monotonic() + timeout_s if timeout_s is not None else float("inf")
    pending = b""
    while len(pending) <= _LONGEST_LINE:
        if select.select([child.pipe], [], [], _TICK_S)[0]:
            chunk = os.read(child.pipe, 1 << 20)
            if not chunk:
                raise _ended(child.popen)
            *whole, pending = (pending + chunk).split(b"\n")
            yield from whole
        elif child.popen.poll() is not None:  # a process that it left behind holds the pipe
            raise _ended(child.popen)
        if time.monotonic() > deadline:
            raise _timed_out(child.popen, timeout_s)
    yield pending


def last_words(log_path: Path) -> str:
    """Return, as a hint, what the process printed last; of a dumped stack, where it stood."""
    said = log_path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    stood = [after for line, after in pairwise(said) if line.startswith(_STACK)]
    if stood:
        return f"It stood at {cut(stood[-1].strip(), _LOG_SHOWN)}."
    return f"It last said: {cut(said[-1], _LOG_SHOWN)}" if said else "It said nothing."


def _timed_out(process: subprocess.Popen[bytes], timeout_s: float | None) -> EndedEarly:
    """Let the child write where it stands; it need not be able to run Python for that."""
    process.send_signal(STACK_SIGNAL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STACK_WITHIN_S)
    return EndedEarly(
        "timeout",
        f"Stopped after {timeout_s:g} s",
        f"{LOG} ends with the stack at that moment; --timeout allows more.",
    )


def _ended(process: subprocess.Popen[bytes]) -> EndedEarly:
    try:
        code = process.wait(_REAPED_WITHIN_S)
    except subprocess.TimeoutExpired:
        return EndedEarly(
            "crashed",
            "The measuring process closed its pipe and went on",
            "Something closed a file descriptor that it had not opened.",
        )
    if code >= 0:
        return EndedEarly(
            "crashed",
            f"The measuring process ended with exit code {code}",
            f"See {LOG}; an op must return, not end the process.",
        )
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    hint = (
        "The system may have run out of host memory: make inputs() smaller."
        if -code == signal.SIGKILL
        else f"{LOG} ends with the stack at that moment."
    )
    return EndedEarly("crashed", f"The measuring process was killed by {name}", hint)


@contextmanager
def one_interrupt() -> Iterator[None]:
    """Let the first ask to end through and none after it, while what was measured is being kept.

    Ctrl-C asks so, and SIGTERM and SIGHUP do: `timeout`, a cancelled job, a closed terminal. A
    second need not be meant: launchers pass on what the terminal has sent to all already.
    A signal that has another meaning is left alone, and so are all of them in another thread.
    """
    plain = [number for number, handler in _ENDINGS.items() if signal.getsignal(number) == handler]
    if threading.current_thread() is not threading.main_thread():
        plain = []

    def interrupt(number: int, frame: object) -> None:
        for ending in plain:
            signal.signal(ending, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in plain:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in plain:
            signal.signal(number, _ENDINGS[number])


def die_with_parent() -> None:
    """Let the kernel end this process when its parent is gone."""
    with suppress(OSError, AttributeError):  # Linux alone has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
