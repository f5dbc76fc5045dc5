"""A comparison as JUnit XML: a test case for each case, with its numbers as properties.

The form that Jenkins, GitLab and GitHub's actions read. XML 1.0 has no place for most control
characters, escaped or not, so that every string is made safe first.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from tracelens.model.report import Finding, Metric, Report, Section
from tracelens.render.safe_text import safe
from tracelens.render.words import ENVIRONMENT

_FAILURES = {
    "diff/regression": "regression",
    "diff/failed_case": "failed case",
    "diff/missing_case": "missing case",
}
"""Findings that fail a test case, by their tags, and the failure's type."""
_SUITE = "tracelens diff"


def render_junit(report: Report) -> str:
    """Return a comparison's report as a JUnit document of one suite.

    A case fails where it regressed, failed on a side, or is missing; what cannot be compared is
    skipped.
    """
    cases = [
        _test_case(report, case, variant, str(verdict))
        for case, variant, verdict in _subjects(report)
    ]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    suite = ET.Element("testsuite", {"name": _SUITE, **counts})
    properties = ET.SubElement(suite, "properties")
    for name, _ in ENVIRONMENT:
        value = getattr(report.environment, name)
        if value is not None:
            ET.SubElement(properties, "property", {"name": name, "value": safe(str(value))})
    suite.extend(cases)
    suites = ET.Element("testsuites", {"name": _SUITE, **counts})
    suites.append(suite)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def _subjects(report: Report) -> Iterator[tuple[str | None, str | None, object]]:
    table = report.table("cases")
    at = {column.name: place for place, column in enumerate(table.columns)}
    for row in table.rows:
        case, variant = row[at["case"]], row[at["variant"]]
        yield (
            None if case is None else str(case),
            None if variant is None else str(variant),
            row[at["verdict"]],
        )


def _test_case(report: Report, case: str | None, variant: str | None, verdict: str) -> ET.Element:
    sections = [s for s in report.sections if (s.case, s.variant) == (case, variant)]
    names = [name for name in (case, variant) if name is not None]
    element = ET.Element(
        "testcase", {"classname": "tracelens.diff", "name": safe(", ".join(names)) or "op"}
    )
    properties = ET.SubElement(element, "properties")
    for metric in _figures(sections):
        value = {"name": safe(metric.tag), "value": safe(str(metric.value))}
        ET.SubElement(properties, "property", value)
    findings = [finding for section in sections for finding in section.findings]
    failures = [finding for finding in findings if finding.tag in _FAILURES]
    if failures:
        attributes = {"type": _FAILURES[failures[0].tag], "message": safe(failures[0].fact)}
        ET.SubElement(element, "failure", attributes).text = "\n".join(map(_line, failures))
    elif verdict in ("not comparable", "new"):
        ET.SubElement(element, "skipped", {"message": verdict})
    if findings:
        ET.SubElement(element, "system-out").text = "\n".join(map(_line, findings))
    return element


def _figures(sections: list[Section]) -> Iterator[Metric]:
    for section in sections:
        yield from (metric for metric in section.metrics if metric.value is not None)


def _line(finding: Finding) -> str:
    return safe(f"{finding.severity}: {finding.fact}. {finding.advice}").rstrip()
