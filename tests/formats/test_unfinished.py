"""A folder in the making, and another process that takes it for abandoned."""

import fcntl
import shutil

from tracelens.formats.unfinished import begin_unfinished


def test_a_folder_that_was_removed_before_its_lock_was_taken_is_made_anew(tmp_path, monkeypatch):
    taken = []
    flock = fcntl.flock

    def removed_meanwhile(lock, how):
        taken.append(lock)
        if len(taken) == 1:
            (folder,) = tmp_path.iterdir()
            shutil.rmtree(folder)
        flock(lock, how)

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    unfinished = begin_unfinished(tmp_path)
    assert len(taken) == 2
    assert [unfinished.path] == list(tmp_path.iterdir())
    unfinished.remove()
    assert list(tmp_path.iterdir()) == []
