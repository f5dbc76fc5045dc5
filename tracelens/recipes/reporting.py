"""A run's report: its measurements, beside what its traces say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tracelens.analyze import Ran, Timeline, run_sections, run_wide_sections, variant_sections
from tracelens.errors import TracelensError
from tracelens.formats import read_trace
from tracelens.model.measurement import Capture, Failure, Run, SubjectRun
from tracelens.model.report import Environment, Finding, Report, Section
from tracelens.model.trace import Trace
from tracelens.version import __version__


def report_run(run: Run, folder: Path) -> Report:
    """Report a run, with what its traces say where it has any; they lie in `folder`.

    A trace that cannot be read costs its own figures only: a finding says so.
    """
    sections: list[Section] = []
    subjects: list[Ran] = []
    traces = Traces(folder)
    for found in run.subjects:
        ran, own = _subject_sections(found, traces, run.environment)
        sections += own
        if not found.sweep:  # what compares variants knows of one size
            sections += variant_sections(ran, subjects)
            subjects.append(ran)
    sections += run_wide_sections(subjects, run.environment)
    if run.failure is not None:
        sections.append(ended(run.failure))
    return Report(command="profile", environment=run.environment, sections=tuple(sections))


class Traces:
    """The timelines of a run, read when they are asked for. The variants of a case share one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name: str | None = None
        self._timeline: Timeline | None = None

    def timeline(self, capture: Capture) -> Timeline:
        """Return the timeline of a profiled pass; only the last one is kept."""
        if self._timeline is None or capture.path != self._name:
            self._timeline = Timeline.of(read_trace(self._folder / capture.path))
            self._name = capture.path
        return self._timeline


def _subject_sections(
    found: SubjectRun, traces: Traces, environment: Environment
) -> tuple[Ran, tuple[Section, ...]]:
    try:
        timeline = traces.timeline(found.capture) if found.capture else None
        return Ran.of(found, timeline), run_sections(found, timeline, environment)
    except TracelensError as error:
        lost = replace(unreadable(error), case=found.subject.case, variant=found.subject.variant)
        return Ran.of(found, None), (*run_sections(found, None, environment), lost)


def ended(failure: Failure) -> Section:
    """Say how a run ended before its first subject."""
    finding = Finding(
        tag="run/ended_early", severity="error", fact=failure.fact, advice=failure.hint
    )
    return Section(title="Run", findings=(finding,))


def unreadable(error: TracelensError) -> Section:
    """Say why a profiled pass is not reported."""
    finding = Finding(tag="trace/unreadable", severity="error", fact=error.fact, advice=error.hint)
    return Section(title="Profiled pass", findings=(finding,))


def trace_environment(trace: Trace, path: Path) -> Environment:
    """Return what a trace says of where it was recorded."""
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
