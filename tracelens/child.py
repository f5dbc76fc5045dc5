"""Measuring in a process of its own, so that an op can crash, hang or exit and harm nothing.

The child sends each record as a line on a pipe as soon as it has it: what was measured before the
end, whatever ends it, is already with the parent. The op's own output, on file descriptors 1 and
2, goes to a file. Only the child imports torch.
"""

from __future__ import annotations

import ctypes
import dataclasses
import faulthandler
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Literal

from tracelens.errors import RunFolderError
from tracelens.formats.records import decode_record, encode_record
from tracelens.measure.options import Options
from tracelens.model.measurement import Failure, Record, Stage

LOG = "op.log"
TRACE = "trace.json.gz"

_END = b'"end"'
"""The last line of a whole stream. A process that ends without it ended early."""

_LONGEST_LINE = 16 << 20
"""A measurement of a million samples; what is longer comes from no sender of ours."""
_TICK_S = 0.1
_REAPED_WITHIN_S = 10.0
_STACK_WITHIN_S = 0.5
_STACK_SIGNAL = signal.SIGUSR1
_PR_SET_PDEATHSIG = 1
"""prctl(2): choose the signal that a Linux process gets when its parent dies."""


class _EndedEarly(Exception):  # noqa: N818  # no error of ours: how the child came to its end
    def __init__(
        self, kind: Literal["crashed", "timeout", "interrupted"], fact: str, hint: str
    ) -> None:
        super().__init__(fact)
        self.kind = kind
        self.fact = fact
        self.hint = hint

    def failure(self, stage: str) -> Failure:
        fact = f"{self.fact} in the stage '{stage}'."
        return Failure(stage=stage, kind=self.kind, fact=fact, hint=self.hint)


