"""What there is to say of all cases and variants of a run together."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.analyze.beside_baseline import beside_baseline
from tracelens.analyze.case_table import baseline_of, case_table
from tracelens.analyze.expected_table import expected_table
from tracelens.analyze.ran import Ran
from tracelens.model.report import Environment, Section


def variant_sections(ran: Ran, before: Sequence[Ran]) -> tuple[Section, ...]:
    """Say how a variant compares with the baseline of its case, which came `before` it."""
    baseline = baseline_of(ran, before)
    if baseline is None or ran.found.sweep:
        return ()
    return (beside_baseline(ran, baseline),)


def run_wide_sections(subjects: Sequence[Ran], environment: Environment) -> tuple[Section, ...]:
    """Table every case and variant with its kernels, and what was expected of them.

    A sweep over sizes has tables of its own.
    """
    subjects = [ran for ran in subjects if not ran.found.sweep]
    known = len(subjects) > 1 or any(ran.kernels is not None for ran in subjects)
    cases = (case_table(subjects, environment.multiprocessors),) if known else ()
    expected = expected_table(subjects)
    return (*cases, expected) if expected is not None else cases
