"""A comparison as Markdown for GitHub. Golden files hold what it looks like."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.comparisons import HOSTILE, one_case, several_cases
from tracelens.model.report import Finding, Section
from tracelens.render.markdown import render_markdown


def test_several_cases_read_as_their_golden_file(golden):
    golden("several_cases.md", render_markdown(several_cases()))


def test_one_case_reads_as_its_golden_file(golden):
    golden("one_case.md", render_markdown(one_case()))


def test_a_hostile_name_stays_inside_its_code_span_and_its_cell():
    text = render_markdown(several_cases(HOSTILE))
    assert "<script>" not in re.sub(r"(`+).*?\1", "", text)
    assert not set(text) & set("\x1b\x00\ud800￾")
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1
    assert text.count("<details>") == text.count("</details>")


def test_a_report_of_thousands_of_cases_fits_a_comment_and_says_what_is_left_out():
    report = several_cases()
    about = [s for s in report.sections if s.case == "small"]
    many = [replace(s, case=f"case {number}") for number in range(2_000) for s in about]
    long = replace(report, sections=(report.sections[0], *many))
    cases = report.table("cases")
    rows = tuple((f"case {number}", *cases.rows[0][1:]) for number in range(2_000))
    verdict = replace(report.sections[0], tables=(replace(cases, rows=rows),))
    text = render_markdown(replace(long, sections=(verdict, *many)))
    assert len(text) <= 60_001
    assert "1,900 more rows: `--format json` has them." in text
    assert re.search(r"\n\d+ more do not fit here: `--format json` has them\.\n", text)
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("longest", range(500, 5_000, 250))
def test_what_does_not_fit_goes_as_a_whole_block_wherever_it_stands(monkeypatch, longest):
    monkeypatch.setattr("tracelens.render.markdown._LONGEST", longest)
    shown = render_markdown(several_cases())
    assert len(shown) <= longest
    assert shown.count("<details>") == shown.count("</details>")
    assert shown.endswith("torch 2.11.0</sub>\n")


def test_a_finding_that_cases_share_is_said_once():
    finding = Finding(tag="x/y", severity="warning", fact="the card is hot", advice="")
    report = several_cases()
    shared = tuple(Section(title="T", case=c, findings=(finding,)) for c in ("small", "big"))
    text = render_markdown(replace(report, sections=(*report.sections, *shared)))
    assert "- **warning** `small`, `big`: the card is hot\n" in text


@given(st.text(min_size=1, max_size=300))
def test_whatever_a_case_is_called_its_row_keeps_its_cells(name):
    report = several_cases()
    cases = report.table("cases")
    rows = ((name, *cases.rows[0][1:]), *cases.rows[1:])
    verdict = replace(report.sections[0], tables=(replace(cases, rows=rows),))
    lines = render_markdown(replace(report, sections=(verdict,))).splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("| case |"))
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines[head : head + 6]] == [8] * 6
