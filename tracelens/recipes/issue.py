"""The recipe of an issue: a run or a trace in; text, reproducer and trace out, redacted.

What is private is taken out of values before they are rendered, so that no cut and no escape can
leave half of it behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tracelens.errors import OpFileError, RunFolderError, TraceError, UsageError
from tracelens.formats.issue_folder import ISSUE_NAME, REPRODUCER_NAME
from tracelens.formats.issue_json import numbers_block
from tracelens.formats.neighbours import read_neighbours
from tracelens.formats.private_words import words_of_machine, words_of_trace
from tracelens.formats.recorded_ops import read_op_names, read_ops_named, read_ops_within
from tracelens.formats.redaction import Redactor
from tracelens.formats.run_folder import OP_NAME, TRACE_NAME, read_run
from tracelens.formats.shrunk_trace import trace_texts, write_shrunk_trace
from tracelens.model.dossier import ComparedDossier, Dossier, RecordedOp
from tracelens.model.measurement import Run
from tracelens.model.report import Report, Table
from tracelens.render.issue import render_comparison, render_issue
from tracelens.render.repro import (
    is_callable_op,
    read_op_source,
    repro_of_recorded,
    repro_of_run,
)

_NAMES_SHOWN = 8
_NUMBERED = re.compile(r"(?P<number>trace-\d+)-?(?P<case>.*)\.json\.gz")
_HINT_OP = "Name one that the trace has, such as --op aten::mm."


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an issue is made of. A trace alone has no run and no op file."""

    report: Report
    traces: tuple[Path, ...]
    title: str
    run: Run | None = None
    op_path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """The files of an issue, and what was replaced in them: kind and string, how often.

    `replaced` is for the eyes of their owner: it holds what must not leave.
    """

    files: tuple[Path, ...]
    replaced: Mapping[tuple[str, str], int]


def source_of_run(folder: Path) -> Source:
    """Read a run folder. Raises RunFolderError where it holds no run with a report."""
    run = read_run(folder)
    if run.report is None:
        raise RunFolderError(f"{folder} holds no report: the run ended early", "Profile it again.")
    names = dict.fromkeys(s.capture.path for s in run.subjects if s.capture is not None)
    op_path = folder / OP_NAME
    return Source(
        report=run.report,
        traces=tuple(path for path in (folder / name for name in names) if path.is_file()),
        title=run.op,
        run=run,
        op_path=op_path if op_path.is_file() else None,
    )


def source_of_trace(path: Path, report: Report) -> Source:
    """Take a trace and its report. Its file's name stays behind: it may tell of a job."""
    environment = replace(report.environment, trace=TRACE_NAME)
    return Source(
        report=replace(report, environment=environment), traces=(path,), title="recorded trace"
    )


def make_issue(source: Source, folder: Path, *, trace: bool = True, op: str | None = None) -> Issue:
    """Write the files of an issue into an empty folder.

    `op` names the recorded framework op that a reproducer is built of. Raises UsageError where
    there is none of the name, TraceError and ExportError where a trace cannot be read or written.
    """
    redactor = _redactor_of(source)
    public = _redacted(source, redactor)
    dossier = _of_source(public, redactor) if op is None else _of_recorded(public, op, redactor)
    if trace:
        dossier = _with_traces(dossier, public, folder, redactor)
    dossier = replace(dossier, replaced=_counts(redactor))
    if dossier.reproducer:
        (folder / REPRODUCER_NAME).write_text(dossier.reproducer, "utf-8")
    numbers = numbers_block(dossier.report, title=dossier.title)
    (folder / ISSUE_NAME).write_text(render_issue(dossier, numbers=numbers), "utf-8")
    return _written(folder, redactor)


def make_comparison(
    report: Report, baseline: Source, candidate: Source, folder: Path, *, trace: bool = True
) -> Issue:
    """Write the files of an issue about two builds into an empty folder.

    `report` says what changed. Each file but `issue.md` has its side in its name. Raises as
    `make_issue` does.
    """
    redactor = _redactor_of(baseline, candidate)
    sides = []
    for side, source in (("baseline", baseline), ("candidate", candidate)):
        public = _redacted(source, redactor)
        name = REPRODUCER_NAME.replace(".", f"-{side}.")
        dossier = replace(_of_source(public, redactor), reproducer_name=name)
        if trace:
            dossier = _with_traces(dossier, public, folder, redactor, side=side)
        if dossier.reproducer:
            (folder / name).write_text(dossier.reproducer, "utf-8")
        sides.append(dossier)
    report = redactor.value(report)
    compared = ComparedDossier(
        report=report, baseline=sides[0], candidate=sides[1], replaced=_counts(redactor)
    )
    numbers = numbers_block(report, title=sides[1].title)
    (folder / ISSUE_NAME).write_text(render_comparison(compared, numbers=numbers), "utf-8")
    return _written(folder, redactor)


def texts_of(issue: Issue) -> dict[str, tuple[str, ...]]:
    """Return what the files of an issue say in words, by the name of the file."""
    return {
        path.name: trace_texts(path) if path.suffix == ".gz" else (path.read_text("utf-8"),)
        for path in issue.files
    }


def _redactor_of(*sources: Source) -> Redactor:
    traces = (path for source in sources for path in source.traces)
    words = [*words_of_machine(), *(word for path in traces for word in words_of_trace(path))]
    return Redactor(words, versions=(v for s in sources for v in s.report.environment.versions))


