"""The recipes that measure: an op file, a statement, a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tracelens.errors import (
    InterruptedRunError,
    OpFailedError,
    OpFileError,
    RunFolderError,
    TracelensError,
    UnmetExpectationError,
    UsageError,
    WrongResultError,
)
from tracelens.formats import RunFolder, open_run_folder
from tracelens.model.measurement import Failure, OnRecord, Record, Run, SubjectRun
from tracelens.model.op import Choice, Op, Tolerance, Variant
from tracelens.model.records import gather
from tracelens.model.report import Report
from tracelens.model.sweep import Sweep
from tracelens.processes.process import one_interrupt
from tracelens.recipes.drawings import drawings
from tracelens.recipes.reporting import report_run

if TYPE_CHECKING:
    from tracelens.measure.options import Options

_NOTEBOOK_WIDTH = 100
"""Characters: what a notebook shows beside its margin."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a run measured, where its folder is (None: nowhere), and how it ended early."""

    run: Run
    folder: Path | None
    failure: TracelensError | None

    @property
    def timed(self) -> bool:
        """Whether anything warm was measured, so that the report has something to show."""
        return any(map(_timed, self.run.subjects))

    @property
    def report(self) -> Report:
        """The report of the run."""
        if self.run.report is None:
            raise AssertionError("a profile is returned with its report, or not at all")
        return self.run.report

    @property
    def functions_drawn(self) -> bool:
        """Whether the folder has a flame graph: one of each op that was sampled."""
        return any(found.functions is not None for found in self.run.subjects)

    @property
    def unmet(self) -> UnmetExpectationError | None:
        """What the op file expects and is not known to be met; None where all is.

        An op file that expects nothing has nothing to be met: that is said too.
        """
        tables = (table for section in self.report.sections for table in section.tables)
        outcomes = [row[0] for table in tables if table.tag == "expected" for row in table.rows]
        if not outcomes:
            return UnmetExpectationError(
                "the op file expects no kernel of what was measured",
                'state one, such as `expect = {"kernel": "nvjet*", "tile": "64x8"}`',
            )
        unmet = sum(outcome != "met" for outcome in outcomes)
        if not unmet:
            return None
        return UnmetExpectationError(
            f"{unmet} of {len(outcomes)} expected kernels are not known to have run as expected",
            "read the table of expected kernels: it names the nearest that ran",
        )


def require_torch() -> None:
    """Raise TracelensError where torch cannot be found, before a process fails for want of it."""
    if find_spec("torch") is None:
        raise TracelensError(
            "torch is not installed in this Python: nothing can be measured",
            "install torch; analyze, kernels, diff of runs and issue work without it",
        )


def profile_file(
    op_path: Path | str,
    *,
    output: Path | None = None,
    force: bool = False,
    choice: Choice | None = None,
    options: Options | None = None,
    sweep: Sweep | None = None,
    timeout_s: float | None = None,
    on_record: OnRecord = lambda record: None,
) -> Profile:
    """Measure an op file, each case in a child process of its own, and keep the run in a folder.

    The folder is `output`, or `<op>.run` (or the first free `<op>-2.run` ...); it is kept as soon
    as the op ran, if only for its log, and `Profile.failure` then says what failed. `choice` names
    cases and variants, all of them without. With a `sweep` the variants are measured at its sizes
    instead, and drawn. `timeout_s` is for each case. Raises OpFileError,
    WrongResultError, OpFailedError or UsageError where the op never ran, RunFolderError where the
    folder cannot be begun; one that cannot be kept in the end is a `Profile.failure`.
    """
    from tracelens.measure.options import Options
    from tracelens.processes.child import (
        run_in_children,  # here, for analyze never starts a process
    )

    require_torch()
    measure = partial(
        run_in_children,
        Path(op_path),
        choice=choice or Choice(),
        options=options or Options(),
        sweep=sweep,
        timeout_s=timeout_s,
        on_record=on_record,
    )
    return _profiled(Path(op_path), measure, output=output, force=force)


def _profiled(
    op_path: Path, measure: Callable[..., Iterable[Record]], *, output: Path | None, force: bool
) -> Profile:
    """Measure into a run folder, and keep it if there is anything to keep."""
    with one_interrupt(), open_run_folder(output, op_path, force=force) as folder:
        run = gather(op_path.stem, measure(folder=folder.path))
        if not _left_something(run):
            raise _error(run, kept=None)
        try:
            run = replace(run, report=report_run(run, folder.path))
        except BaseException:
            folder.keep(run)  # whatever is wrong with a report, what was measured is kept
            raise
        return _kept(folder, run)


def _kept(folder: RunFolder, run: Run) -> Profile:
    """Keep a run with its drawings; a folder that takes no more does not cost its report."""
    kept, unwritten = None, None
    try:
        for name, data in drawings(run):
            folder.add(name, data)
    except RunFolderError as error:
        unwritten = error
    try:
        kept = folder.keep(run)
    except RunFolderError as error:
        unwritten = error
    failure = _error(run, kept=kept) if _failures(run) else unwritten
    return Profile(run=run, folder=kept, failure=failure)


