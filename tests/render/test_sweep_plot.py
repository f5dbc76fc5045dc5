"""The picture of a sweep, as what an SVG says."""

from __future__ import annotations

import re

from tracelens.model.report import Column, Environment, Metric, Report, Section, Table
from tracelens.render import render_text
from tracelens.render.sweep_plot import plot_sweep

NAMES = ("size", "full_ns", "amortised_ns", "submit_in_row_ns", "busy_ns", "busy_share", "bound_by")
ROWS = (
    (256, 20_000, 9_000, 8_000, 900, 0.1, "host"),
    (65_536, 30_000, 20_000, 8_000, 19_000, 0.95, "device"),
    (131_072, None, None, None, None, None, "failed"),
)
UNITS = {"size": "count", "busy_share": "ratio", "bound_by": None}


def sweep(variant: str | None = None, title: str = "Sweep of n", rows: object = ROWS) -> Section:
    return Section(
        title=title,
        variant=variant,
        metrics=tuple(
            Metric(
                tag=f"sweep/crossover/{end}", name=end, value=value, unit="count", description=""
            )
            for end, value in (("low", 256), ("high", 65_536), ("estimate", 20_000))
        ),
        tables=(
            Table(
                tag="sweep",
                columns=tuple(Column(name=name, unit=UNITS.get(name, "ns")) for name in NAMES),
                rows=rows,  # type: ignore[arg-type]  # a test's own rows
            ),
        ),
    )


def report(*sections: Section) -> Report:
    return Report(command="profile", environment=Environment(), sections=sections)


def drawn(*sections: Section) -> str:
    return plot_sweep(report(*sections), op="$add")["sweep.svg"].decode()


def test_a_sweep_is_drawn_as_svg_and_png_with_its_crossover() -> None:
    files = plot_sweep(report(sweep()), op="add")
    svg = files["sweep.svg"].decode()

    words = ("full call", "call in a row", "host, in a row", "device busy", "us a call")
    assert [word for word in words if f">{word}</text>" not in svg] == []
    assert ">about 20,000 on</text>" in svg
    assert files["sweep.png"].startswith(b"\x89PNG")


def test_a_sweep_of_which_nothing_was_measured_is_not_drawn() -> None:
    assert plot_sweep(report(sweep(rows=ROWS[2:])), op="add") == {}


def test_the_same_report_is_drawn_as_the_same_file() -> None:
    assert drawn(sweep()) == drawn(sweep())


def test_each_variant_has_a_panel_under_the_names_of_the_op_and_its_own() -> None:
    svg = drawn(sweep("torch"), sweep("gems"))

    assert (">$add, torch</text>" in svg, ">$add, gems</text>" in svg) == (True, True)


def test_names_of_the_op_are_drawn_as_they_are() -> None:
    svg = drawn(sweep("$x$<script>\x1b[2J", title="Sweep of $n$"))

    assert "<script>" not in svg
    assert ">$add, $x$&lt;script&gt;\\x1b[2J</text>" in svg
    assert ">$n$</text>" in svg


def test_a_report_without_a_sweep_is_not_drawn() -> None:
    assert plot_sweep(report(Section(title="Measurements")), op="add") == {}


def test_in_a_terminal_the_share_stands_as_a_bar_beside_its_number() -> None:
    text = render_text(report(sweep()), width=80, color=False)

    assert [line for line in text.splitlines() if "65,536  " in line] == [
        "   65,536  30.00     20.00  19.00  device     95.0  ███████████▍"
    ]


def test_a_call_in_a_row_that_is_all_host_shows_on_both_sides_of_the_hosts_line() -> None:
    svg = drawn(sweep(rows=((256, 9_000, 8_000, 8_000, None, None, None),) * 2))

    widths = {
        colour: float(width)
        for colour, width in re.findall(r"stroke: (#1f2328|#f06fd8); stroke-width: ([\d.]+)", svg)
    }
    assert widths["#1f2328"] >= 3 * widths["#f06fd8"]
