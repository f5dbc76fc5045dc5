"""The numbers of an issue, written into its text and read back."""

import json

import pytest

from tracelens.errors import ExportError
from tracelens.formats.issue_json import numbers_block, read_numbers
from tracelens.model.dossier import Dossier
from tracelens.model.report import Environment, Metric, Report, Section
from tracelens.render.issue import render_issue

METRIC = Metric(tag="full/eager/median", name="", value=18_300, unit="ns", description="")


def report(*cases):
    sections = tuple(Section(title="S", case=case, metrics=(METRIC,)) for case in cases)
    return Report(command="profile", environment=Environment(torch="2.11"), sections=sections)


def test_what_an_issue_carries_reads_back(tmp_path):
    dossier = Dossier(title="a ``` b", report=report("x"))
    path = tmp_path / "issue.md"
    numbers = numbers_block(dossier.report, title=dossier.title)
    path.write_text(render_issue(dossier, numbers=numbers))
    document = json.loads(read_numbers(path))
    assert (document["schema"], document["title"]) == ("tracelens.issue/1", "a ``` b")
    assert document["environment"]["torch"] == "2.11"
    assert document["subjects"] == [
        {"case": "x", "variant": None, "metrics": {"full/eager/median": 18_300}}
    ]


def test_subjects_without_room_are_counted():
    block = numbers_block(report(*(str(i) * 80 for i in range(300))), title="t")
    document = json.loads(block.splitlines()[1])
    assert len(block) < 25_000
    assert document["subjects_left_out"] + len(document["subjects"]) == 300


@pytest.mark.parametrize("text", ["", "# nothing\n```json\n{}\n```\n"])
def test_a_text_of_somebody_else_is_an_error(tmp_path, text):
    path = tmp_path / "issue.md"
    path.write_text(text)
    with pytest.raises(ExportError) as raised:
        read_numbers(path)
    assert raised.value.hint == "Pass an issue.md that `tracelens issue` wrote."


def test_what_nobody_sees_is_spelled_in_the_numbers_and_as_they_are_read_back(tmp_path):
    block = numbers_block(report("a\u202eb\x9bc\U000e0041é"), title="t")
    assert '"case":"a\\u202eb\\u009bc\\udb40\\udc41é"' in block
    path = tmp_path / "issue.md"
    path.write_text(block, "utf-8")
    printed = read_numbers(path).decode()
    assert '"case": "a\\u202eb\\u009bc\\udb40\\udc41é"' in printed
    assert json.loads(printed)["subjects"][0]["case"] == "a\u202eb\x9bc\U000e0041é"
