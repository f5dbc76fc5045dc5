"""What went wrong in someone else's code, in one fact and one hint."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Literal

import torch

from tracelens.errors import OpFileError, TracelensError, UsageError, WrongResultError
from tracelens.model.cut import cut
from tracelens.model.measurement import Failure, Record, Stage

RAISED: tuple[type[BaseException], ...] = (Exception, SystemExit)
"""What an op may raise, and mean no more by it than that it failed."""

_OWN_FOLDER = f"{Path(__file__).parent.parent}{os.sep}"
_LIBRARY_FOLDERS = ("site-packages", "dist-packages")
_PYTHON_FOLDER = f"{Path(contextlib.__file__).parent}{os.sep}"
_LONGEST_MESSAGE = 300

_MEMORY_HINT = (
    "Make inputs() smaller, or free the device first: nvidia-smi shows which process holds memory."
)
_DEVICE_HINT = (
    "Set CUDA_LAUNCH_BLOCKING=1 to find the call, "
    "or run the op under compute-sanitizer to find the kernel's bad access."
)
_EXIT_HINT = "Let the op return its result instead of ending the process."
_CALLED = {"setup": "setup() of the op file"}
"""What of an op file runs in a stage, where it is not the op itself."""
ALONE_HINT = "Call op(*inputs()) in a Python session of its own to look into it."


def spell_error(error: BaseException) -> str:
    """Return type and message on one line, as `ValueError in op.py:12: bad shape`.

    The line is the deepest one of the first file that is neither ours nor a library's: the op
    file, for an op.
    """
    place = _place(error.__traceback__)
    message = gist(_message(error))
    spelled = gist(type(error).__name__)
    spelled += f" in {place}" if place else ""
    return f"{spelled}: {message}" if message else spelled


def gist(text: str) -> str:
    """Return the first line that says something, of readable length, without its full stop."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = lines[0] if lines else ""
    line = fit(line).rstrip(".")
    return cut(line, _LONGEST_MESSAGE)


def ending_in_failure(
    records: Iterator[Record],
    *,
    caught: tuple[type[BaseException], ...] = RAISED,
    tell: Callable[[BaseException], object] = lambda error: None,
) -> Iterator[Record]:
    """Pass records on; where taking one raises, end with a Failure that says in which stage.

    `tell` is given the error itself first. What is not `caught` passes through.
    """
    stage = "start"
    while True:
        try:
            record = next(records)
        except StopIteration:
            return
        except caught as error:
            tell(error)
            yield failure_of(error, stage=stage)
            return
        if isinstance(record, Stage):
            stage = record.name
        yield record


def failure_of(error: BaseException, *, stage: str) -> Failure:
    """Return the record that says what an error means to the one who wrote the op."""
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        error = error.__cause__  # our stages are generators, which may not pass it on: PEP 479
    if isinstance(error, TracelensError):
        return Failure(stage=stage, kind=_kind(error), fact=fit(error.fact), hint=fit(error.hint))
    if isinstance(error, SystemExit):
        fact = f"{_CALLED.get(stage, 'The op')} called sys.exit({gist(repr(error.code))})."
        return Failure(stage=stage, kind="raised", fact=fact, hint=_EXIT_HINT)
    theirs = _CALLED.get(stage, "The op")
    whose = theirs if _place(error.__traceback__) else f"The stage '{stage}'"
    fact = f"{whose} raised {spell_error(error)}."
    return Failure(stage=stage, kind="raised", fact=fact, hint=_hint(error))


def _kind(error: TracelensError) -> Literal["input", "usage", "wrong result", "raised"]:
    if isinstance(error, WrongResultError):
        return "wrong result"
    if isinstance(error, UsageError):
        return "usage"
    return "input" if isinstance(error, OpFileError) else "raised"


def _hint(error: BaseException) -> str:
    if isinstance(error, torch.OutOfMemoryError):
        return _MEMORY_HINT
    return _DEVICE_HINT if "CUDA error" in _message(error) else ALONE_HINT


def fit(text: str) -> str:
    """Return the text without lone surrogates: a file's name can have them, UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an op's own exception class may fail to spell itself
        return "(its message cannot be read)"


def _place(trace: TracebackType | None) -> str | None:
    frames = []
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    theirs = [
        frame
        for frame in frames
        if not frame[0].startswith((_OWN_FOLDER, _PYTHON_FOLDER))
        and not any(folder in Path(frame[0]).parts for folder in _LIBRARY_FOLDERS)
    ]
    if not theirs:
        return None
    called = theirs[0][0]
    line = [number for name, number in theirs if name == called][-1]
    return f"{gist(Path(called).name)}:{line}"
