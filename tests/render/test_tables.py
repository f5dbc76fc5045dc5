"""Tables of a report on pages that are too narrow for all of their columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

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


FUNCTIONS = Table(
    tag="functions",
    columns=(
        Column(name="function"),
        Column(name="self_ns", unit="ns"),
        Column(name="self_error_ns", unit="ns"),
        Column(name="in_one_row"),
    ),
    rows=(
        ("op", 5_000, 90, True),
        ("check", 3_000, 70, False),
        ("debug", 1_000, 40, False),
        ("run", 500, 30, True),
    ),
)
OWN_TIMES = "Own time by Python function, profiler off"


def test_functions_that_one_row_of_the_tree_has_are_counted_and_shown_with_verbose() -> None:
    section = Section(title=OWN_TIMES, tables=(FUNCTIONS,))
    report = Report(command="profile", environment=Environment(), sections=(section,))
    assert rendered(section, 80) == [
        "Own time by Python function, profiler off",
        "  function  self  error",
        "              us     us",
        "  check     3.00   0.07",
        "  debug     1.00   0.04",
        "  2 more, each in one row of the tree of functions (--verbose)",
        "",
        "more with --verbose: all Python functions",
    ]
    whole = render_text(report, width=80, color=False, verbose=True).splitlines()
    assert [line.split()[0] for line in whole[3:]] == ["op", "check", "debug", "run"]


def test_where_the_tree_has_every_function_there_is_no_table_of_them() -> None:
    alone = replace(FUNCTIONS, rows=(FUNCTIONS.rows[0],))
    assert rendered(Section(title=OWN_TIMES, tables=(alone,)), 80) == [
        "more with --verbose: all Python functions"
    ]


def test_a_column_of_which_nothing_is_known_is_left_out() -> None:
    columns = (
        Column(name="size", unit="count"),
        Column(name="submit_ns", unit="ns"),
        Column(name="busy_ns", unit="ns"),
    )
    table = Table(tag="sweep", columns=columns, rows=((256, 1_270, None), (512, None, None)))
    assert rendered(Section(title="Sweep of n", tables=(table,)), 80) == [
        "Sweep of n",
        "  size  submit",
        "            us",
        "   256    1.27",
        "   512       -",
    ]


def test_kernels_of_no_op_stand_in_a_row_that_says_so() -> None:
    columns = (Column(name="name"), Column(name="kernel_count", unit="count"))
    table = Table(tag="ops", columns=columns, rows=(("aten::mm", 40), (None, 10)))
    assert rendered(Section(title="Kernels by framework op", tables=(table,)), 80) == [
        "Kernels by framework op",
        "  framework op           kernels",
        "  aten::mm                    40",
        "  no framework op known       10",
    ]


def test_what_moved_stands_under_its_case_and_is_not_cut() -> None:
    moved = "host dispatch +4.12 us perhaps by luck (medians, profiler on), and kernels -3.00 us"
    columns = (Column(name="case"), Column(name="ratio", unit="ratio"), Column(name="moved"))
    table = Table(tag="cases", columns=columns, rows=(("small", 2.5, moved), ("big", 1.0, None)))
    assert rendered(Section(title="Verdict", tables=(table,)), 80) == [
        "Verdict",
        "  case   ratio",
        "             x",
        "  small  2.500",
        "      host dispatch +4.12 us perhaps by luck (medians, profiler on), and kernels",
        "      -3.00 us",
        "  big    1.000",
    ]


WINDOWS = Table(
    tag="windows",
    columns=(Column(name="name"), *(Column(name=f"{n}_ns", unit="ns") for n in ("wall", "return"))),
    rows=(("ProfilerStep#1", 607_312_000, 4_404_500), ("ProfilerStep#2", 1_000, 2_000)),
)


@pytest.mark.parametrize("verbose", [False, True])
def test_columns_for_which_there_is_no_room_are_named_under_every_table(verbose: bool) -> None:
    wide = replace(
        WINDOWS,
        columns=(*WINDOWS.columns, Column(name="kernel_count", unit="count")),
        rows=tuple((*row, 8) for row in WINDOWS.rows),
    )
    report = Report(
        command="analyze",
        environment=Environment(),
        sections=(Section(title="Windows", tables=(wide,)),),
    )
    assert render_text(report, width=40, color=False, verbose=verbose).splitlines() == [
        "Windows",
        "  window                wall    return",
        "                          us        us",
        "  ProfilerStep#1  607,312.00  4,404.50",
        "  ProfilerStep#2        1.00      2.00",
        "  no room for kernels (wider terminal or",
        "  --format json)",
    ]


def test_what_was_not_measured_of_the_pace_and_the_cold_path_is_one_line() -> None:
    def metric(tag: str, name: str, value: int | None) -> Metric:
        return Metric(tag=tag, name=name, value=value, unit="ns", description="why")

    section = Section(
        title="What sets the pace",
        metrics=(
            metric("pace/host", "host, in a row", None),
            metric("pace/device", "device, in a row", 900),
            metric("pace/hidden_host", "hidden host time", None),
            metric("moon/distance", "distance", None),
        ),
    )
    assert rendered(section, 80) == [
        "What sets the pace",
        "  device, in a row  0.90  us  why",
        "  distance          -         why",
        "  not measured: host in a row, hidden host time",
    ]
