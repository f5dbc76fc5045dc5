"""The recipes: what each command does, step by step. Every function returns a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

from tracelens.analyze import (
    ANALYSES,
    Timeline,
    choose,
    decode,
    launch_table,
    mark_lower_bounds,
    names_section,
    run_sections,
)
from tracelens.errors import OpFailedError, OpFileError, TracelensError, WrongResultError
from tracelens.formats import (
    is_file,
    open_run_folder,
    read_name_lines,
    read_names,
    read_trace,
)
from tracelens.model.kernel_name import KernelName
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Protocol,
    Record,
    Run,
    Withheld,
)
from tracelens.model.op import Op, Tolerance
from tracelens.model.report import Environment, Finding, Report, Section
from tracelens.model.trace import Trace
from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.measure.options import Options

OnRecord = Callable[[Record], None]


@dataclass(frozen=True, slots=True)
class Profile:
    """A run that was kept: what it measured, where its folder is, and how it ended early."""

    run: Run
    folder: Path
    failure: TracelensError | None

    @property
    def timed(self) -> bool:
        """Whether anything warm was measured, so that the report has something to show."""
        return any(m.tag != "cold/first_call" for m in self.run.measurements)

    @property
    def report(self) -> Report:
        """The report of the run."""
        if self.run.report is None:
            raise AssertionError("a profile is returned with its report, or not at all")
        return self.run.report


def analyze_trace(
    path: Path,
    *,
    window: str | None = None,
    time_window: str | None = None,
    launches: bool = False,
    recover: bool = False,
) -> Report:
    """Read a trace, split its windows and table its kernels.

    `window` names the annotation whose stretches are calls, `time_window` one whose stretches are
    cut out of the timeline; without either the trace's own are taken. `launches` adds a row per
    piece of device work. `recover` reads what is left of a truncated file, as lower bounds.
    Raises TraceError where the file cannot be read, UsageError where a window does not exist.
    """
    trace = read_trace(path, recover=recover)
    timeline = Timeline.of(trace)
    windows = choose(timeline, window=window, time_window=time_window)
    analyses = (*ANALYSES, launch_table) if launches else ANALYSES
    sections: Iterable[Section] = (analysis(timeline, windows) for analysis in analyses)
    if not trace.complete:
        sections = map(mark_lower_bounds, sections)
    return Report(
        command="analyze", environment=_environment(trace, path), sections=tuple(sections)
    )


def profile_file(
    op_path: Path,
    *,
    output: Path | None = None,
    force: bool = False,
    options: Options,
    timeout_s: float | None = None,
    on_record: OnRecord = lambda record: None,
) -> Profile:
    """Measure an op file in a child process and keep the run in a folder.

    The folder is `output`, or `<op>.run` (or the first free `<op>-2.run` ...); it is kept as soon
    as anything was measured, and `Profile.failure` then says how the run ended early. Raises
    OpFileError, WrongResultError or OpFailedError where nothing was measured, RunFolderError where
    the folder cannot be written.
    """
    from tracelens.child import run_in_child  # here, for analyze never starts a process

    with open_run_folder(output, op_path, force=force) as folder:
        records = run_in_child(
            op_path, folder=folder.path, options=options, timeout_s=timeout_s, on_record=on_record
        )
        run = gather(op_path.stem, records)
        if run.failure is not None and not run.measurements:
            raise _error(run.failure, kept=None)
        try:
            run = replace(run, report=report_run(run, folder.trace_path))
        finally:  # whatever is wrong with a report, what was measured is kept
            kept = folder.keep(run)
    failure = _error(run.failure, kept=kept) if run.failure else None
    return Profile(run=run, folder=kept, failure=failure)


def profile(
    call: Callable[..., Any],
    *inputs: Any,
    reference: Callable[..., Any] | None = None,
    tolerance: Tolerance | None = None,
    options: Options | None = None,
    on_record: OnRecord = lambda record: None,
) -> Report:
    """Measure `call(*inputs)` in this process and report it; nothing is written.

    Seeds are set and a profiler session is opened in the caller's process. Raises WrongResultError
    where the result differs from `reference(*inputs)`, OpFailedError where the op raises.
    """
    from tracelens.measure.options import Options as Defaults  # torch is loaded from here on
    from tracelens.measure.recipe import measure_op

    name = getattr(call, "__name__", type(call).__name__)
    op = Op(name=name, call=call, inputs=lambda: inputs, reference=reference, tolerance=tolerance)
    with TemporaryDirectory(prefix="tracelens-") as folder:
        trace_path = Path(folder) / "trace.json.gz"
        stream = measure_op(op, trace_path=trace_path, options=options or Defaults())
        run = gather(name, _shown(stream, on_record))
        if run.failure is not None:
            raise _error(run.failure, kept=None)
        return report_run(run, trace_path)


def name_kernels(sources: Sequence[str], *, stdin: BinaryIO) -> tuple[KernelName, ...]:
    """Decode kernel names, in the order asked.

    A source is a name, a file (a trace, or a name per line), or `-` for `stdin`. Raises
    TracelensError where a file cannot be read.
    """
    names: list[str] = []
    for source in sources:
        if source == "-":
            names += read_name_lines(stdin, source="standard input")
        elif is_file(source):
            names += read_names(Path(source))
        else:
            names.append(source)
    return tuple(decode(name) for name in names)


def report_kernels(kernels: Sequence[KernelName]) -> Report:
    """Report decoded names as a table for a person to read."""
    return Report(
        command="kernels",
        environment=Environment(tracelens=__version__),
        sections=(names_section(kernels),),
    )


def gather(op: str, records: Iterable[Record]) -> Run:
    """Put the records of a run together. The last Environment and Protocol stand."""
    taken = list(records)
    return Run(
        op=op,
        environment=_last(taken, Environment) or Environment(tracelens=__version__),
        protocol=_last(taken, Protocol),
        check=_last(taken, Check),
        measurements=tuple(r for r in taken if isinstance(r, Measurement)),
        withheld=tuple(r for r in taken if isinstance(r, Withheld)),
        capture=_last(taken, Capture),
        failure=_last(taken, Failure),
    )


def report_run(run: Run, trace_path: Path) -> Report:
    """Report a run, with what its trace says where it has one.

    A trace that cannot be read costs its own figures only: a finding says so.
    """
    try:
        sections = run_sections(run, _captured(run.capture, trace_path))
    except TracelensError as error:
        sections = (*run_sections(run, None), _unreadable(error))
    return Report(command="profile", environment=run.environment, sections=sections)


def _captured(capture: Capture | None, trace_path: Path) -> Timeline | None:
    return Timeline.of(read_trace(trace_path)) if capture else None


def _unreadable(error: TracelensError) -> Section:
    finding = Finding(tag="trace/unreadable", severity="error", fact=error.fact, advice=error.hint)
    return Section(title="Profiled pass", findings=(finding,))


def _shown(records: Iterator[Record], on_record: OnRecord) -> Iterator[Record]:
    for record in records:
        on_record(record)
        yield record


def _error(failure: Failure, *, kept: Path | None) -> TracelensError:
    kinds = {"input": OpFileError, "wrong result": WrongResultError}
    fact = failure.fact
    if kept is not None:
        fact += f" What was measured before that is kept in {kept}."
    return kinds.get(failure.kind, OpFailedError)(fact, failure.hint)


def _environment(trace: Trace, path: Path) -> Environment:
    device = trace.devices[0] if trace.devices else None
    return Environment(
        tracelens=__version__,
        device=device.name if device else None,
        device_count=len(trace.devices) or None,
        multiprocessors=device.multiprocessors if device else None,
        cuda=trace.versions.get("cuda_runtime"),
        torch=trace.versions.get("torch"),
        trace=path.name,
    )


def _last(records: list[Record], kind: type[Any]) -> Any:
    return next((r for r in reversed(records) if isinstance(r, kind)), None)
