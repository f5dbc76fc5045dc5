"""Marks the figures of a trace that lost events: a sum over what is left is a lower bound."""

from __future__ import annotations

from dataclasses import replace

from tracelens.model.report import Section

_MARK = "lower bounds: events were lost"


def mark_lower_bounds(section: Section) -> Section:
    """Return the section with its title and every metric marked, for any renderer to show."""
    return replace(
        section,
        title=f"{section.title} ({_MARK})",
        metrics=tuple(
            replace(
                metric,
                name=f"{metric.name} (at least)",
                description=f"{metric.description}; {_MARK}",
            )
            for metric in section.metrics
        ),
    )
