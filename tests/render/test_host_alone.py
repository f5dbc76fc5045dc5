"""Reports in which nothing launches: what is about a device takes no row."""

from __future__ import annotations

from dataclasses import replace

from tests.render.sample_metrics import metric, split_metrics, windows
from tracelens.model.report import Environment, Report, Section
from tracelens.render import render_text

ALONE = Section(
    title="2 call windows tracelens::call",
    metrics=split_metrics(7_000, None, None, 0, 0, 7_000, 0),
    tables=(
        windows(
            "tracelens::call",
            (1_000, 6_000, 0, 0, 0, 0, 6_000, 0, 0, 0),
            (9_000, 8_000, 0, 0, 0, 0, 8_000, 0, 0, 0),
        ),
    ),
)


def shown(section: Section) -> list[str]:
    report = Report(command="analyze", environment=Environment(), sections=(section,))
    return render_text(report, width=80, color=False).splitlines()


def test_windows_in_which_nothing_launches_have_a_length_and_no_parts() -> None:
    assert shown(ALONE) == [
        "2 call windows tracelens::call",
        "  window  wall",
        "            us",
        "  1       6.00",
        "  2       8.00",
        "  median  7.00",
    ]


def test_windows_whose_kernels_are_unknown_keep_their_parts_where_something_launched() -> None:
    launched = replace(ALONE, metrics=split_metrics(7_000, None, None, 100, 0, 6_900, 0))
    assert [line[:25] for line in shown(launched)[3:10]] == [
        "  kernel              -  ",
        "  memory              -  ",
        "  launch           0.10  ",
        "  sync             0.00  ",
        "  host dispatch    6.90  ",
        "  return           0.00  ",
        "  wall             7.00  ",
    ]


def test_the_totals_of_such_a_trace_are_those_of_its_host() -> None:
    counts = ("kernel/count", "memory/count", "device/count", "device/linked", "launch/count")
    times = ("kernel/sum", "memcpy/busy", "memset/busy", "device/span")
    totals = (
        metric("trace/events/count", "events", 61, "count", "in the file"),
        *(metric(f"trace/{tag}", tag, 0, "count", "") for tag in counts),
        *(metric(f"trace/{tag}", tag, None, "ns", "") for tag in times),
        metric("trace/launch/api", "in launch calls", 0, "ns", ""),
        metric("trace/host_op/busy", "in framework ops", 43_420, "ns", "union of cpu_op"),
    )
    assert shown(Section(title="Whole trace", metrics=totals)) == [
        "Whole trace",
        "  events            61         in the file",
        "  in framework ops  43.42  us  union of cpu_op",
    ]


def test_the_totals_of_a_trace_whose_device_records_are_lost_are_all_shown() -> None:
    totals = (
        metric("trace/kernel/sum", "kernel sum", None, "ns", ""),
        metric("trace/device/count", "device work", 0, "count", ""),
        metric("trace/launch/api", "in launch calls", 5_000, "ns", ""),
    )
    assert shown(Section(title="Whole trace", metrics=totals)) == [
        "Whole trace",
        "  kernel sum       -",
        "  device work      0",
        "  in launch calls  5.00  us",
    ]