def profile_statement(
    statement: str,
    *,
    setup: str = "",
    output: Path | None = None,
    force: bool = False,
    options: Options,
    timeout_s: float | None = None,
    on_record: OnRecord = lambda record: None,
) -> Profile:
    """Measure one statement, after a setup that is not timed; torch is imported for both.

    The run folder's `op.py` is an op file that says the same. Raises UsageError where they cannot
    be made into one, and what `profile_file` does.
    """
    require_torch()
    from tracelens.measure.statement import OP_STEM, in_own_words, op_source
    from tracelens.processes.child import run_in_children

    def measure(*, folder: Path) -> Iterator[Record]:
        return map(in_own_words, measure_file(folder=folder))

    with TemporaryDirectory(prefix="tracelens-") as name:
        op_path = Path(name, f"{OP_STEM}.py")
        op_path.write_text(op_source(statement, setup=setup), encoding="utf-8")
        measure_file = partial(
            run_in_children, op_path, options=options, timeout_s=timeout_s, on_record=on_record
        )
        return _profiled(op_path, measure, output=output, force=force)


def profile(
    call: Callable[..., Any],
    *inputs: Any,
    reference: Callable[..., Any] | None = None,
    tolerance: Tolerance | Mapping[str, Tolerance] | None = None,
    options: Options | None = None,
    on_record: OnRecord = lambda record: None,
) -> ShownReport:
    """Measure `call(*inputs)` in this process and report it; nothing is written.

    The report shows itself where it is the last value of a notebook's cell. Seeds are set and a
    profiler session is opened in the caller's process. Raises WrongResultError where the result
    differs from `reference(*inputs)`, OpFailedError where the op raises.
    """
    require_torch()
    from tracelens.measure.case import measure_op
    from tracelens.measure.options import Options as Defaults  # torch is loaded from here on

    op = Op(
        name=getattr(call, "__name__", type(call).__name__),
        variants=(Variant(call=call),),
        inputs=lambda: inputs,
        reference=reference,
        tolerance=tolerance,
    )
    with TemporaryDirectory(prefix="tracelens-") as folder:
        trace_path = Path(folder) / "trace.json.gz"
        stream = measure_op(op, trace_path=trace_path, options=options or Defaults())
        run = gather(op.name, _shown(stream, on_record))
        if _failures(run):
            raise _error(run, kept=None)
        report = report_run(run, Path(folder))
    return ShownReport(
        command=report.command, environment=report.environment, sections=report.sections
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReport(Report):
    """A report that shows itself: as text where it is printed, as HTML in a notebook."""

    def __str__(self) -> str:
        from tracelens.render import render_text

        return render_text(self, width=_NOTEBOOK_WIDTH, color=False)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the report in the forms that a notebook chooses from."""
        from tracelens.render.notebook import render_notebook

        return {"text/plain": str(self), "text/html": render_notebook(str(self))}


def _shown(records: Iterator[Record], on_record: OnRecord) -> Iterator[Record]:
    for record in records:
        on_record(record)
        yield record


def _timed(found: SubjectRun) -> bool:
    return bool(found.sweep) or any(not m.tag.startswith("cold/") for m in found.measurements)


def _failures(run: Run) -> list[Failure]:
    own = [found.failure for found in run.subjects if found.failure is not None]
    return [run.failure, *own] if run.failure is not None else own


def _measured(run: Run) -> bool:
    return any(found.measurements or found.sweep for found in run.subjects)


def _left_something(run: Run) -> bool:
    """Say whether a run is worth a folder: figures, or the log of an op that ran and failed."""
    return _measured(run) or any(f.kind not in ("input", "usage") for f in _failures(run))


def _error(run: Run, *, kept: Path | None) -> TracelensError:
    """Return the error that says how a run failed: the only failure, or the first of several."""
    failures = _failures(run)
    first = failures[0]
    kinds: dict[str, type[TracelensError]] = {
        "input": OpFileError,
        "usage": UsageError,
        "wrong result": WrongResultError,
        "interrupted": InterruptedRunError,
    }
    kind = kinds.get(first.kind, OpFailedError)
    if failures[-1].kind == "interrupted":  # whatever failed before it
        kind = InterruptedRunError
    fact = first.fact
    failed = [found.subject for found in run.subjects if found.failure is not None]
    if failed and len(run.subjects) > 1:
        names = ", ".join(" ".join(filter(None, (s.case, s.variant))) for s in failed)
        fact = f"{len(failed)} of {len(run.subjects)} failed: {names}. The first: {fact}"
    if kept is not None:
        left = "What was measured before that" if _measured(run) else "Its log"
        fact += f" {left} is kept in {kept}."
    return kind(fact, first.hint)
