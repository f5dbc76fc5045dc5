"""The recipes that compare: two runs, two traces, or two op files that take turns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tracelens.analyze import Timeline, choose
from tracelens.analyze.diff import (
    Comparison,
    Side,
    diff_sections,
    join_subjects,
    read_expectation,
    shared_environment,
    traced_side,
)
from tracelens.child import run_in_children
from tracelens.errors import OpFailedError, TracelensError
from tracelens.formats import read_run, read_trace
from tracelens.model.measurement import Record, Run, Stage, SubjectRun
from tracelens.model.op import Choice
from tracelens.model.pairs import Entry, Paired, Way
from tracelens.model.records import gather
from tracelens.model.report import Report
from tracelens.process import LOG, last_words
from tracelens.reporting import Traces, ended, trace_environment, unreadable
from tracelens.worker import Lineup, SideFailedError

if TYPE_CHECKING:
    from tracelens.measure.options import Options

OnRecord = Callable[[Record], None]


def diff_runs(
    baseline: Path,
    candidate: Path,
    *,
    force: bool = False,
    threshold: float = 0.02,
    expect: Sequence[str] = (),
) -> Report:
    """Compare two run folders: what changed, where it lies, and whether it is more than noise.

    Subjects are joined by case and variant. There is no ratio between different cards, protocols
    or cache states, unless `force`. The metric `diff/regressions/count` counts what got slower by
    more than `threshold`, a share. `expect` holds predictions such as `kernel: -20% +/- 3%`.
    Raises RunFolderError where a folder holds no run, UsageError for no prediction.
    """
    expectations = [read_expectation(text) for text in expect]
    before, after = read_run(baseline), read_run(candidate)
    traces = Traces(baseline), Traces(candidate)
    comparisons = [_compared(joined, traces) for joined in join_subjects(before, after)]
    environments = before.environment, after.environment
    sections = diff_sections(
        comparisons, environments, force=force, threshold=threshold, expectations=expectations
    )
    ended = [ended(run.failure) for run in (before, after) if run.failure is not None]
    return Report(
        command="diff",
        environment=shared_environment(*environments),
        sections=(*sections, *ended),
    )


def diff_traces(
    baseline: Path,
    candidate: Path,
    *,
    window: str | None = None,
    time_window: str | None = None,
    force: bool = False,
    threshold: float = 0.02,
    expect: Sequence[str] = (),
) -> Report:
    """Compare two traces that were recorded anywhere: windows, kernels, launches and totals.

    Both were profiled, and the report says so. `window` and `time_window` choose as for
    `analyze_trace`, the rest is as for `diff_runs`. Raises TraceError where a file cannot be read,
    UsageError where a window does not exist.
    """
    expectations = [read_expectation(text) for text in expect]
    sides, environments = [], []
    for path in (baseline, candidate):
        trace = read_trace(path)
        timeline = Timeline.of(trace)
        windows = choose(timeline, window=window, time_window=time_window)
        sides.append(traced_side(timeline, windows))
        environments.append(trace_environment(trace, path))
    comparison = Comparison(case=None, variant=None, baseline=sides[0], candidate=sides[1])
    both = environments[0], environments[1]
    sections = diff_sections(
        [comparison], both, force=force, threshold=threshold, expectations=expectations
    )
    return Report(command="diff", environment=shared_environment(*both), sections=sections)


def diff_live(
    baseline: Entry,
    candidate: Entry,
    *,
    cases: tuple[str, ...] = (),
    ways: tuple[Way, ...] = ("eager",),
    processes: int = 3,
    rounds: int = 60,
    subtract_ns: int = 0,
    options: Options,
    timeout_s: float | None = None,
    threshold: float = 0.02,
    expect: Sequence[str] = (),
    on_record: OnRecord = lambda record: None,
) -> Report:
    """Let two builds take turns, and say which is faster, by how much, and why.

    Each side is first measured on its own, which checks its results and says where its time goes;
    then several `processes` of each, all kept warm, take turns: one alone could not say how far
    two processes of one build differ. `subtract_ns` is taken off every full call, for protocols
    that do so; the report says it. `timeout_s` is for a case of a run, and for each turn. Raises
    OpFailedError or UsageError where nothing can be compared.
    """
    expectations = [read_expectation(text) for text in expect]
    with TemporaryDirectory(prefix="tracelens-") as name:
        folders = Path(name, "baseline"), Path(name, "candidate")
        measure = partial(
            _measured_alone, cases=cases, options=options, timeout_s=timeout_s, on_record=on_record
        )
        before, after = map(measure, (baseline, candidate), folders)
        traces = Traces(folders[0]), Traces(folders[1])
        alone = [_compared(joined, traces) for joined in join_subjects(before, after)]
        with Lineup(
            *(baseline, candidate),
            processes=processes,
            options=options,
            folder=Path(name),
            timeout_s=timeout_s,
        ) as lineup:
            play = partial(
                lineup.play,
                ways=ways,
                rounds=rounds,
                subtract_ns=subtract_ns,
                on_stage=lambda stage: on_record(Stage(name=stage)),
            )
            comparisons = [_in_turns(comparison, play) for comparison in alone]
    environments = before.environment, after.environment
    sections = diff_sections(
        comparisons, environments, threshold=threshold, expectations=expectations
    )
    environment = shared_environment(*environments)
    return Report(command="diff", environment=environment, sections=sections)


def _measured_alone(
    entry: Entry,
    folder: Path,
    *,
    cases: tuple[str, ...],
    options: Options,
    timeout_s: float | None,
    on_record: OnRecord,
) -> Run:
    """Measure one side for its parts and kernels; its host times are left to the turns."""
    folder.mkdir()
    records = run_in_children(
        entry.op_path,
        folder=folder,
        choice=Choice(cases=cases, variants=(entry.variant,) if entry.variant else ()),
        options=options,
        timeout_s=timeout_s,
        on_record=on_record,
        python=entry.python or sys.executable,
    )
    run = gather(entry.op_path.stem, records)
    if not any(found.measurements for found in run.subjects):
        failures = [run.failure, *(found.failure for found in run.subjects)]
        failure = next(failure for failure in failures if failure is not None)
        said = last_words(folder / LOG) if failure.kind == "crashed" else failure.hint
        raise OpFailedError(f"{entry.op_path}: {failure.fact}", said)
    chosen = [found for found in run.subjects if entry.variant or found.subject.baseline]
    return replace(run, subjects=tuple(map(_without_host_times, chosen)))


def _without_host_times(found: SubjectRun) -> SubjectRun:
    kept = tuple(m for m in found.measurements if m.tag.startswith("undisturbed/"))
    subject = replace(found.subject, variant=None, baseline=True)
    return replace(found, subject=subject, measurements=kept)


def _in_turns(comparison: Comparison, play: Callable[..., Paired]) -> Comparison:
    """Add the turns of a case; where one side fails in them, the case has failed."""
    before, after = comparison.baseline, comparison.candidate
    if before is None or after is None or before.failure or after.failure:
        return comparison
    try:
        return replace(comparison, paired=play(comparison.case))
    except SideFailedError as error:
        failure = f"{error.fact.rstrip('.')} ({error.hint})"
        if error.side == "baseline":
            return replace(comparison, baseline=replace(before, failure=failure))
        return replace(comparison, candidate=replace(after, failure=failure))


def _compared(
    joined: tuple[SubjectRun | None, SubjectRun | None], traces: tuple[Traces, Traces]
) -> Comparison:
    about = next(found.subject for found in joined if found is not None)
    before, after = (_side(*of_one) for of_one in zip(joined, traces, strict=True))
    return Comparison(case=about.case, variant=about.variant, baseline=before, candidate=after)


def _side(found: SubjectRun | None, traces: Traces) -> Side | None:
    """Gather one side; a trace that cannot be read costs its own figures only."""
    if found is None:
        return None
    try:
        return Side.of_subject(found, traces.timeline(found.capture) if found.capture else None)
    except TracelensError as error:
        side = Side.of_subject(found, None)
        return replace(side, findings=(*side.findings, *unreadable(error).findings))
