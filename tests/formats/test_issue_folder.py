"""The folder of an issue: whole, or not there."""

from pathlib import Path

import pytest

from tracelens.errors import ExportError
from tracelens.formats.issue_folder import issue_folder_path, new_issue_folder


@pytest.mark.parametrize(
    ("source", "folder"),
    [("runs/softmax.run", "softmax.issue"), ("a/t.json.gz", "t.issue"), ("x.sqlite", "x.issue")],
)
def test_an_issue_is_named_after_its_source(source, folder):
    assert issue_folder_path(Path(source)) == Path(folder)


def test_a_folder_is_there_once_it_is_whole(tmp_path):
    target = tmp_path / "new" / "a.issue"
    with new_issue_folder(target) as folder:
        (folder / "issue.md").write_text("x")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["issue.md"]


def test_nothing_is_left_where_writing_fails(tmp_path):
    with pytest.raises(ExportError) as raised, new_issue_folder(tmp_path / "a.issue") as folder:
        folder.write_text("x")
    assert raised.value.fact.endswith("a.issue: the issue cannot be written: Is a directory")
    assert list(tmp_path.iterdir()) == []


def test_an_issue_overwrites_nothing(tmp_path):
    with pytest.raises(ExportError) as raised, new_issue_folder(tmp_path):
        pass
    assert raised.value.fact == f"{tmp_path} exists, and an issue overwrites nothing"
