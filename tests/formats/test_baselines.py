"""Accepted runs in plain folders: names of strangers, several writers, half-written ones."""

import errno
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.analyze.diff.runs import run, subject
from tracelens.errors import RunFolderError, UsageError
from tracelens.formats.baselines import accept_run, find_accepted
from tracelens.formats.run_folder import read_run
from tracelens.formats.run_json import encode_run

RUN = run(subject(("full/eager", 50_000)), cpu="a CPU")


@pytest.fixture
def saved(tmp_path):
    """Save a run and return its folder."""

    def save(found, name="op.run"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "run.json").write_bytes(encode_run(found))
        (folder / "op.py").write_text("print('an op')")
        return folder

    return save


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def test_the_last_accepted_run_is_found_whole(saved, store):
    first, second = saved(RUN), saved(replace(RUN, op="second"), "second.run")
    kept = [accept_run("main", source, store=store) for source in (first, second)]
    assert [path.relative_to(store).as_posix() for path in kept] == [
        "main/NVIDIA-H200-b1fcb76a/1.run",
        "main/NVIDIA-H200-b1fcb76a/2.run",
    ]
    found = find_accepted("main", first, store=store)
    assert read_run(found).op == "second"
    assert sorted(path.name for path in found.iterdir()) == ["op.py", "run.json"]


def test_another_card_or_another_cache_has_a_baseline_of_its_own(saved, store):
    ours = saved(RUN)
    accept_run("main", ours, store=store)
    others = {
        "card.run": run(subject(("full/eager", 1)), device="NVIDIA H100", cpu="a CPU"),
        "cpu.run": run(subject(("full/eager", 1)), cpu="another CPU"),
        "cold.run": run(subject(("full/eager", 1), cache_state="cold"), cpu="a CPU"),
    }
    for name, other in others.items():
        with pytest.raises(UsageError) as caught:
            find_accepted("main", saved(other, name), store=store)
        assert caught.value.fact.endswith("it has runs for NVIDIA-H200-b1fcb76a")
    index = run(subject(("full/eager", 1), device="cuda:1", seed=7), cpu="a CPU", torch="2.12")
    assert find_accepted("main", saved(index, "index.run"), store=store).name == "1.run"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("release-2.11_a", "release-2.11_a"),
        ("..", "x-5ec1f7e7"),
        ("../../etc/passwd", "etc-passwd-"),
        ("a/b", "a-b-"),
        ("feature: über\x1b[31m\n", "feature-ber-31m-"),
        (".hidden", "hidden-"),
        ("-rf", "rf-"),
        ("x" * 900, "x" * 40 + "-"),
        ("\ud800", "x-"),
    ],
)
def test_a_name_never_leaves_its_store(saved, store, name, folder):
    source = saved(RUN)
    kept = accept_run(name, source, store=store)
    (only,) = store.iterdir()
    assert only.name.startswith(folder)
    assert kept.resolve().is_relative_to(only.resolve())
    assert find_accepted(name, source, store=store) == kept


def test_names_that_look_alike_in_a_path_are_told_apart(saved, store):
    source = saved(RUN)
    kept = {accept_run(name, source, store=store) for name in ("a/b", "a:b", "a-b", "a b")}
    assert {path.name for path in kept} == {"1.run"}
    assert len(kept) == 4


def test_several_writers_at_once_each_keep_a_whole_run(saved, store):
    source = saved(RUN)
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda _: accept_run("main", source, store=store), range(16)))
    assert sorted(int(path.stem) for path in kept) == list(range(1, 17))
    assert all(read_run(path) == RUN for path in kept)
    assert [path.name for path in kept[0].parent.iterdir() if path.name.startswith(".")] == []


def test_what_is_half_written_is_no_accepted_run(saved, store):
    source = saved(RUN)
    place = accept_run("main", source, store=store).parent
    (place / ".tracelens-0badcafe.unfinished").mkdir()
    (place / "2.run").mkdir()  # no run.json
    (place / "9.run.bak").mkdir()
    (place / "007.run").mkdir()
    assert find_accepted("main", source, store=store).name == "1.run"
    assert accept_run("main", source, store=store).name == "2.run"


def test_links_in_a_run_folder_are_not_followed(saved, store, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    source = saved(RUN)
    (source / "op.log").symlink_to(secret)
    kept = accept_run("main", source, store=store)
    assert sorted(path.name for path in kept.iterdir()) == ["op.py", "run.json"]


def test_a_store_that_cannot_be_written_is_an_error(saved, tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    with pytest.raises(RunFolderError) as caught:
        accept_run("main", saved(RUN), store=taken)
    assert caught.value.fact.endswith("the run cannot be stored: Not a directory")


def test_a_run_that_measured_nothing_and_a_folder_without_one_are_no_baseline(
    saved, store, tmp_path
):
    with pytest.raises(UsageError):
        accept_run("main", saved(run(subject())), store=store)
    with pytest.raises(RunFolderError):
        accept_run("main", tmp_path, store=store)
    with pytest.raises(UsageError):
        accept_run("", saved(RUN, "other.run"), store=store)
    assert not Path(store).exists()


def test_a_damaged_run_is_named_with_the_way_back_to_the_one_before(saved, store):
    source = saved(RUN)
    first, second = (accept_run("main", source, store=store) for _ in range(2))
    (second / "run.json").write_text("{")
    with pytest.raises(RunFolderError) as caught:
        find_accepted("main", source, store=store)
    assert caught.value.hint == (
        f"delete {second}: the run that was accepted before it then counts"
    )
    shutil.rmtree(second)
    assert find_accepted("main", source, store=store) == first


def test_a_store_that_may_not_be_read_is_no_store_without_runs(saved, store, monkeypatch):
    source = saved(RUN)
    accept_run("main", source, store=store)

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)  # nothing is forbidden to root
    with pytest.raises(RunFolderError) as caught:
        find_accepted("main", source, store=store)
    assert caught.value.fact.endswith("the accepted runs cannot be read: Permission denied")
