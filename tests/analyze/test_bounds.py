"""Figures of a trace that lost events."""

from tracelens.analyze.bounds import mark_lower_bounds
from tracelens.model.report import Finding, Metric, Section


def test_the_title_and_every_metric_are_marked_and_nothing_else_changes():
    finding = Finding(tag="t", severity="info", fact="f", advice="a")
    metric = Metric(tag="trace/kernel/sum", name="kernel sum", value=5, unit="ns", description="d")
    marked = mark_lower_bounds(Section(title="Whole trace", metrics=(metric,), findings=(finding,)))
    assert marked == Section(
        title="Whole trace (lower bounds: events were lost)",
        metrics=(
            Metric(
                tag="trace/kernel/sum",
                name="kernel sum (at least)",
                value=5,
                unit="ns",
                description="d; lower bounds: events were lost",
            ),
        ),
        findings=(finding,),
    )