@dataclasses.dataclass(frozen=True, slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    pipe: int


def run_in_child(
    op_path: Path,
    *,
    folder: Path,
    options: Options,
    timeout_s: float | None = None,
    on_record: Callable[[Record], None] = lambda record: None,
) -> list[Record]:
    """Measure the op file in a child process and return its records, the last maybe a Failure.

    `folder` receives the op's output as `op.log`, however much it prints, and the profiled pass
    as `trace.json.gz`. `on_record` sees each record as it arrives. A crash, an exit, more than
    `timeout_s` seconds or Ctrl-C ends the child and the processes it started, and ends the list
    with a Failure that names the stage. Raises RunFolderError where `op.log` cannot be made.
    """
    records: list[Record] = []
    stage = "start"

    def keep(record: Record) -> None:
        records.append(record)
        on_record(record)

    with _started(op_path, folder, options) as child:
        try:
            for record in _received(child, timeout_s):
                stage = record.name if isinstance(record, Stage) else stage
                keep(record)
        except KeyboardInterrupt:
            end = _EndedEarly("interrupted", "Interrupted", "Run it again to measure the rest.")
            keep(end.failure(stage))
        except _EndedEarly as end:
            keep(end.failure(stage))
    return records


@contextmanager
def _started(op_path: Path, folder: Path, options: Options) -> Iterator[_Child]:
    """Start the child; end it and all that it started when the context ends."""
    reader, writer = os.pipe()
    arguments = [
        *(sys.executable, "-u", "-m", "tracelens.child"),
        *(str(op_path), str(folder / TRACE), str(writer)),
        json.dumps(dataclasses.asdict(options)),
    ]
    environment = dict(os.environ)
    if options.device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""  # the op itself then finds no CUDA device
    try:
        with (folder / LOG).open("wb") as log:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[writer],
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        os.close(reader)
        raise RunFolderError(
            f"{folder / LOG} cannot be written: {error.strerror}.", "Check the run folder."
        ) from error
    finally:
        os.close(writer)
    try:
        yield _Child(process, reader)
    finally:
        _kill(process)
        os.close(reader)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the whole group is gone already
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # a driver can hold a dead process for long
        process.wait(_REAPED_WITHIN_S)


def _received(child: _Child, timeout_s: float | None) -> Iterator[Record]:
    """Yield the records of a whole stream. Raises _EndedEarly where it is not whole."""
    for line in _lines(child, timeout_s):
        if line == _END:
            return
        try:
            yield decode_record(line)
        except ValueError as error:
            raise _EndedEarly(
                "crashed",
                f"The measuring process sent {len(line)} bytes that are no record",
                f"Something wrote to a file descriptor that it had not opened; see {LOG}.",
            ) from error


def _lines(child: _Child, timeout_s: float | None) -> Iterator[bytes]:
    deadline = time.monotonic() + timeout_s if timeout_s is not None else float("inf")
    pending = b""
    while len(pending) <= _LONGEST_LINE:
        if select.select([child.pipe], [], [], _TICK_S)[0]:
            chunk = os.read(child.pipe, 1 << 20)
            if not chunk:
                raise _ended(child.process)
            *lines, pending = (pending + chunk).split(b"\n")
            yield from lines
        elif child.process.poll() is not None:  # a process that it left behind holds the pipe
            raise _ended(child.process)
        if time.monotonic() > deadline:
            raise _timed_out(child.process, timeout_s)
    yield pending


def _timed_out(process: subprocess.Popen[bytes], timeout_s: float | None) -> _EndedEarly:
    """Let the child write where it stands; it need not be able to run Python for that."""
    process.send_signal(_STACK_SIGNAL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STACK_WITHIN_S)
    return _EndedEarly(
        "timeout",
        f"Stopped after {timeout_s:g} s",
        f"{LOG} ends with the stack at that moment; --timeout allows more.",
    )


def _ended(process: subprocess.Popen[bytes]) -> _EndedEarly:
    try:
        code = process.wait(_REAPED_WITHIN_S)
    except subprocess.TimeoutExpired:
        return _EndedEarly(
            "crashed",
            "The measuring process closed its pipe and went on",
            "Something closed a file descriptor that it had not opened.",
        )
    if code >= 0:
        return _EndedEarly(
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
    return _EndedEarly("crashed", f"The measuring process was killed by {name}", hint)


def main() -> None:
    """Be the child: measure the op file of the command line and send the records."""
    op_path, trace_path, pipe, options = sys.argv[1:]
    sys.argv = [op_path]  # as for a script: an op file may read its arguments
    _die_with_parent()
    faulthandler.enable()
    faulthandler.register(_STACK_SIGNAL)
    os.set_inheritable(int(pipe), False)
    own = os.getpid()
    with os.fdopen(int(pipe), "wb") as stream:
        records = _measured(Path(op_path), Path(trace_path), Options(**json.loads(options)))
        for line in chain(map(encode_record, records), [_END + b"\n"]):
            if os.getpid() != own:  # an op forked and let its own child come back here
                os._exit(1)
            stream.write(line)
            stream.flush()
        # Whatever the op left running, or hung on its way out, is none of the parent's concern.
        os._exit(0)


def _measured(op_path: Path, trace_path: Path, options: Options) -> Iterator[Record]:
    # The parent imports this module too, and must not import torch.
    from tracelens.measure.failure import ending_in_failure  # noqa: PLC0415
    from tracelens.measure.op_file import load_op  # noqa: PLC0415
    from tracelens.measure.recipe import take  # noqa: PLC0415

    def whole() -> Iterator[Record]:
        yield Stage(name="load")
        yield from take(load_op(op_path), trace_path=trace_path, options=options)

    caught = (BaseException,)  # here KeyboardInterrupt comes from the op, not from a keyboard
    for record in ending_in_failure(whole(), caught=caught, tell=traceback.print_exception):
        if isinstance(record, Failure) and record.kind == "raised":
            record = dataclasses.replace(record, hint=f"{record.hint} {LOG} has the traceback.")  # noqa: PLW2901  # the same record, with where to look
        yield record


def _die_with_parent() -> None:
    with suppress(OSError, AttributeError):  # Linux alone has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
