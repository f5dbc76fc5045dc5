"""The picture of a sweep: host and device over the size of an op, and where they change places."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tracelens.model.report import Cell, Report, Section, Table
from tracelens.render.safe_text import cut, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_NAMES = ("sweep.svg", "sweep.png")

_SERIES = (
    ("full_ns", "full call", "#8a8f98", "--", "o", 1.5),
    ("amortised_ns", "call in a row", "#1f2328", "-", "o", 4.0),
    ("submit_in_row_ns", "host, in a row", "#f06fd8", "-", ".", 1.2),
    ("busy_ns", "device busy", "#2a9d5c", "-", "^", 1.5),
)
"""Column, words, colour, line, marker and width. A host-bound op's calls in a row are all host: a
thin line on a thick one leaves both to be seen."""

_CROSSOVER_COLOUR = "#f4b942"
_PANEL_INCHES = (6.4, 4.2)
_DOTS_PER_INCH = 160
_LONGEST_TITLE = 60
_NS_PER_US = 1_000


def plot_sweep(report: Report, *, op: str) -> dict[str, bytes]:
    """Draw every sweep of an op, a panel each: file names, and the SVG and PNG that they hold.

    Where none has a figure, nothing is drawn.
    """
    swept = [s for s in report.sections if any(t.tag == "sweep" for t in s.tables)]
    if not any(map(_has_figures, swept)):
        return {}
    import matplotlib as mpl  # noqa: PLC0415  # half a second that no other command should wait
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "tracelens", "svg.fonttype": "none", "font.size": 10}):
        width, height = _PANEL_INCHES
        figure = Figure(figsize=(width * len(swept), height), layout="constrained")
        panels = figure.subplots(1, len(swept), squeeze=False, sharey=True)[0]
        for panel, section in zip(panels, swept, strict=True):
            _draw(panel, section, op)
        panels[0].set_ylabel("us a call")
        fullest = max(panels, key=lambda panel: len(panel.lines))
        lines = [line for line in fullest.lines if not str(line.get_label()).startswith("_")]
        figure.legend(handles=lines, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
        return {name: _file(figure, name) for name in PLOT_NAMES}


def _file(figure: Figure, name: str) -> bytes:
    drawn = BytesIO()
    kind = Path(name).suffix.removeprefix(".")
    figure.savefig(drawn, format=kind, dpi=_DOTS_PER_INCH, metadata=_undated(name))
    return drawn.getvalue()


def _draw(panel: Axes, section: Section, op: str) -> None:
    table = _table(section)
    sizes = _column(table, "size")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    for name, words, colour, line, marker, width in _SERIES:
        pairs = [(x, y / _NS_PER_US) for x, y in zip(sizes, _column(table, name), strict=True) if y]
        if pairs:
            xs, ys = zip(*pairs, strict=True)
            panel.plot(xs, ys, line, color=colour, marker=marker, ms=3.5, lw=width, label=words)
    _mark_crossover(panel, section)
    title = op if section.variant is None else f"{op}, {section.variant}"
    panel.set_title(_plain(title), fontsize=11, loc="left")
    panel.set_xlabel(_plain(section.title.removeprefix("Sweep of ")))
    panel.grid(which="major", color="#e6e8eb", lw=0.7)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def _mark_crossover(panel: Axes, section: Section) -> None:
    """Shade the stretch in which the op becomes device-bound, and mark the interpolated size."""
    values = {metric.tag: metric.value for metric in section.metrics}
    low, high, estimate = (values.get(f"sweep/crossover/{e}") for e in ("low", "high", "estimate"))
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(estimate, int)):
        return
    panel.axvspan(low, high, color=_CROSSOVER_COLOUR, alpha=0.25, lw=0)
    panel.axvline(estimate, color=_CROSSOVER_COLOUR, lw=1.2, ls=":")
    panel.annotate(
        f"device-bound from\nabout {estimate:,} on",
        xy=(low, 0.98),
        xycoords=("data", "axes fraction"),
        xytext=(-6, 0),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=9,
        color="#8a6200",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )


def _table(section: Section) -> Table:
    return next(table for table in section.tables if table.tag == "sweep")


def _has_figures(section: Section) -> bool:
    return any(any(_column(_table(section), name)) for name, *_ in _SERIES)


def _column(table: Table, name: str) -> Sequence[int]:
    place = [column.name for column in table.columns].index(name)
    return [_whole(row[place]) for row in table.rows]


def _whole(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _plain(text: str) -> str:
    """Return text that matplotlib shows as it is: a dollar would begin mathematics."""
    return cut(safe(text), _LONGEST_TITLE, mark="...").replace("$", r"\$")


def _undated(name: str) -> dict[str, str | None]:
    """Leave the date out of an SVG: the same figures are then the same file."""
    return {"Date": None} if name.endswith(".svg") else {}
