"""Tables of a report on pages that are too narrow for all of their columns."""

from __future__ import annotations

from tracelens.model.report import Column, Environment, Metric, Report, Section, Table
from tracelens.render import render_text

COLUMNS = tuple(Column(name=name) for name in ("outcome", "case", "variant", "expected", "found"))
EXPECTED = Table(
    tag="expected",
    columns=COLUMNS,
    rows=(
        ("met", "m16_n4096_k4096", "ours_with_a_table", "gemv* NW=16 UG=4", None),
        ("not met", "m16_n4096_k4096", "torch", "nvjet* tile=128x8", "no such kernel ran"),
    ),
)


def rendered(section: Section, width: int) -> list[str]:
    report = Report(command="profile", environment=Environment(), sections=(section,))
    return render_text(report, width=width, color=False).splitlines()


def shown(table: Table, width: int) -> list[str]:
    return rendered(Section(title="Expected kernels", tables=(table,)), width)


def test_what_was_expected_stands_beside_where_there_is_room() -> None:
    assert shown(EXPECTED, 120) == [
        "Expected kernels",
        "  outcome  case             variant            expected kernel",
        "  met      m16_n4096_k4096  ours_with_a_table  gemv* NW=16 UG=4",
        "  not met  m16_n4096_k4096  torch              nvjet* tile=128x8",
        "      no such kernel ran",
    ]


def test_what_was_expected_is_never_left_out_but_stands_under_its_row() -> None:
    assert shown(EXPECTED, 60) == [
        "Expected kernels",
        "  outcome  case             variant",
        "  met      m16_n4096_k4096  ours_with_a_table",
        "      expected kernel: gemv* NW=16 UG=4",
        "  not met  m16_n4096_k4096  torch",
        "      expected kernel: nvjet* tile=128x8",
        "      no such kernel ran",
    ]


def test_a_metric_of_nothing_but_empty_text_has_no_line() -> None:
    nothing = Metric(tag="", name="", value="", unit="", description="")
    assert rendered(Section(title="Nothing", metrics=(nothing,)), 80) == ["Nothing"]
