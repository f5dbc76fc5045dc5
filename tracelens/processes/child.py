"""Measuring in a process of its own, so that an op can crash, hang or exit and harm nothing.

The child sends each record as a line on a pipe as soon as it has it: what was measured before the
end, whatever ends it, is already with the parent. The op's own output, on file descriptors 1 and
2, goes to a file. Only the child imports torch.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path

from tracelens.errors import OpFileError
from tracelens.formats.records import decode_record, encode_record
from tracelens.measure.options import Options
from tracelens.model.measurement import Failure, Noticed, OnRecord, Outline, Record, Stage, Subject
from tracelens.model.op import Choice
from tracelens.model.report import Finding
from tracelens.model.sweep import Sweep
from tracelens.processes.process import (
    LOG,
    STACK_SIGNAL,
    EndedEarly,
    Process,
    die_with_parent,
    lines,
    main_of,
    started,
)

_EVERYTHING = Choice()

_END = b'"end"'
"""The last line of a whole stream. A process that ends without it ended early."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What one child is to measure: one case, or the first that was chosen."""

    op_path: str
    folder: str
    choice: Choice
    options: Options
    case: str | None = None
    is_first: bool = True
    outline_only: bool = False
    sweep: Sweep | None = None

    @classmethod
    def read(cls, text: str) -> _Order:
        """Return the order that a command line holds."""
        stated = json.loads(text)
        choice = stated.pop("choice")
        options = Options(**stated.pop("options"))
        sweep = stated.pop("sweep")
        return cls(
            choice=Choice(
                cases=tuple(choice["cases"]),
                variants=tuple(choice["variants"]),
                baseline_alone=choice["baseline_alone"],
            ),
            options=options,
            sweep=Sweep(**{**sweep, "sizes": tuple(sweep["sizes"])}) if sweep else None,
            **stated,
        )

    def spelled(self) -> str:
        """Return the order for a command line."""
        return json.dumps(dataclasses.asdict(self))


def run_in_children(
    op_path: Path,
    *,
    folder: Path,
    options: Options,
    choice: Choice = _EVERYTHING,
    timeout_s: float | None = None,
    on_record: OnRecord = lambda record: None,
    python: str = sys.executable,
    sweep: Sweep | None = None,
) -> list[Record]:
    """Measure each chosen case of the op file in a child of its own; return all records.

    With a `sweep` one child measures all sizes instead.

    `folder` receives the op's output as `op.log`, however much it prints, and a trace per case.
    `on_record` sees each record as it arrives. A crash, an exit, or more than `timeout_s` seconds
    ends the child and the processes it started, and leaves a Failure that names the stage; other
    cases are measured all the same, unless it is Ctrl-C. Raises RunFolderError where `op.log`
    cannot be made. `python` is the interpreter that the children run under.
    """
    records: list[Record] = []

    def keep(record: Record) -> None:
        records.append(record)
        on_record(record)

    order = _Order(
        op_path=str(op_path), folder=str(folder), choice=choice, options=options, sweep=sweep
    )
    going = _run_in_child(order, python, timeout_s, keep)
    outlines = (record for record in records if isinstance(record, Outline))
    firsts = _first_of_each_case(next(outlines, Outline(subjects=())))
    for subject in firsts[1:]:
        if going:
            keep(subject)
            order = dataclasses.replace(order, case=subject.case, is_first=False)
            going = _run_in_child(order, python, timeout_s, keep)
    return records


def read_outline(
    op_path: Path,
    *,
    folder: Path,
    options: Options,
    timeout_s: float | None = None,
    python: str = sys.executable,
) -> Outline:
    """Load an op file in a child and return its subjects; nothing is measured.

    `folder` receives what it prints as `op.log`. Raises OpFileError where it cannot be loaded.
    """
    order = _Order(
        op_path=str(op_path),
        folder=str(folder),
        choice=_EVERYTHING,
        options=options,
        outline_only=True,
    )
    records: list[Record] = []
    _run_in_child(order, python, timeout_s, records.append)
    for record in records:
        if isinstance(record, Outline):
            return record
    failure = next(record for record in records if isinstance(record, Failure))
    if failure.kind == "interrupted":
        raise KeyboardInterrupt
    raise OpFileError(failure.fact, failure.hint)


def _first_of_each_case(outline: Outline) -> list[Subject]:
    firsts: dict[str | None, Subject] = {}
    for subject in outline.subjects:
        firsts.setdefault(subject.case, subject)
    return list(firsts.values())


