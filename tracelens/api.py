"""The recipes: what each command does, step by step. Every function returns a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from tracelens.analyze import (
    ANALYSES,
    Timeline,
    Windows,
    choose,
    decode,
    doctor,
    launch_table,
    mark_lower_bounds,
    names_section,
    split_tracks,
)
from tracelens.errors import UsageError
from tracelens.formats import (
    MAX_EXPANDED_BYTES,
    accept_run,
    find_accepted,
    is_file,
    read_name_lines,
    read_names,
    read_run,
    read_trace,
    write_perfetto,
)
from tracelens.model.calibration import Calibration
from tracelens.model.kernel_name import KernelName
from tracelens.model.measurement import Withheld
from tracelens.model.report import Environment, Report, Section
from tracelens.processes.entries import pair_variants
from tracelens.recipes.comparing import diff_runs, diff_traces
from tracelens.recipes.live import diff_live
from tracelens.recipes.profiling import (
    Profile,
    ShownReport,
    profile,
    profile_file,
    profile_statement,
    require_torch,
)
from tracelens.recipes.reporting import report_run, trace_environment
from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.recipes.issue import Issue, Source

__all__ = [
    "Profile",
    "ShownReport",
    "accept_run",
    "analyze_run",
    "analyze_trace",
    "check_issue",
    "diff_live",
    "diff_runs",
    "diff_traces",
    "examine_machine",
    "find_accepted",
    "name_kernels",
    "pair_variants",
    "profile",
    "profile_file",
    "profile_statement",
    "read_issue",
    "report_kernels",
    "report_run",
    "write_issue",
]


def analyze_trace(
    path: Path | str,
    *,
    window: str | None = None,
    time_window: str | None = None,
    launches: bool = False,
    recover: bool = False,
    perfetto: Path | None = None,
    max_expanded_bytes: int = MAX_EXPANDED_BYTES,
) -> Report:
    """Read a trace, split its windows and table its kernels.

    `window` names the annotation whose stretches are calls, `time_window` one whose stretches are
    cut out of the timeline; without either the trace's own are taken. `launches` adds a row per
    piece of device work. `recover` reads what is left of a truncated file, as lower bounds.
    `perfetto` is a new file for a copy of the trace with the split as tracks, to open in Perfetto.
    A gzip file that expands to more than `max_expanded_bytes` is refused. Raises TraceError where
    the file cannot be read, UsageError where a window does not exist, ExportError where the copy
    cannot be written.
    """
    path = Path(path)
    trace = read_trace(path, recover=recover, max_expanded_bytes=max_expanded_bytes)
    timeline = Timeline.of(trace)
    windows = choose(timeline, window=window, time_window=time_window)
    analyses = (*ANALYSES, launch_table) if launches else ANALYSES
    sections: Iterable[Section] = (analysis(timeline, windows) for analysis in analyses)
    if not trace.complete:
        sections = map(mark_lower_bounds, sections)
    if perfetto is not None:
        sections = (*sections, *_export(perfetto, path, timeline, windows, max_expanded_bytes))
    return Report(
        command="analyze", environment=trace_environment(trace, path), sections=tuple(sections)
    )


def _export(
    target: Path, source: Path, timeline: Timeline, windows: Windows, max_expanded_bytes: int
) -> tuple[Section, ...]:
    tracks = split_tracks(timeline, windows)
    findings = write_perfetto(
        target,
        source=source,
        trace=timeline.trace,
        tracks=tracks,
        max_expanded_bytes=max_expanded_bytes,
    )
    return (Section(title="Perfetto export", findings=findings),) if findings else ()


def analyze_run(folder: Path) -> Report:
    """Return the report of a kept run, read anew from its samples and its traces.

    What this version has to say of an old run is then said. Where a trace is no longer there the
    report is that of `run.json`. Raises RunFolderError where the folder holds no run.
    """
    run = read_run(folder)
    traces = [folder / found.capture.path for found in run.subjects if found.capture is not None]
    if run.report is not None and not all(path.is_file() for path in traces):
        return run.report
    return report_run(run, folder)


def examine_machine() -> Report:
    """Calibrate the instrument on this machine against known truth.

    It opens a profiler session, so nothing else is to be measured in the same process.
    """
    require_torch()
    from tracelens.measure.doctor import examine  # torch is loaded from here on

    with TemporaryDirectory(prefix="tracelens-") as folder:
        trace_path = Path(folder) / "trace.json.gz"
        records = list(examine(trace_path=trace_path))
        timeline = Timeline.of(read_trace(trace_path)) if trace_path.exists() else None
    withheld = [r.finding for r in records if isinstance(r, Withheld)]
    calibrations = [r for r in records if isinstance(r, Calibration)]
    environment = next(r for r in records if isinstance(r, Environment))
    section = doctor(calibrations, timeline, withheld)
    return Report(command="doctor", environment=environment, sections=(section,))


def write_issue(
    source: Path,
    *,
    candidate: Path | None = None,
    output: Path | None = None,
    trace: bool = True,
    op: str | None = None,
) -> Path:
    """Write an issue that others can reproduce, from a run folder or a trace; return its folder.

    It holds `issue.md`, `repro.py` where there is an op, and unless `trace` is False the trace, all
    without what is private. With the run folder of a `candidate` it is about both, and what changed
    from `source` to it. `output` defaults to `<source>.issue`. `op` names a recorded framework op
    to reproduce instead, such as `aten::mm`. Raises RunFolderError, TraceError, UsageError where
    it has none of that name, ExportError where something is in the way.
    """
    from tracelens.formats.issue_folder import issue_folder_path, new_issue_folder

    make = _issue_of(source, candidate=candidate, trace=trace, op=op)
    target = output or issue_folder_path(candidate or source)
    with new_issue_folder(target) as folder:
        make(folder)
    return target


def read_issue(path: Path) -> bytes:
    """Return the numbers of an `issue.md` as JSON. Raises ExportError where it has none."""
    from tracelens.formats.issue_json import read_numbers

    return read_numbers(path)


def check_issue(
    source: Path, *, candidate: Path | None = None, trace: bool = True, op: str | None = None
) -> str:
    """Return, for the owner's eyes, what `write_issue` would replace and every string it leaves.

    Nothing is written. Raises as `write_issue` does.
    """
    from tracelens.recipes.issue import texts_of
    from tracelens.render.issue.check import render_check

    make = _issue_of(source, candidate=candidate, trace=trace, op=op)
    with TemporaryDirectory(prefix="tracelens-") as folder:
        issue = make(Path(folder))
        return render_check(issue.replaced, texts_of(issue))


def _issue_of(
    source: Path, *, candidate: Path | None, trace: bool, op: str | None
) -> Callable[[Path], Issue]:
    """Return what writes an issue into a folder, with its sources read."""
    from tracelens.recipes.issue import (  # others need none of it
        make_comparison,
        make_issue,
        source_of_run,
    )

    if candidate is None:
        return partial(make_issue, _source_of(source), trace=trace, op=op)
    if not (source.is_dir() and candidate.is_dir()) or op is not None:
        raise UsageError(
            "an issue of two builds is made of two run folders, without --op",
            "Profile both builds, and pass the folders.",
        )
    report = diff_runs(source, candidate)
    sides = source_of_run(source), source_of_run(candidate)
    return partial(make_comparison, report, *sides, trace=trace)


def _source_of(path: Path) -> Source:
    from tracelens.recipes.issue import source_of_run, source_of_trace

    if path.is_dir():
        return source_of_run(path)
    return source_of_trace(path, analyze_trace(path, recover=True))  # what is lost, it says


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
