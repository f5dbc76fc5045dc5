"""Trees as a person reads them."""

from tracelens.model.report import Column, Environment, Metric, Report, Section, Table
from tracelens.render.text import render_text

COLUMNS = (
    Column(name="layer"),
    Column(name="name"),
    Column(name="self_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="total_ns", unit="ns"),
    Column(name="count", unit="count"),
    Column(name="depth", unit="count"),
    Column(name="parent", unit="count"),
)


def report(*rows: tuple, whole: int = 100_000) -> Report:
    """Return a tree whose rows are layer, name, self, total, count, depth and parent."""
    table = Table(
        tag="host",
        columns=COLUMNS,
        rows=tuple((*row[:3], row[2] / whole, *row[3:]) for row in rows),
    )
    metric = Metric(
        tag="host/whole",
        name="host dispatch",
        value=whole,
        unit="ns",
        description="the middle window of 5",
    )
    section = Section(title="Host dispatch", metrics=(metric,), tables=(table,))
    return Report(command="analyze", environment=Environment(), sections=(section,))


TREE = report(
    ("framework op", "aten::sigmoid", 60_000, 80_000, 1, 0, None),
    ("framework op", "aten::empty", 12_345, 15_000, 2, 1, 0),
    ("runtime", "cudaFoo", 2_655, 2_655, 4, 2, 1),
    ("autograd", "AddBackward0", 5_000, 5_000, 1, 1, 0),
    ("python", "outside framework ops", 19_400, 19_400, None, 0, None),
    ("framework op", "aten::tiny", 600, 600, 1, 0, None),
)


def test_a_tree_stands_under_its_whole_and_guides_lead_from_parent_to_child():
    assert (
        render_text(TREE, width=80, color=False)
        == """\
Host dispatch                                             the middle window of 5
                            total  share   self  calls
                               us      %     us
  host dispatch            100.00
  ├ aten::sigmoid           80.00   80.0  60.00      1  framework op
  │ ├ aten::empty           15.00   15.0  12.35      2  framework op
  │ │ └ cudaFoo              2.65    2.7   2.65      4  runtime
  │ └ AddBackward0           5.00    5.0   5.00      1  autograd
  ├ outside framework ops   19.40   19.4  19.40         python
  └ smaller                  0.60    0.6   0.60
  1 smaller row is part of what stands above (--verbose)
"""
    )


def test_verbose_shows_every_row_and_ascii_has_guides_of_its_own():
    assert (
        render_text(TREE, width=80, color=False, verbose=True, unicode=False)
        == """\
Host dispatch                                             the middle window of 5
                            total  share   self  calls
                               us      %     us
  host dispatch            100.00
  + aten::sigmoid           80.00   80.0  60.00      1  framework op
  | + aten::empty           15.00   15.0  12.35      2  framework op
  | | + cudaFoo              2.65    2.7   2.65      4  runtime
  | + AddBackward0           5.00    5.0   5.00      1  autograd
  + outside framework ops   19.40   19.4  19.40         python
  + aten::tiny               0.60    0.6   0.60      1  framework op
"""
    )


def test_a_narrow_page_keeps_the_numbers_and_cuts_names():
    lines = render_text(TREE, width=50, color=False).splitlines()
    assert lines[3:6] == [
        "  host dispatch            100.00",
        "  ├ aten::sigmoid           80.00   80.0  60.00",
        "  │ ├ aten::empty           15.00   15.0  12.35",
    ]
    assert max(map(len, lines)) <= 50


def test_of_many_rows_the_largest_are_shown_and_the_others_count_as_time_of_those_above_them():
    big = ("framework op", "big", 1_000, 31_000, 1, 0, None)
    below = [("framework op", f"in{n}", 1_500, 1_500, 1, 1, 0) for n in range(20)]
    others = [("framework op", f"op{n}", 3_000, 3_000, 1, 0, None) for n in range(23)]
    lines = render_text(report(big, *below, *others), width=80, color=False).splitlines()
    assert lines[4] == "  ├ big           31.00   31.0  31.00      1  framework op"
    assert [line.split()[1] for line in lines[4:-1]] == ["big", *(f"op{n}" for n in range(23))]
    assert lines[-1] == "  20 smaller rows are part of what stands above (--verbose)"


def test_names_of_others_are_made_safe():
    text = render_text(
        report(("framework op", "a\x1b[31m\n\u202eb", 100_000, 100_000, 1, 0, None)),
        width=80,
        color=False,
    )
    assert "└ a\\x1b[31m \\u202eb" in text
