"""Accepted runs, by a name and the kind of place they were taken: plain folders, newest last.

    .tracelens/baselines/main/NVIDIA-H200-1f0c2ab4/1.run
    .tracelens/baselines/main/NVIDIA-H200-1f0c2ab4/2.run

A run is copied into a hidden folder and renamed, so that a reader finds all of it or nothing, and
two writers take two numbers. None is ever replaced: delete the old ones as you like.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from itertools import count
from pathlib import Path

from tracelens.errors import RunFolderError, UsageError
from tracelens.formats.run_folder import RUN_NAME, read_run
from tracelens.formats.unfinished import Unfinished, begin_unfinished
from tracelens.model.measurement import Run

STORE = Path(".tracelens/baselines")

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_NUMBERED = re.compile(r"([1-9][0-9]{0,8})\.run")
_LONGEST = 40
_NO_CARD = "cpu"


def accept_run(name: str, source: Path, *, store: Path = STORE) -> Path:
    """Copy a run folder to the end of the accepted ones of that name; return where it lies.

    Raises RunFolderError where it is no run, or the store cannot be written, UsageError where no
    name is given or nothing was measured.
    """
    run = read_run(source)
    if not any(found.measurements for found in run.subjects):
        raise UsageError(f"{source} measured nothing: it is no baseline", "accept another run")
    place = _place(name, run, store)
    try:
        place.mkdir(parents=True, exist_ok=True)
        unfinished = begin_unfinished(place)
        try:
            _copy(source, unfinished.path)
            return _number(unfinished, place)
        finally:
            unfinished.remove()
    except OSError as reason:
        why = reason.strerror or str(reason)
        raise RunFolderError(
            f"{place}: the run cannot be stored: {why}", "choose another folder with --store"
        ) from None


def find_accepted(name: str, candidate: Path, *, store: Path = STORE) -> Path:
    """Return the run that was accepted last for the card and the protocol of a candidate.

    Raises RunFolderError where the candidate is no run, the store cannot be read or its last run is
    damaged, UsageError where none was accepted for it.
    """
    place = _place(name, read_run(candidate), store)
    try:
        accepted = _accepted(place)
        others = sorted(path.name for path in place.parent.glob("*") if _accepted(path))
    except OSError as reason:
        raise RunFolderError(
            f"{place}: the accepted runs cannot be read: {reason.strerror or reason}",
            "choose another folder with --store",
        ) from None
    if accepted:
        return _whole(accepted[max(accepted)])
    known = f"; it has runs for {', '.join(others)}" if others else ""
    raise UsageError(
        f"the baseline {name!r} has no run for this card and protocol, {place.name}, in "
        f"{store}{known}",
        "accept one: tracelens diff --accept NAME RUN",
    )


def _whole(newest: Path) -> Path:
    try:
        read_run(newest)
    except RunFolderError as error:
        raise RunFolderError(
            error.fact, f"delete {newest}: the run that was accepted before it then counts"
        ) from None
    return newest


def _place(name: str, run: Run, store: Path) -> Path:
    """Return the folder of a name and of where and how the run was taken."""
    if not name or len(name) > 1_000:
        raise UsageError("a baseline needs a name of 1 to 1,000 characters", "name it, as main")
    card = run.environment.device or _NO_CARD
    return store / _folder_name(name) / f"{_slug(card)}-{_digest(repr(_taken(run)))}"


def _taken(run: Run) -> tuple[object, ...]:
    """Return what must be alike for two runs to be compared: the machine and what a sample is."""
    place = run.environment
    machine = (place.device, place.compute_capability, place.multiprocessors, place.mig, place.cpu)
    protocols = [found.protocol for found in run.subjects if found.protocol is not None]
    ways = {(p.device.partition(":")[0], p.cache_state, p.clock) for p in protocols}
    return (*machine, *sorted(ways))


def _folder_name(name: str) -> str:
    """Return a name as one part of a path; what a path cannot hold is told apart by a digest."""
    return name if _PLAIN.fullmatch(name) else f"{_slug(name)}-{_digest(name)}"


def _slug(text: str) -> str:
    return re.sub("[^A-Za-z0-9]+", "-", text)[:_LONGEST].strip("-") or "x"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _accepted(place: Path) -> dict[int, Path]:
    """Return the whole runs of a folder by their number."""
    try:
        paths = [path for path in place.iterdir() if (path / RUN_NAME).is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {int(found[1]): path for path in paths if (found := _NUMBERED.fullmatch(path.name))}


def _copy(source: Path, target: Path) -> None:
    """Copy the files of a run folder; links and folders are no part of one."""
    for path in source.iterdir():
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            shutil.copyfile(path, target / path.name)


def _number(unfinished: Unfinished, place: Path) -> Path:
    for number in count(max(_accepted(place), default=0) + 1):
        path = place / f"{number}.run"
        try:
            unfinished.finish(path)
        except OSError as reason:
            taken = os.path.lexists(path) or reason.errno in (errno.EEXIST, errno.ENOTEMPTY)
            if not taken:
                raise
        else:
            return path
    raise AssertionError("numbers do not end")
