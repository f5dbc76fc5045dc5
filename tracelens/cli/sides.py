"""The two sides of `tracelens diff`: their kind, and which options mean anything to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click
from click.core import ParameterSource

from tracelens.errors import UsageError

Kind = Literal["op file", "run", "trace"]

_LIVE = (
    *("variants", "pythons", "cases", "mode", "processes", "rounds"),
    *("l2", "subtract_us", "device", "timeout"),
)
_OF_KIND: dict[str, tuple[Kind, ...]] = {
    **dict.fromkeys(_LIVE, ("op file",)),
    "window": ("trace",),
    "time_window": ("trace",),
}
"""Options that mean something for sides of some kinds alone."""
_OF_ACCEPTING = frozenset({"accept", "paths", "store", "quiet", "verbose"})


def choose_sides(
    paths: Sequence[Path], others: Sequence[Path]
) -> tuple[Kind, Sequence[Path], Sequence[Path]]:
    """Return the kind of both sides and their paths; one op file alone is the baseline of itself.

    Raises UsageError where a path is not there or is a part of a run, or they are no two sides of
    one kind.
    """
    every = [*paths, *others]
    for path in every:
        if not path.exists():
            raise UsageError(f"there is no {path}", "check the path")
        require_whole_run(path)
    kinds = {_kind(path) for path in every}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind == "run" and paths and others:
        return kind, paths, others
    if kind is not None and len(paths) == 2 and not others:
        return kind, paths[:1], paths[1:]
    if kind == "op file" and len(paths) == 1 and not others:
        return kind, paths, ()
    given = ", ".join(f"{path} ({_kind(path)})" for path in every) or "nothing"
    raise UsageError(
        f"two sides of one kind are needed; given: {given}",
        "pass two run folders, two traces or two op files, or one op file with two variants or "
        "interpreters; several runs of the candidate each with --to",
    )


def refuse_options_of_others(kind: Kind) -> None:
    """Raise UsageError for an option that says nothing of sides of this kind: it would be lost."""
    for option in _given():
        meant = _OF_KIND.get(option.name or "", (kind,))
        if kind not in meant:
            raise UsageError(
                f"{option.opts[-1]} is for {' and '.join(f'{k}s' for k in meant)}, and these are "
                f"{kind}s",
                "leave it out",
            )


def refuse_options_beside_accept() -> None:
    """Raise UsageError for an option that says nothing where a run is accepted."""
    for option in _given():
        if option.name not in _OF_ACCEPTING:
            raise UsageError(
                f"--accept compares nothing, so that {option.opts[-1]} means nothing beside it",
                "compare first, then accept",
            )


def require_recording(path: Path) -> None:
    """Raise UsageError for an op file, which is yet to be measured, and for a file of a run."""
    if path.suffix == ".py":
        raise UsageError(
            f"{path} is an op file: nothing was recorded there",
            f"measure it first: tracelens profile {path}",
        )
    require_whole_run(path)


def require_whole_run(path: Path) -> None:
    """Raise UsageError for one file of a run in place of its folder."""
    if path.name == "run.json":
        raise UsageError(f"{path} is one file of a run", f"pass the whole folder, {path.parent}")


def _given() -> list[click.Parameter]:
    """Return the parameters that the command line has, in the order of the command."""
    context = click.get_current_context()
    return [
        parameter
        for parameter in context.command.params
        if parameter.name is not None
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]


def _kind(path: Path) -> Kind:
    if path.suffix == ".py":
        return "op file"
    return "run" if path.is_dir() else "trace"
