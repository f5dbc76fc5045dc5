"""A folder in the making, hidden beside the place it is meant for, that no crash leaves for long.

Its maker holds a lock in it. The lock dies with the maker, so the next one to make a folder there
knows which of them a killed process has left, and removes those.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PATTERN = ".tracelens-*.unfinished"
_LOCK_NAME = ".lock"


@dataclass(slots=True)
class Unfinished:
    """A hidden folder and the lock that says that its maker lives."""

    path: Path
    _lock: int | None

    def finish(self, place: Path) -> None:
        """Rename the folder to `place`, on the same file system. Raises OSError."""
        self.path.rename(place)
        self.path = place
        # Only now: without its lock, the folder under its hidden name would pass for abandoned.
        with suppress(OSError):
            (place / _LOCK_NAME).unlink()
        self._unlock()

    def remove(self) -> None:
        """Remove the folder and all in it, unless it was finished."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self._unlock()
            # NFS keeps an open file that was removed under another name, so its folder stays.
            with suppress(OSError):
                self.path.rmdir()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def begin_unfinished(parent: Path) -> Unfinished:
    """Make a hidden folder in `parent`, after removing those that killed processes left there.

    Raises OSError where `parent` cannot be written.
    """
    for path in parent.glob(_PATTERN):
        _remove_abandoned(path)
    while True:
        path = parent / _PATTERN.replace("*", secrets.token_hex(4))
        path.mkdir()
        with suppress(FileNotFoundError):  # another process took it for abandoned, before the lock
            lock = _open_lock(path)
            if _take(lock, where_none=True) and _is_still(lock, path):
                return Unfinished(path, lock)
            os.close(lock)


def _remove_abandoned(path: Path) -> None:
    if path.is_symlink():
        return
    with suppress(OSError):  # not ours to remove
        lock = _open_lock(path)
        if _take(lock, where_none=False):
            Unfinished(path, lock).remove()
        else:
            os.close(lock)


def _open_lock(path: Path) -> int:
    return os.open(path / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _is_still(lock: int, folder: Path) -> bool:
    """Whether a lock is that of the folder: another process may have removed both before it was
    taken, and an open file can be locked without a name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(lock), (folder / _LOCK_NAME).stat())
    return False


def _take(lock: int, *, where_none: bool) -> bool:
    """Take the lock and say whether it was free; `where_none` if the file system has no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return where_none
    return True
