"""The recipe of live pairs: two op files that take turns."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tracelens.analyze.diff import (
    Comparison,
    Side,
    join_subjects,
    read_expectation,
)
from tracelens.errors import OpFailedError
from tracelens.model.measurement import (
    Failure,
    OnRecord,
    Record,
    Run,
    Stage,
    Subject,
    SubjectRun,
)
from tracelens.model.op import Choice
from tracelens.model.pairs import Entry, Paired, Way
from tracelens.model.records import gather
from tracelens.model.report import Finding, Report
from tracelens.processes.child import run_in_children
from tracelens.processes.entries import check_interpreter
from tracelens.processes.lineup import Lineup, OnRefusal, SideFailedError
from tracelens.processes.process import LOG, last_words, one_interrupt
from tracelens.recipes.builds import Build, compare_builds
from tracelens.recipes.comparing import report_comparisons

if TYPE_CHECKING:
    from tracelens.measure.options import Options


_ALONE_SAMPLES = 50
_ALONE_BATCHES = 5
"""Most of each in a run whose host times nobody reads."""


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
    force: bool = False,
    threshold: float = 0.02,
    expect: Sequence[str] = (),
    on_record: OnRecord = lambda record: None,
) -> Report:
    """Let two builds take turns, and say which is faster, by how much, and why.

    Each side is first measured on its own, which checks its results and says where its time goes;
    then several `processes` of each, all kept warm, take turns: one alone could not say how far
    two processes of one build differ. Sides that are the same are an A/A check. `subtract_ns` is
    taken off every full call, for protocols that do so; the report says it. `timeout_s` is for a
    case of a run, and for each turn. Raises OpFailedError or UsageError where nothing can be
    compared.
    """
    expectations = [read_expectation(text) for text in expect]
    for python in {entry.python for entry in (baseline, candidate) if entry.python}:
        check_interpreter(python)
    measure = partial(
        _measured_alone,
        cases=cases,
        options=_briefly(options),
        timeout_s=timeout_s,
    )
    with _folder_of_two() as folders:
        alone = measure(
            baseline, folders[0], is_needed=True, on_record=_tell_of("baseline", on_record)
        )
        before = Build.of(alone, folders[0])
        alone = measure(
            candidate, folders[1], is_needed=False, on_record=_tell_of("candidate", on_record)
        )
        after = Build.of(alone, folders[1])
        with Lineup(
            baseline,
            candidate,
            processes=processes,
            options=options,
            folder=folders[0].parent,
            timeout_s=timeout_s,
        ) as lineup:
            play = partial(
                lineup.play,
                ways=ways,
                rounds=rounds,
                subtract_ns=subtract_ns,
            )
            comparisons = _all_in_turns(before, after, _told(play, on_record))
    _raise_where_nothing_ran(comparisons, baseline)
    return report_comparisons(
        comparisons,
        (before.first.environment, after.first.environment),
        force=force,
        threshold=threshold,
        expectations=expectations,
        names=(str(baseline), str(candidate)),
        same_sides=_place(baseline) == _place(candidate),
    )


def _tell_of(side: str, on_record: OnRecord) -> OnRecord:
    """Tell that a side is begun; return what tells of it with its name before that of each case."""
    on_record(Subject(case=side))

    def tell(record: Record) -> None:
        if isinstance(record, Subject):
            record = replace(record, case=": ".join(filter(None, (side, record.case))))
        on_record(record)

    return tell


def _told(play: Callable[..., Paired], on_record: OnRecord) -> Callable[..., Paired]:
    """Return a play that tells of its case, and then of its stages: both sides take part."""

    def played(cases: tuple[str | None, str | None], *, on_refusal: OnRefusal) -> Paired:
        on_record(Subject(case=cases[0]))
        return play(
            cases,
            on_refusal=on_refusal,
            on_stage=lambda stage: on_record(Stage(name=stage)),
        )

    return played


def _place(entry: Entry) -> tuple[Path, str | None, Path | None]:
    """Return what tells a side from any other.

    An interpreter's link is not followed: the environments of one Python share it.
    """
    python = shutil.which(entry.python) if entry.python else None
    return entry.op_path.resolve(), entry.variant, Path(python).absolute() if python else None


@contextmanager
def _folder_of_two() -> Iterator[tuple[Path, Path]]:
    """Make a folder for each side; both are gone afterwards, whoever asks the process to end."""
    with one_interrupt(), TemporaryDirectory(prefix="tracelens-") as name:
        folders = Path(name, "baseline"), Path(name, "candidate")
        for folder in folders:
            folder.mkdir()
        yield folders


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
    is_needed: bool,
    cases: tuple[str, ...],
    options: Options,
    timeout_s: float | None,
    on_record: OnRecord,
) -> Run:
    """Measure one side for its parts and kernels; its host times are left to the turns.

    Raises OpFailedError where no case was begun, or it `is_needed` and every case failed.
    """
    variants = (entry.variant,) if entry.variant else ()
    records = run_in_children(
        entry.op_path,
        folder=folder,
        choice=Choice(cases=cases, variants=variants, baseline_alone=True),
        options=options,
        timeout_s=timeout_s,
        on_record=on_record,
        python=entry.python or sys.executable,
    )
    run = gather(entry.op_path.stem, records)
    failures = [f for f in (run.failure, *(s.failure for s in run.subjects)) if f is not None]
    if any(failure.kind == "interrupted" for failure in failures):
        raise KeyboardInterrupt
    measured = any(found.measurements for found in run.subjects)
    if failures and not measured and (is_needed or not run.subjects):
        raise _error(failures[0], entry, folder)
    return replace(run, subjects=tuple(map(_without_host_times, run.subjects)))


def _error(failure: Failure, entry: Entry, folder: Path) -> OpFailedError:
    """Say what failed without the log: it is gone with its folder."""
    named = entry.op_path.name in failure.fact
    fact = failure.fact if named else f"{entry.op_path}: {failure.fact}"
    if failure.kind in ("crashed", "timeout"):
        return OpFailedError(fact, last_words(folder / LOG))
    return OpFailedError(fact, failure.hint.partition(f" {LOG} ")[0])


def _without_host_times(found: SubjectRun) -> SubjectRun:
    kept = tuple(m for m in found.measurements if m.tag.startswith("undisturbed/"))
    subject = replace(found.subject, variant=None, baseline=True)
    return replace(found, subject=subject, measurements=kept)


def _all_in_turns(
    baseline: Build, candidate: Build, play: Callable[..., Paired]
) -> list[Comparison]:
    """Compare two builds with turns of each case, under the name that each side has for it."""
    names = [  # the only case of a file may have any
        (before.subject.case if before else None, after.subject.case if after else None)
        for before, after in join_subjects(baseline.first, candidate.first)
    ]
    return [
        _in_turns(comparison, partial(play, named))
        for named, comparison in zip(names, compare_builds(baseline, candidate), strict=True)
    ]


def _in_turns(comparison: Comparison, play: Callable[..., Paired]) -> Comparison:
    """Add the turns of a case; where one side fails in them, the case has failed."""
    before, after = comparison.baseline, comparison.candidate
    if before is None or after is None or before.failure or after.failure:
        return comparison
    refused: dict[str, list[Finding]] = {"baseline": [], "candidate": []}

    def keep(side: str, way: Way, reason: str, advice: str) -> None:
        fact = f"the {way} calls were left out: {reason.rstrip('.')}"
        refused[side].append(
            Finding(tag=f"diff/no_{way}", severity="warning", fact=fact, advice=advice)
        )

    try:
        paired = play(on_refusal=keep)
    except OpFailedError as error:
        return _failed(comparison, before, after, error)
    sides = [
        replace(side, findings=(*side.findings, *refused[name]))
        for name, side in (
            ("baseline", _without_own_parts(before, paired)),
            ("candidate", _without_own_parts(after, paired)),
        )
    ]
    return replace(comparison, paired=paired, baseline=sides[0], candidate=sides[1])


def _failed(comparison: Comparison, before: Side, after: Side, error: OpFailedError) -> Comparison:
    """Say of the side that failed, or of both, that and why it did."""
    failure = f"{error.fact.rstrip('.')} ({error.hint.rstrip('.')})"
    blamed = error.side if isinstance(error, SideFailedError) else "both"
    return replace(
        comparison,
        baseline=before if blamed == "candidate" else replace(before, failure=failure),
        candidate=after if blamed == "baseline" else replace(after, failure=failure),
    )


def _raise_where_nothing_ran(comparisons: Sequence[Comparison], baseline: Entry) -> None:
    """Raise where the baseline failed in every case: then there is nothing to compare with."""
    sides = [comparison.baseline for comparison in comparisons if comparison.baseline]
    failures = [side.failure for side in sides if side.failure]
    if failures and len(failures) == len(sides):
        raise OpFailedError(
            f"{baseline.op_path}: nothing can be compared with it: {failures[0]}",
            f"See what `tracelens profile {baseline.op_path}` says of it.",
        )


def _without_own_parts(side: Side, paired: Paired) -> Side:
    """Let the parts of timed calls that were taken in turns stand for those of one process."""
    if "undisturbed/busy" not in paired:
        return side
    kept = {s: q for s, q in side.quantities.items() if not s.startswith("undisturbed/")}
    return replace(side, quantities=kept)
