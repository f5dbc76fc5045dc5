"""A comparison as JUnit XML, read back by a parser."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tests.render.comparisons import HOSTILE, one_case, several_cases
from tracelens.render.junit import render_junit


def parsed(report):
    (suite,) = ET.fromstring(render_junit(report))
    return suite


def test_each_case_is_a_test_case_that_fails_where_it_regressed_or_failed():
    suite = parsed(several_cases())
    assert suite.attrib == {
        "name": "tracelens diff",
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    cases = suite.findall("testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        ("tracelens.diff", name) for name in ("small", "big", "same", "new")
    ]
    failures = [case.find("failure") for case in cases]
    assert [None if failure is None else failure.attrib for failure in failures] == [
        {
            "type": "regression",
            "message": "full call is slower by more than 2.0 %: 3.20x (3.20x to 3.20x)",
        },
        {
            "type": "failed case",
            "message": "not compared, and in no mean: it failed in the candidate: The op raised "
            "ValueError",
        },
        None,
        None,
    ]
    assert cases[3].find("skipped").attrib == {"message": "new"}


def test_the_numbers_of_a_case_are_its_properties_and_the_machine_is_the_suites():
    suite = parsed(several_cases())
    assert [p.attrib for p in suite.find("properties")] == [
        {"name": "device", "value": "NVIDIA H200"},
        {"name": "torch", "value": "2.11.0"},
    ]
    small = {p.get("name"): p.get("value") for p in suite.find("testcase").find("properties")}
    assert small["diff/full/baseline"] == "50000"
    assert small["diff/full/ratio"] == "3.2"
    assert small["diff/verdict"] == "slower"
    assert "diff/kernel/ratio" not in small  # it was not measured


def test_what_a_prediction_missed_is_in_the_output_of_its_case():
    said = parsed(several_cases()).find("testcase").find("system-out").text
    assert "warning: prediction missed, higher: full call 1.2x +/- 1% was expected" in said


def test_a_hostile_name_is_text_and_the_document_stays_xml():
    suite = parsed(several_cases(HOSTILE))
    assert suite.find("testcase").get("name") == (
        "a|b <script>alert(1)</script> `x` @somebody #12 \\x1b[31m\\x00\\ufffe\\ud800 ]]> & "
        '"quoted"'
    )


def test_the_only_case_of_an_op_has_a_name_too():
    (case,) = parsed(one_case()).findall("testcase")
    assert (case.get("name"), case.find("failure")) == ("op", None)


@given(st.text(min_size=1))
def test_whatever_a_case_is_called_the_document_can_be_parsed(name):
    report = several_cases()
    sections = [
        replace(section, case=name) if section.case == "small" else section
        for section in report.sections
    ]
    cases = report.table("cases")
    rows = ((name, *cases.rows[0][1:]), *cases.rows[1:])
    sections[0] = replace(sections[0], tables=(replace(cases, rows=rows),))
    suite = parsed(replace(report, sections=tuple(sections)))
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
