"""Where the host time of a call goes by Python function: sampled, with the profiler off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import PurePosixPath

from tracelens.analyze.apportioning import apportion
from tracelens.analyze.owners import STANDARD_LIBRARY, owner_of, owner_of_stack
from tracelens.analyze.statistics import median, paired_ratio
from tracelens.analyze.tree import branches
from tracelens.model.functions import Frame, FunctionSamples
from tracelens.model.report import Cell, Column, Metric, Section, Table
from tracelens.model.trace import MISSING

SIGMAS = 1.96
"""Standard errors to each side of a share that hold its true value 95 times in 100."""

_COLUMNS = (
    Column(name="name"),
    Column(name="self_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="total_ns", unit="ns"),
    Column(name="error_ns", unit="ns"),
    Column(name="samples", unit="count"),
    Column(name="depth", unit="count"),
    Column(name="parent", unit="count"),
    Column(name="file"),
    Column(name="line", unit="count"),
)

_UNKEPT = "stacks too rare to be kept"


def host_sampled(samples: FunctionSamples) -> Section:
    """Table the host time of a call as a tree of owners, functions and lines.

    The time is that of the calls without the sampler, `samples.plain_ns`; the samples say how it is
    divided. `self_ns` sum to it with `==`. A line's time holds the C code that it calls, framework
    ops included. `error_ns` is the sampling error of `total_ns`: in 95 of 100 such runs the truth
    lies no further away, if samples are independent.
    """
    whole_ns = median(samples.plain_ns) or 0
    return Section(
        title="Host time of a call by function, profiler off",
        metrics=(
            Metric(
                tag="host_sampled/whole",
                name="host time of a call",
                value=whole_ns,
                unit="ns",
                description=_taken(samples),
            ),
        ),
        tables=(Table(tag="host_sampled", columns=_COLUMNS, rows=tuple(_rows(samples, whole_ns))),),
    )


def slowed(samples: FunctionSamples) -> float | None:
    """Return a call under the sampler / one without it, block beside block."""
    return paired_ratio(samples.sampled_ns, samples.plain_ns)


def _taken(samples: FunctionSamples) -> str:
    ratio = slowed(samples)
    cost = "" if ratio is None else f", slowed x {ratio:.2f}"
    return f"{samples.samples:,} samples{cost}"


def error_ns(whole_ns: int, found: int, samples: int) -> int:
    """Return the sampling error of the time that `found` of some samples stand for, in ns."""
    share = found / samples
    return ceil(SIGMAS * sqrt(share * (1 - share) / samples) * whole_ns)


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the tree, by what makes it one: an owner, a function, a line."""

    name: str
    file: str | None = None
    line: int | None = None


Path = tuple[Place, ...]


def own_row(frames: list[Frame]) -> Path | None:
    """Return the row of the tree that has a stack's time as its innermost function's own.

    None where a caller is charged in its place.
    """
    if not frames:
        return _path(frames)
    return _path(frames)[:-1] if _charged(frames) is frames[-1] else None


def _rows(samples: FunctionSamples, whole_ns: int) -> Iterator[tuple[Cell, ...]]:
    places, parents, counts = _tree(samples)
    if not sum(counts):
        return
    selves = apportion(whole_ns, counts)
    below = {branch.node: branch.total for branch in branches(parents, counts)}
    for branch in branches(parents, selves):
        place, found = places[branch.node], below[branch.node]
        yield (
            place.name,
            selves[branch.node],
            selves[branch.node] / whole_ns,
            branch.total,
            error_ns(whole_ns, found, samples.samples),
            found,
            branch.depth,
            branch.parent,
            place.file,
            place.line,
        )


def _tree(samples: FunctionSamples) -> tuple[list[Place], list[int], list[int]]:
    """Return the nodes, each one's parent, and how many samples it has of its own."""
    numbers: dict[tuple[int, Place], int] = {}
    places: list[Place] = []
    parents: list[int] = []
    counts: list[int] = []
    paths = [(_path([samples.frames[at] for at in s.frames]), s.count) for s in samples.stacks]
    for path, count in (*_without_lone_lines(paths), ((Place(_UNKEPT),), samples.unkept)):
        node = MISSING
        for place in path:
            parent = node
            node = numbers.setdefault((parent, place), len(numbers))
            if node == len(places):
                places.append(place)
                parents.append(parent)
                counts.append(0)
        counts[node] += count
    return places, parents, counts


def _path(frames: list[Frame]) -> Path:
    """Return the owner of a stack, what for, then the function and the line where it is charged."""
    owner = owner_of_stack(frames)
    path = [Place(owner.group)]
    if owner.purpose is not None:
        path.append(Place(owner.purpose))
    if frames:
        frame = _charged(frames)
        file = PurePosixPath(frame.file).name
        path.append(Place(f"{frame.function} ({file}:{frame.defined})", frame.file, frame.defined))
        text = f" {frame.text.strip()}" if frame.text.strip() else ""
        path.append(Place(f"{file}:{frame.line}{text}", frame.file, frame.line))
    return tuple(path)


def _charged(frames: list[Frame]) -> Frame:
    """Return the innermost frame that is not the standard library's, for its caller pays."""
    theirs = (frame for frame in reversed(frames) if owner_of(frame).group != STANDARD_LIBRARY)
    return next(theirs, frames[-1])


def _without_lone_lines(paths: list[tuple[Path, int]]) -> Iterator[tuple[Path, int]]:
    """Leave out the lines of functions that were found at one line only: the function says it."""
    lines: dict[Path, set[Place]] = {}
    for path, _ in paths:
        lines.setdefault(path[:-1], set()).add(path[-1])
    for path, count in paths:
        lone = path[-1].line is not None and len(lines[path[:-1]]) == 1
        yield (path[:-1] if lone else path), count
