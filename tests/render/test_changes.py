"""Quantities on both sides, as lines. Times are given in ns and shown in us."""

import pytest

from tests.analyze.diff.runs import run, subject
from tests.render.comparisons import one_case, several_cases
from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.model.report import Environment, Metric, Report, Section
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
        "             baseline  candidate   delta  ratio  interval",
        "                   us         us      us      x  99 %",
        "  full call     18.30      48.40  +30.10  2.645  2.644–2.645  slower",  # noqa: RUF001
        "  submit        12.00      12.00    0.00  1.000  1.000–1.000  noise",  # noqa: RUF001
    ]


def test_the_verdict_stands_at_the_end_of_its_line_however_large_the_ratio():
    tags = "full/graph", "undisturbed/before_first", "undisturbed/busy"
    before, after = (run(subject(*((tag, ns) for tag in tags))) for ns in (900, 92_250))
    sides = [Side.of_subject(found.subjects[0], None) for found in (before, after)]
    comparison = Comparison(case=None, variant=None, baseline=sides[0], candidate=sides[1])
    sections = diff_sections([comparison], (before.environment, after.environment))
    report = Report(command="diff", environment=Environment(), sections=sections[2:3])
    assert render_text(report, width=80, color=False).splitlines()[3:5] == [
        "  before the… kernel      0.90      92.25  +91.35  102.500  102.3–102.7  slower",  # noqa: RUF001
        "  kernels                 0.90      92.25  +91.35  102.500  102.3–102.7  slower",  # noqa: RUF001
    ]


def metrics(stem, name, unit, baseline, candidate):
    ends = (("baseline", baseline), ("candidate", candidate), ("delta", candidate - baseline))
    return [
        Metric(tag=f"{stem}/{end}", name=name, value=value, unit=unit, description="")
        for end, value in ends
    ]


def table(*rows):
    section = Section(title="T", metrics=tuple(m for row in rows for m in metrics(*row)))
    report = Report(command="diff", environment=Environment(), sections=(section,))
    return render_text(report, width=80, color=False).splitlines()[1:]


def test_times_among_counts_have_their_unit_beside_them():
    assert table(
        ("diff/a", "in launch calls", "ns", 12_000, 8_000),
        ("diff/b", "launch calls", "count", 3, 2),
    ) == [
        "                   baseline  candidate  delta      ratio",
        "                                                       x",
        "  in launch calls     12.00       8.00  -4.00  us      -",
        "  launch calls            3          2     -1          -",
    ]


def test_a_difference_too_small_to_spell_has_no_sign():
    assert table(("diff/a", "full call", "ns", 200_000, 200_004))[-1].split()[-2:] == ["<0.01", "-"]


def test_a_row_that_another_says_on_both_sides_is_left_out():
    kernel = ("diff/kernel", "kernel busy", "ns", 900, 2_240)
    same = ("diff/device", "device busy", "ns", 900, 2_240)
    other = ("diff/device", "device busy", "ns", 900, 2_250)
    assert [line.split()[0] for line in table(kernel, same)[2:]] == ["kernel"]
    assert [line.split()[0] for line in table(kernel, other)[2:]] == ["kernel", "device"]


@pytest.mark.parametrize("verbose", [False, True])
def test_several_cases_read_as_their_golden_file(golden, verbose):
    text = render_text(several_cases(), width=80, color=False, verbose=verbose)
    assert max(map(len, text.splitlines())) <= 80
    golden(f"several_cases-80{'-verbose' if verbose else ''}.txt", text)


def test_one_case_reads_as_its_golden_file(golden):
    golden("one_case-80.txt", render_text(one_case(), width=80, color=False))