def _counts(redactor: Redactor) -> dict[str, int]:
    return dict(redactor.counts.most_common())


def _written(folder: Path, redactor: Redactor) -> Issue:
    return Issue(files=tuple(sorted(folder.iterdir())), replaced=dict(redactor.found))


def _redacted(source: Source, redactor: Redactor) -> Source:
    """Return a source whose report and run tell nothing private. Its files are as they were."""
    report = redactor.value(source.report)
    run = source.run and redactor.value(replace(source.run, report=None))
    return replace(
        source,
        report=report,
        run=run and replace(run, report=report),
        title=redactor.text(source.title),
    )


def _of_source(source: Source, redactor: Redactor) -> Dossier:
    dossier = Dossier(
        title=source.title,
        report=source.report,
        run=source.run,
        recorded=redactor.value(_recorded(source)),
    )
    if source.run is None or source.op_path is None:
        return dossier
    before = redactor.counts.total()
    beside = read_neighbours(source.op_path.parent)
    # a path here is the name of a module, and changes as that does in the imports
    sources = {redactor.words(path): redactor.source(text) for path, text in beside.items()}
    try:
        op_source = read_op_source(redactor.source(_text(source.op_path)), beside=sources)
    except (SyntaxError, ValueError) as reason:  # somebody edited the copy
        fact = f"{source.op_path} is no Python: {reason}"
        raise OpFileError(fact, "Profile the op again.") from None
    return replace(
        dossier,
        reproducer=repro_of_run(source.run, op_source),
        needs=op_source.needs,
        carries=tuple(op_source.beside),
        changed_source=redactor.counts.total() - before,
    )


def _of_recorded(source: Source, name: str, redactor: Redactor) -> Dossier:
    """Build a reproducer of the commonest call of a recorded op."""
    if not is_callable_op(name):
        raise UsageError(f"{name!r} is no framework op: its name has no `::`", _HINT_OP)
    found = [op for path in source.traces for op in read_ops_named(path, name)]
    if not found:
        names = [n for path in source.traces for n in read_op_names(path) if is_callable_op(n)]
        shown = ", ".join(dict.fromkeys(names[:_NAMES_SHOWN])) or "none"
        raise UsageError(f"the trace has no op {name!r}; its commonest: {shown}", _HINT_OP)
    op, *others = redactor.value(sorted(found, key=lambda op: -op.count))
    text, missing = repro_of_recorded(
        op, device=_device(source.report), environment=source.report.environment
    )
    if others:
        missing = (
            f"{len(others)} other sets of arguments: this one was called {op.count} times of "
            f"{sum(o.count for o in found)}",
            *missing,
        )
    return Dossier(
        title=op.name,
        report=source.report,
        run=source.run,
        recorded=(op, *others),
        reproducer=text,
        missing=missing,
    )


def _recorded(source: Source) -> tuple[RecordedOp, ...]:
    """Return the framework ops of the first window, from the first trace that has any."""
    windows = _windows(source.report)
    if source.run is None and len(windows) < 2:
        return ()  # the whole trace is no call
    return next((found for p in source.traces if (found := _first_call(p, windows))), ())


def _first_call(path: Path, windows: list[tuple[int, int]]) -> tuple[RecordedOp, ...]:
    try:
        return read_ops_within(path, windows[0]) if windows else ()
    except TraceError:  # a trace of another format has no arguments
        return ()


def _with_traces(
    dossier: Dossier, source: Source, folder: Path, redactor: Redactor, *, side: str = ""
) -> Dossier:
    """Write the traces of a source, shrunk and redacted, and say so in its dossier."""
    windows = _windows(source.report)
    attached = []
    for path in source.traces:
        name = TRACE_NAME if source.run is None else _trace_name(path.name, source.run)
        name = f"{side}-{name}" if side else name
        attached.append(
            write_shrunk_trace(folder / name, source=path, windows=windows, redactor=redactor)
        )
    return replace(dossier, attachments=tuple(attached))


def _trace_name(name: str, run: Run) -> str:
    """Return what a trace is called: what of its case's name is in it may be private there."""
    told = _NUMBERED.fullmatch(name)
    if told is None:
        return TRACE_NAME
    cases = (re.sub("[^A-Za-z0-9]+", "-", found.subject.case or "") for found in run.subjects)
    if any(told["case"] and case.strip("-").startswith(told["case"]) for case in cases):
        return name
    return f"{told['number']}.json.gz"


def _windows(report: Report) -> list[tuple[int, int]]:
    """Return the windows of a report as `[start, end)` in ns, over all of its subjects."""
    found = []
    for section in report.sections:
        for table in section.tables:
            if table.tag == "windows":
                found += list(_stretches(table))
    return found


def _stretches(table: Table) -> Iterator[tuple[int, int]]:
    names = [column.name for column in table.columns]
    for row in table.rows:
        start_ns, wall_ns = row[names.index("start_ns")], row[names.index("wall_ns")]
        if isinstance(start_ns, int) and isinstance(wall_ns, int):
            yield start_ns, start_ns + wall_ns


def _device(report: Report) -> str:
    """Return where a trace's ops ran, as far as it tells: it recorded a device, or none."""
    return "cuda" if report.environment.device else "cpu"


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as reason:
        raise OpFileError(f"{path} cannot be read: {reason}", "Profile the op again.") from None
