"""A build as its run folders tell of it: one process each, the first for all but the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tracelens.analyze.diff import (
    Comparison,
    Side,
    environment_differences,
    join_subjects,
    joined_sides,
    protocol_differences,
)
from tracelens.errors import TracelensError, UsageError
from tracelens.formats import read_run
from tracelens.model.measurement import Run, SubjectRun
from tracelens.recipes.reporting import Traces, unreadable


@dataclass(frozen=True, slots=True)
class Build:
    """The runs of one build, each with the folder of its traces."""

    runs: tuple[Run, ...]
    traces: tuple[Traces, ...]

    @classmethod
    def of(cls, run: Run, folder: Path) -> Build:
        """Return a build of one run."""
        return cls((run,), (Traces(folder),))

    @classmethod
    def read(cls, folders: Path | Sequence[Path]) -> Build:
        """Read the run folders of a build.

        Raises RunFolderError where one holds no run, UsageError where they are not alike.
        """
        folders = [folders] if isinstance(folders, Path) else list(folders)
        runs = [read_run(folder) for folder in folders]
        for at, folder in enumerate(folders):
            for earlier, path in enumerate(folders[:at]):
                if path.resolve() == folder.resolve() or _are_one(runs[earlier], runs[at]):
                    raise UsageError(
                        f"{path} and {folder} are one run: one process says nothing of what two "
                        "differ by",
                        "give another run of the same build",
                    )
            reasons = _unlike(runs[0], runs[at])
            if reasons:
                raise UsageError(
                    f"{folders[0]} and {folder} stand for one build and are not alike: "
                    f"{'; '.join(reasons)}",
                    "give runs of one side that were taken on one machine, and alike",
                )
        return cls(tuple(runs), tuple(map(Traces, folders)))

    @property
    def first(self) -> Run:
        """The run that the kernels and parts are of."""
        return self.runs[0]

    def side(self, found: SubjectRun | None) -> Side | None:
        """Gather what all runs know of a subject of the first."""
        if found is None:
            return None
        like = [
            one
            for run in self.runs[1:]
            for of_first, one in join_subjects(self.first, run)
            if of_first is found
        ]
        pairs = zip((found, *like), self.traces, strict=True)
        return joined_sides([_side(one, traces) for one, traces in pairs if one is not None])


def compare_builds(baseline: Build, candidate: Build) -> Iterable[Comparison]:
    """Yield what both builds know of each subject, in the order of the baseline."""
    for before, after in join_subjects(baseline.first, candidate.first):
        about = next(found.subject for found in (before, after) if found is not None)
        yield Comparison(
            case=about.case,
            variant=about.variant,
            baseline=baseline.side(before),
            candidate=candidate.side(after),
        )


def _are_one(run: Run, other: Run) -> bool:
    """Whether two folders hold one run: no two runs sample the same nanoseconds."""
    samples = [found.measurements for found in run.subjects]
    return any(samples) and samples == [found.measurements for found in other.subjects]


def _unlike(run: Run, other: Run) -> list[str]:
    """Return why two runs cannot stand for one build, in words."""
    differences = environment_differences(run.environment, other.environment)
    for one, like in join_subjects(run, other):
        if one is not None and like is not None:
            differences += protocol_differences(one.protocol, like.protocol)
    reasons = [f"{d.what} {d.baseline} and {d.candidate}" for d in differences if d.bars]
    return list(dict.fromkeys(reasons))


def _side(found: SubjectRun, traces: Traces) -> Side:
    """Gather one run; a trace that cannot be read costs its own figures only."""
    try:
        return Side.of_subject(found, traces.timeline(found.capture) if found.capture else None)
    except TracelensError as error:
        side = Side.of_subject(found, None)
        return replace(
            side,
            findings=(*side.findings, *unreadable(error).findings),
            no_kernels="the profiled pass cannot be read",
        )
