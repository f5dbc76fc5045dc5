"""Facts one behind the other, on lines of a page."""

from __future__ import annotations

from tracelens.render.page import Page, flowed


def test_a_line_of_facts_ends_behind_a_dot_and_parts_no_fact() -> None:
    facts = ["on cpu", "warm-up 200 ms", "seed 0", "a fact that is longer than a line"]
    assert flowed(facts, 26, Page(width=28)) == [
        "on cpu · warm-up 200 ms ·",
        "seed 0 ·",
        "a fact that is longer than a line",
    ]
    assert flowed(facts[:2], 40, Page(width=42, unicode=False)) == ["on cpu | warm-up 200 ms"]
