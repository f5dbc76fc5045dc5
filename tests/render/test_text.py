import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.render.sample_metrics import KERNEL_COLUMNS, metric, split_metrics, windows
from tests.render.sample_mishaps import cpu_only, ended_early, strange
from tests.render.sample_reports import add_small, gems_sigmoid, unfused_gelu
from tests.report_strategies import HOSTILE_TEXTS, reports
from tracelens.model.report import Column, Environment, Finding, Report, Section, Table
from tracelens.render import render_text

REPORTS = (add_small, unfused_gelu, gems_sigmoid, cpu_only, ended_early, strange)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def report_of(*sections: Section) -> Report:
    return Report(command="profile", environment=Environment(), sections=sections)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.__name__)
def test_a_report_reads_as_its_golden_file(
    report: Callable[[], Report], width: int, golden: Callable[[str, str], None]
) -> None:
    golden(f"{report.__name__}-{width}.txt", render_text(report(), width=width, color=False))


def test_a_report_in_ascii_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    text = render_text(add_small(), width=80, color=False, unicode=False)
    golden("add_small-80-ascii.txt", text)
    assert text.isascii()


def test_a_report_in_colour_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    text = render_text(add_small(), width=80, color=True)
    # Escape is written as a sign of its own, so that the file can be looked at and compared.
    golden("add_small-80-colour.txt", text.replace("\x1b", "␛"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.__name__)
def test_colour_changes_nothing_but_colour(report: Callable[[], Report]) -> None:
    coloured = render_text(report(), width=80, color=True)
    plain = "".join(f"{line.rstrip()}\n" for line in COLOUR.sub("", coloured).splitlines())
    assert plain == render_text(report(), width=80, color=False)


@given(reports(HOSTILE_TEXTS, st.floats()), st.integers(40, 130), st.booleans(), st.booleans())
def test_any_report_stays_on_its_page_and_commands_no_terminal(
    report: Report, width: int, color: bool, unicode: bool
) -> None:
    text = COLOUR.sub("", render_text(report, width=width, color=color, unicode=unicode))
    assert all(line.isprintable() for line in text.split("\n"))
    assert max(map(cell_len, text.split("\n"))) <= width
    assert unicode or text.isascii()


def test_the_verdict_comes_first_and_findings_last_gravest_first() -> None:
    info = Finding(tag="b/x", severity="info", fact="a note", advice="")
    error = Finding(tag="c/x", severity="error", fact="an error", advice="mend it")
    verdict = Finding(tag="verdict/host_bound", severity="info", fact="host-bound", advice="")
    report = report_of(
        Section(title="One", metrics=(metric("a", "a", 1, "count", ""),), findings=(info,)),
        Section(title="Verdict", findings=(error, verdict)),
    )
    assert render_text(report, width=80, color=False) == (
        """\
host-bound

One
  a  1

Findings                                                         1 error, 1 note
  error  an error
         → mend it
  note   a note
"""
    )


def test_an_unknown_value_is_a_dash_and_what_was_measured_never_looks_like_nothing() -> None:
    report = report_of(
        Section(
            title="Moon",
            metrics=(
                metric("a", "unknown", None, "ns", "of no length"),
                metric("b", "nothing", 0, "ns", "measured"),
                metric("c", "tiny", 4, "ns", "measured"),
                metric("d", "before", -4, "ns", "measured"),
                metric("e", "count", 48_888, "count", "counted"),
            ),
        )
    )
    assert render_text(report, width=80, color=False) == (
        """\
Moon
  unknown       -         of no length
  nothing       0.00  us  measured
  tiny         <0.01  us  measured
  before      -<0.01  us  measured
  count    48,888         counted
"""
    )


def test_a_table_says_what_it_leaves_out() -> None:
    table = Table(
        tag="craters",
        columns=(Column(name="name"), *(Column(name=f"depth_{n}", unit="m") for n in range(9))),
        rows=tuple((f"crater {row}", *range(9)) for row in range(1_021)),
    )
    text = render_text(report_of(Section(title="Moon", tables=(table,))), width=60, color=False)
    assert text.splitlines()[-3:] == [
        "  no room for depth 5, depth 6, depth 7, depth 8 (wider",
        "  terminal or --format json)",
        "  1,001 more rows (--verbose)",
    ]


def test_ids_have_no_thousands_and_counts_have() -> None:
    columns = (Column(name="correlation"), Column(name="kernels", unit="count"))
    table = Table(tag="other", columns=columns, rows=((200_655, 48_888), (0, 0)))
    text = render_text(report_of(Section(title="Graphs", tables=(table,))), width=60, color=False)
    assert text == (
        """\
Graphs
  correlation  kernels
       200655   48,888
            0        0
"""
    )


def test_a_single_window_is_said_once() -> None:
    table = windows("whole trace", (0, 9, 1, 0, 2, 1, 4, 1, 1, 1))
    metrics = split_metrics(9_000, 1_000, 0, 2_000, 1_000, 4_000, 1_000)
    split = Section(title="Split", metrics=metrics, tables=(table,))
    alone = Section(title="Split", tables=(table,))
    reports = (replace(report_of(s), command="analyze") for s in (split, alone))
    shown = [render_text(report, width=80, color=False) for report in reports]
    assert ["whole trace" in text for text in shown] == [False, True]


def test_verbose_shows_every_row() -> None:
    rows = tuple((f"kernel_{n}", *(None,) * 11) for n in range(2_000))
    table = Table(tag="kernels", columns=KERNEL_COLUMNS, rows=rows)
    report = report_of(Section(title="Kernels", tables=(table,)))
    shown = render_text(report, width=80, color=False, verbose=True)
    assert [f"kernel_{n}" in shown for n in (0, 12, 1_999)] == [True, True, True]
    assert "kernel_12" not in render_text(report, width=80, color=False)


def test_markup_in_a_name_is_only_text() -> None:
    report = report_of(Section(title="[bold red]x[/] :smile: [link=a]b[/link]", metrics=()))
    named = replace(report.sections[0], metrics=(metric("a", "[blink]a[/]", 1, "count", "[x]"),))
    assert render_text(replace(report, sections=(named,)), width=80, color=False) == (
        """\
[bold red]x[/] :smile: [link=a]b[/link]
  [blink]a[/]  1  [x]
"""
    )


def test_a_case_of_several_is_named_above_its_sections_and_in_its_findings() -> None:
    noisy = Finding(tag="noise/full", severity="warning", fact="noisy", advice="")
    sections = tuple(
        Section(
            title="Time",
            case=case,
            metrics=(metric("full", "full", 1_000, "ns", ""),),
            findings=(noisy,),
        )
        for case in ("small", "big")
    )
    assert render_text(report_of(*sections), width=40, color=False) == (
        """\
small ──────────────────────────────────

Time
  full  1.00  us

big ────────────────────────────────────

Time
  full  1.00  us

Findings                       1 warning
  warning  small, big · noisy
"""
    )


def test_verdicts_with_one_advice_share_it_and_what_is_about_all_cases_stands_before_each() -> None:
    slow = Finding(tag="verdict/host_bound", severity="info", fact="slow", advice="cut the host")
    sections = (
        Section(title="", case="small", findings=(slow,)),
        Section(title="", case="big", findings=(slow, replace(slow, fact="slower"))),
        Section(title="Time", case="big", metrics=(metric("full", "full", 2_000, "ns", ""),)),
        Section(title="Cases", metrics=(metric("cases", "cases", 2, "count", ""),)),
    )
    assert render_text(report_of(*sections), width=40, color=False) == (
        """\
small, big · slow
big · slower
→ cut the host

Cases
  cases  2

big ────────────────────────────────────

Time
  full  2.00  us
"""
    )


def test_what_a_figure_means_and_how_the_run_was_taken_are_said_once_of_several_cases() -> None:
    def section(case: str, calls: int) -> Section:
        return Section(
            title="Time",
            case=case,
            metrics=(
                metric("full/eager/median", "full", 1_000, "ns", "from call to return"),
                metric("full/eager/samples", "samples", 5, "count", ""),
                metric("amortised/eager/median", "amortised", 900, "ns", f"{calls} calls"),
                metric("amortised/eager/samples", "samples", 5, "count", ""),
                metric("protocol/seed", "seed", 0, "count", "protocol of the run"),
                metric("cold/first_call", "first call", 7_000, "ns", "with compilation"),
            ),
        )

    report = report_of(section("small", 100), section("big", 6))
    assert render_text(report, width=50, color=False) == (
        """\
small ────────────────────────────────────────────

Time
             median  samples
                 us
  full call    1.00        5
  amortised    0.90        5

  full call  from call to return
  amortised  100 calls

  seed 0

  first call  7.00  us  with compilation

big ──────────────────────────────────────────────

Time
             median  samples
                 us
  full call    1.00        5
  amortised    0.90        5

  amortised  6 calls

  first call  7.00  us
"""
    )
    assert render_text(report, width=50, color=False, verbose=True).count("with compilation") == 2


def test_a_report_is_the_same_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = render_text(unfused_gelu(), width=100, color=False)
    for name, value in (("TERM", "dumb"), ("COLUMNS", "20"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    assert render_text(unfused_gelu(), width=100, color=False) == expected
    monkeypatch.setenv("NO_COLOR", "1")
    assert COLOUR.search(render_text(cpu_only(), width=100, color=True))


def test_an_empty_report_is_no_line() -> None:
    assert render_text(report_of(Section(title="Empty")), width=80, color=False) == ""


def test_nothing_hostile_is_lost_from_sight() -> None:
    text = render_text(strange(), width=120, color=False)
    assert r"[bold]x[/bold] \x1b[31mred\x1b[0m\x9b2J\u202egnp.exe\u200b\ud800 end" in text


def test_a_hint_that_became_advice_is_written_like_other_advice() -> None:
    def said(fact: str, advice: str) -> list[str]:
        found = Finding(tag="a/b", severity="info", fact=fact, advice=advice)
        section = Section(title="Moon", findings=(found,))
        return render_text(report_of(section), width=80, color=False).splitlines()[-2:]

    assert said("There is no card.", "Run the op on one.") == [
        "  note  There is no card",
        "        → run the op on one",
    ]
    assert said("it was slow", "CUPTI tells more.") == [
        "  note  it was slow",
        "        → CUPTI tells more",
    ]
    assert said("One. Two.", "The times stand. Record again.") == [
        "  note  One. Two.",
        "        → The times stand. Record again.",
    ]
