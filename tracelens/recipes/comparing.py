"""The recipes that compare what is there already: two runs, or two traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tracelens.analyze import Timeline, choose
from tracelens.analyze.diff import (
    Comparison,
    Expectation,
    diff_sections,
    read_expectation,
    shared_environment,
    traced_side,
)
from tracelens.formats import read_trace
from tracelens.model.report import Column, Environment, Report, Table
from tracelens.recipes.builds import Build, compare_builds
from tracelens.recipes.reporting import ended, trace_environment


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
    report = report_comparisons(
        list(compare_builds(*builds)),
        (builds[0].first.environment, builds[1].first.environment),
        force=force,
        threshold=threshold,
        expectations=expectations,
        names=(_named(baseline), _named(candidate)),
    )
    early = [ended(build.first.failure) for build in builds if build.first.failure is not None]
    return replace(report, sections=(*report.sections, *early))


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
    return report_comparisons(
        [comparison],
        (environments[0], environments[1]),
        force=force,
        threshold=threshold,
        expectations=expectations,
        names=(str(baseline), str(candidate)),
    )


def report_comparisons(
    comparisons: Sequence[Comparison],
    environments: tuple[Environment, Environment],
    *,
    force: bool,
    threshold: float,
    expectations: Sequence[Expectation],
    names: tuple[str, str],
    same_sides: bool = False,
) -> Report:
    """Report what two sides differ by, under what their environments have in common.

    `names` says what the baseline and the candidate are, `same_sides` that they are one, on
    purpose.
    """
    total, *others = diff_sections(
        comparisons,
        environments,
        force=force,
        threshold=threshold,
        expectations=expectations,
        same_sides=same_sides,
    )
    sides = Table(
        tag="sides",
        columns=(Column(name="side"), Column(name="given")),
        rows=tuple(zip(("baseline", "candidate"), names, strict=True)),
    )
    return Report(
        command="diff",
        environment=shared_environment(*environments),
        sections=(replace(total, tables=(sides, *total.tables)), *others),
    )


def _named(folders: Path | Sequence[Path]) -> str:
    first, *others = [folders] if isinstance(folders, Path) else folders
    return f"{first} and {len(others)} more" if others else str(first)
