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
    read_expectation,
    shared_environment,
    traced_side,
)
from tracelens.builds import Build, compare_builds
from tracelens.child import read_outline, run_in_children
from tracelens.errors import OpFailedError, TracelensError, UsageError
from tracelens.formats import read_trace
from tracelens.lineup import Lineup, SideFailedError
from tracelens.model.measurement import Outline, Record, Run, Stage, SubjectRun
from tracelens.model.op import Choice
from tracelens.model.pairs import Entry, Paired, Way
from tracelens.model.records import gather
from tracelens.model.report import Report
from tracelens.process import LOG, last_words
from tracelens.reporting import ended, trace_environment

if TYPE_CHECKING:
    from tracelens.measure.options import Options

OnRecord = Callable[[Record], None]

_NO_TRACELENS = "No module named 'tracelens'"

_ALONE_SAMPLES = 50
_ALONE_BATCHES = 5
"""Most of each in a run whose host times nobody reads."""


def diff_runs(
    baseline: Path | Sequence[Path],
    candidate: Path | Sequence[Path],
    *,
    force: bool = False,
    threshold: float = 0.02,
    expect: Sequence[str] = (),
) -> Report:
    """Compare two run folders: what changed, where it lies, and whether it is more than noise.

    Subjects are joined by case and variant. There is no ratio between different cards, protocols
    or cache states, unless `force`. The metric `diff/regressions/count` counts what got slower by
    more than `threshold`, a share. `expect` holds predictions such as `kernel: -20% +/- 3%`.
    Several runs of a side, each a process of its own, say how far processes of one build differ:
    their medians are then compared, and kernels and parts are those of the first run.
    Raises RunFolderError where a folder holds no run, UsageError for no prediction, or where runs
    of one side are not alike.
    """
    expectations = [read_expectation(text) for text in expect]
    builds = Build.read(baseline), Build.read(candidate)
    environments = builds[0].first.environment, builds[1].first.environment
    comparisons = list(compare_builds(*builds))
    sections = diff_sections(
        comparisons, environments, force=force, threshold=threshold, expectations=expectations
    )
    early = [ended(build.first.failure) for build in builds if build.first.failure is not None]
    return Report(
        command="diff",
        environment=shared_environment(*environments),
        sections=(*sections, *early),
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
            _measured_alone,
            cases=cases,
            options=_briefly(options),
            timeout_s=timeout_s,
            on_record=on_record,
        )
        before, after = map(measure, (baseline, candidate), folders)
        alone = list(compare_builds(Build.of(before, folders[0]), Build.of(after, folders[1])))
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


def _briefly(options: Options) -> Options:
    """Return options for the run of a side alone: for host times there are the turns."""
    return replace(
        options,
        samples=min(options.samples, _ALONE_SAMPLES),
        most_samples=min(options.most_samples, _ALONE_SAMPLES),
        batches=min(options.batches, _ALONE_BATCHES),
        functions=False,
    )


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
        if entry.python is not None and _NO_TRACELENS in said:
            raise TracelensError(
                f"{entry.python} cannot measure: tracelens is not installed there",
                f"install the same version: {entry.python} -m pip install tracelens-gpu",
            )
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
        paired = play(comparison.case)
        sides = [_without_own_parts(side, paired) for side in (before, after)]
        return replace(comparison, paired=paired, baseline=sides[0], candidate=sides[1])
    except SideFailedError as error:
        failure = f"{error.fact.rstrip('.')} ({error.hint})"
        if error.side == "baseline":
            return replace(comparison, baseline=replace(before, failure=failure))
        return replace(comparison, candidate=replace(after, failure=failure))


def _without_own_parts(side: Side, paired: Paired) -> Side:
    """Let the parts of timed calls that were taken in turns stand for those of one process."""
    if "undisturbed/busy" not in paired:
        return side
    kept = {s: q for s, q in side.quantities.items() if not s.startswith("undisturbed/")}
    return replace(side, quantities=kept)


def pair_variants(
    op_path: Path,
    *,
    against: str | None = None,
    python: str | None = None,
    options: Options,
    timeout_s: float | None = None,
) -> tuple[Entry, Entry]:
    """Return the two sides that one op file is: its baseline, and `against` or its only other.

    The file is loaded in a process of its own. Raises OpFileError where that fails, UsageError
    where there is nothing to compare with, or more than one.
    """
    with TemporaryDirectory(prefix="tracelens-") as name:
        outline = read_outline(
            op_path,
            folder=Path(name),
            options=options,
            timeout_s=timeout_s,
            python=python or sys.executable,
        )
    baseline, chosen = choose_two(outline, op_path, against=against)
    return (
        Entry(op_path=op_path, variant=baseline, python=python),
        Entry(op_path=op_path, variant=chosen, python=python),
    )


def choose_two(outline: Outline, op_path: Path, *, against: str | None) -> tuple[str | None, str]:
    """Return the baseline of an op file, and the variant to stand beside it.

    Raises UsageError where there is none, or more than one.
    """
    baseline = next(subject.variant for subject in outline.subjects if subject.baseline)
    names = list(dict.fromkeys(s.variant for s in outline.subjects if s.variant is not None))
    others = [name for name in names if name != baseline]
    if not others:
        raise UsageError(
            f"{op_path} has one variant alone: both sides are the same",
            "name a second op file, or two interpreters with --python",
        )
    if against is None and len(others) > 1:
        raise UsageError(
            f"{op_path} has {len(names)} variants, and two are compared: {', '.join(names)}",
            "choose with --variant: one to stand beside the baseline, or both",
        )
    chosen = others[0] if against is None else against
    if chosen not in others:
        what = "is the baseline itself" if chosen == baseline else "is no variant of it"
        raise UsageError(f"{chosen!r} {what}: {op_path}", f"choose from {', '.join(others)}")
    return baseline, chosen
