"""A run folder: everything that one run measured, whole or not there at all.

A run is written into a hidden folder beside its target and renamed at the end.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import TracebackType

from tracelens.errors import OpFileError, RunFolderError
from tracelens.formats.neighbours import keep_neighbours
from tracelens.formats.run_json import decode_run, encode_run
from tracelens.formats.unfinished import Unfinished, begin_unfinished
from tracelens.model.measurement import Run

RUN_NAME = "run.json"
TRACE_NAME = "trace.json.gz"
OP_NAME = "op.py"
LOG_NAME = "op.log"

_HINT = "Pass another folder with -o."


def open_run_folder(target: Path | None, op_path: Path, *, force: bool = False) -> RunFolder:
    """Begin a run folder and copy the op file with its neighbours into it.

    Nothing is at `target` until it is kept. Without a target the run goes to `<stem>.run` of
    `op_path` in the working folder, or to the first free of `-2.run`, `-3.run` ... With `force` a
    run folder at `target` is replaced when the new one is kept. Raises RunFolderError where the
    target is taken or cannot be written, OpFileError where the op file cannot be read.
    """
    shown = target or Path(f"{op_path.stem}.run")
    try:  # the working folder may be gone
        place = Path(os.path.abspath(shown))  # noqa: PTH100  # resolve() would follow symlinks
        if target is not None:
            _check_free(target, force=force)
        place.parent.mkdir(parents=True, exist_ok=True)
        unfinished = begin_unfinished(place.parent)
    except OSError as reason:
        raise _unwritable(shown, reason) from None
    folder = RunFolder(shown, place, unfinished, replace=force)
    try:
        shutil.copyfile(op_path, folder.op_path)
        keep_neighbours(op_path, folder.path)
    except OSError as reason:
        folder.discard()
        raise _uncopied(op_path, reason) from None
    return folder


def _uncopied(op_path: Path, reason: OSError) -> OpFileError:
    if (op_path / RUN_NAME).exists():
        return OpFileError(
            f"{op_path} is a run's folder, not an op file",
            f"Pass the Python file with the op; tracelens analyze {op_path} prints the report.",
        )
    if not op_path.is_file():
        found = "a folder, not an op file" if op_path.is_dir() else "not there"
        return OpFileError(f"{op_path} is {found}", "Check the path: an op file is Python.")
    return OpFileError(
        f"{op_path}: cannot be copied into a run folder: {_why(reason)}",
        "Pass a Python file that can be read, and see that the disk has room.",
    )


def read_run(folder: Path) -> Run:
    """Return the run that a run folder holds.

    Raises RunFolderError where there is no such folder, or it holds no run that can be read.
    """
    source = folder / RUN_NAME
    hint = "Pass a folder that `tracelens profile` wrote, such as softmax.run."
    try:
        if not folder.is_dir():
            found = "not a folder" if folder.exists() else "no such folder"
            raise RunFolderError(f"{folder}: {found}", hint)
        data = source.read_bytes()
    except FileNotFoundError:
        raise RunFolderError(f"{folder} is no run folder: it has no {RUN_NAME}", hint) from None
    except OSError as reason:
        raise RunFolderError(f"{source}: cannot be read: {_why(reason)}", hint) from None
    return decode_run(data, source=str(source))


@dataclass(slots=True)
class RunFolder:
    """A run folder in the making: `keep` puts it in its place, `discard` leaves nothing of it.

    As a context manager it is discarded at the end unless it was kept.
    """

    target: Path
    """As it was asked for."""
    _place: Path = field(repr=False)
    _unfinished: Unfinished = field(repr=False)
    replace: bool = field(default=False, kw_only=True)

    @property
    def path(self) -> Path:
        """Where the files are until then."""
        return self._unfinished.path

    @property
    def trace_path(self) -> Path:
        """Where the trace belongs."""
        return self.path / TRACE_NAME

    @property
    def log_path(self) -> Path:
        """Where what the op prints belongs."""
        return self.path / LOG_NAME

    @property
    def op_path(self) -> Path:
        """The copy of the op file, as it was when the run began."""
        return self.path / OP_NAME

    def add(self, name: str, data: bytes) -> None:
        """Put another file into the folder. Raises RunFolderError where it cannot be written."""
        try:
            (self.path / name).write_bytes(data)
        except OSError as reason:
            raise _unwritable(self.target, reason) from None

    def keep(self, run: Run) -> Path:
        """Write `run.json`, put the folder in its place and return where that is.

        Where the target is taken, that is the first free name: what was measured is not lost and
        nothing is overwritten. Raises RunFolderError where the system says no; the folder is then
        still there to be kept again or discarded.
        """
        try:
            (self.path / RUN_NAME).write_bytes(encode_run(run))
            if self.replace and _is_run_folder(self._place):
                shutil.rmtree(self._place)
            name = self._rename()
        except OSError as reason:
            raise _unwritable(self.target, reason) from None
        return self.target.with_name(name)

    def discard(self) -> None:
        """Remove the folder, unless it was kept."""
        self._unfinished.remove()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def _rename(self) -> str:
        name = self._place.name
        for number in count(2):
            place = self._place.with_name(name)
            if not os.path.lexists(place):
                try:
                    self._unfinished.finish(place)
                except OSError:
                    if not os.path.lexists(place):
                        raise
                else:
                    break  # else another run took the name between the two lines above
            name = f"{self._place.stem}-{number}{self._place.suffix}"
        return name


def _check_free(target: Path, *, force: bool) -> None:
    if target.is_symlink():
        raise RunFolderError(f"{target} is a symbolic link: a new folder was expected", _HINT)
    if not os.path.lexists(target):
        return
    if not force:
        or_replaced = " --force replaces this one." if _is_run_folder(target) else ""
        raise RunFolderError(
            f"{target} exists, and nothing is overwritten unasked", _HINT + or_replaced
        )
    if not _is_run_folder(target):
        raise RunFolderError(f"{target} is no run folder: it will not be replaced", _HINT)


def _is_run_folder(path: Path) -> bool:
    return not path.is_symlink() and (path / RUN_NAME).is_file()


def _unwritable(target: Path, reason: OSError) -> RunFolderError:
    return RunFolderError(f"{target}: the run cannot be written: {_why(reason)}", _HINT)


def _why(reason: OSError) -> str:
    return reason.strerror or str(reason)
