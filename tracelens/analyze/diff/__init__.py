"""Two runs, or two traces, side by side: what changed, where it lies, and whether it is real."""

from tracelens.analyze.diff.comparable import (
    environment_differences,
    protocol_differences,
    shared_environment,
)
from tracelens.analyze.diff.expectations import Expectation, read_expectation
from tracelens.analyze.diff.joining import join_subjects
from tracelens.analyze.diff.report import LOST, REGRESSIONS, Comparison, diff_sections
from tracelens.analyze.diff.side import Side, joined_sides, traced_side

__all__ = [
    "LOST",
    "REGRESSIONS",
    "Comparison",
    "Expectation",
    "Side",
    "diff_sections",
    "environment_differences",
    "join_subjects",
    "joined_sides",
    "protocol_differences",
    "read_expectation",
    "shared_environment",
    "traced_side",
]