def _run_in_child(order: _Order, python: str, timeout_s: float | None, keep: OnRecord) -> bool:
    """Measure one case; return whether to go on with the others."""
    stage = Stage(name="start")
    with _started(order, python) as child:
        try:
            for record in _received(child, timeout_s):
                stage = record if isinstance(record, Stage) else stage
                keep(record)
        except KeyboardInterrupt:
            end = EndedEarly("interrupted", "Interrupted", "Run it again to measure the rest.")
            keep(end.failure(stage.name))
            return False
        except EndedEarly as end:
            keep(_lost(end, stage) if stage.is_extra else end.failure(stage.name))
    return True


def _lost(end: EndedEarly, stage: Stage) -> Noticed:
    """Say that the figures of an extra stage, and those alone, are lost."""
    fact = f"{end.fact} in the stage '{stage.name}': all else had been measured"
    return Noticed(
        finding=Finding(tag="stage/lost", severity="warning", fact=fact, advice=end.hint)
    )


def _started(order: _Order, python: str) -> AbstractContextManager[Process]:
    environment = dict(os.environ)
    if order.options.device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""  # the op itself then finds no CUDA device
    return started(
        [*main_of("tracelens.processes.child", python=python), order.spelled()],
        log_path=Path(order.folder, LOG),
        environment=environment,
    )


def _received(child: Process, timeout_s: float | None) -> Iterator[Record]:
    """Yield the records of a whole stream. Raises EndedEarly where it is not whole."""
    for line in lines(child, timeout_s):
        if line == _END:
            return
        try:
            yield decode_record(line)
        except ValueError as error:
            raise EndedEarly(
                "crashed",
                f"The measuring process sent {len(line)} bytes that are no record",
                f"Something wrote to a file descriptor that it had not opened; see {LOG}.",
            ) from error


def main() -> None:
    """Be the child: measure the op file of the command line and send the records."""
    spelled, pipe = sys.argv[1:]
    order = _Order.read(spelled)
    sys.argv = [order.op_path]  # as for a script: an op file may read its arguments
    die_with_parent()
    faulthandler.enable()
    faulthandler.register(STACK_SIGNAL)
    os.set_inheritable(int(pipe), False)
    own = os.getpid()
    with os.fdopen(int(pipe), "wb") as stream:
        for line in chain(map(encode_record, _measured(order)), [_END + b"\n"]):
            if os.getpid() != own:  # an op forked and let its own child come back here
                os._exit(1)
            stream.write(line)
            stream.flush()
        # Whatever the op left running, or hung on its way out, is none of the parent's concern.
        os._exit(0)


def _measured(order: _Order) -> Iterator[Record]:
    # The parent imports this module too, and must not import torch.
    from tracelens.measure.case import measure_case, outline, trace_name  # noqa: PLC0415
    from tracelens.measure.op_file import load_op  # noqa: PLC0415
    from tracelens.measure.sweep import swept  # noqa: PLC0415

    def whole() -> Iterator[Record]:
        yield Stage(name="load")
        op = load_op(Path(order.op_path))
        if order.sweep is not None:
            yield from swept(op, order.sweep, order.choice, order.options)
            return
        to_come = outline(op, order.choice)
        case = to_come.subjects[0].case
        if order.is_first:
            yield to_come
        else:
            case = order.case
        if order.outline_only:
            return
        yield from measure_case(
            op,
            [subject for subject in to_come.subjects if subject.case == case],
            trace_path=Path(order.folder, trace_name(op, case)),
            options=order.options,
            guard=_guarded,
        )

    return _guarded(whole())


def _guarded(records: Iterator[Record]) -> Iterator[Record]:
    """End in a Failure where the op raises, and leave the traceback in the log."""
    from tracelens.measure.failure import ending_in_failure  # noqa: PLC0415  # it imports torch

    caught = (BaseException,)  # here KeyboardInterrupt comes from the op, not from a keyboard
    for record in ending_in_failure(records, caught=caught, tell=traceback.print_exception):
        if isinstance(record, Failure) and record.kind == "raised" and LOG not in record.hint:
            record = dataclasses.replace(record, hint=f"{record.hint} {LOG} has the traceback.")  # noqa: PLW2901  # the same record, with where to look
        yield record


if __name__ == "__main__":
    main()
