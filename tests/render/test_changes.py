"""Quantities on both sides, as lines. Times are given in ns and shown in us."""

from tests.analyze.diff.runs import run, subject
from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.model.report import Environment, Report
from tracelens.render.text import render_text


def test_a_difference_is_a_line_with_its_ratio_interval_and_verdict():
    sides = [
        Side.of_subject(subject(("full/eager", full), ("submit/eager", 12_000)), None)
        for full in (18_300, 48_400)
    ]
    comparison = Comparison(case=None, variant=None, baseline=sides[0], candidate=sides[1])
    environment = run().environment
    sections = diff_sections([comparison], (environment, environment))
    report = Report(command="diff", environment=Environment(), sections=sections[1:2])
    assert render_text(report, width=80, color=False).splitlines()[:5] == [
        "Difference",
        "             baseline  candidate   delta  ratio  99 % interval",
        "                   us         us      us      x",
        "  full call     18.30      48.40  +30.10  2.645  2.644 to 2.645  slower",
        "  submit        12.00      12.00    0.00  1.000  1.000 to 1.000  none found",
    ]
