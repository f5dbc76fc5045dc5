"""Two runs, or two traces, side by side: what changed, where it lies, and whether it is real."""

from tracelens.analyze.diff.comparable import shared_environment
from tracelens.analyze.diff.expectations import Expectation, read_expectation
from tracelens.analyze.diff.joining import join_subjects
from tracelens.analyze.diff.report import REGRESSIONS, Comparison, diff_sections
from tracelens.analyze.diff.side import Side, traced_side

__all__ = [
    "REGRESSIONS",
    "Comparison",
    "Expectation",
    "Side",
    "diff_sections",
    "join_subjects",
    "read_expectation",
    "shared_environment",
    "traced_side",
]
