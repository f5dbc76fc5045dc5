"""Every case and variant of a run in one table: its time, and the kernels of one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from tracelens.analyze.beside_baseline import change_of_full, full_calls
from tracelens.analyze.change import Change
from tracelens.analyze.kernel_use import KernelUse
from tracelens.analyze.names.config import spell_config
from tracelens.analyze.ran import Ran
from tracelens.analyze.statistics import median
from tracelens.model.report import Cell, Column, Finding, Section, Table

_COLUMNS = (
    Column(name="case"),
    Column(name="variant"),
    Column(name="full_ns", unit="ns"),
    Column(name="ratio", unit="ratio"),
    Column(name="ratio_low", unit="ratio"),
    Column(name="ratio_high", unit="ratio"),
    Column(name="name"),
    Column(name="family"),
    Column(name="config"),
    Column(name="kernel_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="calls", unit="count"),
    Column(name="grid"),
    Column(name="block"),
    Column(name="multiprocessors", unit="count"),
    Column(name="idle_multiprocessors", unit="count"),
    Column(name="blocks_per_multiprocessor", unit="1"),
    Column(name="ended_in"),
)
_RATIO = 3
"""The place of `ratio` in a row."""
_NO_KERNEL: tuple[Cell, ...] = (None,) * 11


def case_table(subjects: Sequence[Ran], multiprocessors: int | None) -> Section:
    """Table the kernels of one call, a row each, beside the figures of their case and variant.

    `full_ns` is the median full call, `ratio` that of the variant to the baseline of its case, with
    an interval that holds no drift between the two. `kernel_ns` is a median launch times the
    launches of one call, `share` its part of the call's device time: the sum of all kernels, copies
    and sets. `idle_multiprocessors` have no block of the grid even where each takes one. A subject
    whose kernels are not known has one row without any. `ended_in` is the stage that failed, and
    with it all after it.
    """
    rows: list[tuple[Cell, ...]] = []
    for ran in subjects:
        times = _times(ran, subjects)
        kernels = [_kernel(use, ran, multiprocessors) for use in ran.kernels or ()]
        kernels += _memory(ran)
        ended = ran.found.failure.stage if ran.found.failure else None
        rows += [(*times, *kernel, ended) for kernel in kernels or [_NO_KERNEL]]
    several = len(subjects) > 1
    return Section(
        title="Cases" if several else "Kernels of a call",
        tables=(Table(tag="cases_and_kernels", columns=_COLUMNS, rows=tuple(rows)),),
        findings=(*_unpaired(rows), *_unknown_card(subjects, multiprocessors)),
        case=None if several else subjects[0].found.subject.case,
        variant=None if several else subjects[0].found.subject.variant,
    )


def baseline_of(ran: Ran, subjects: Sequence[Ran]) -> Ran | None:
    """Return the baseline that a variant is compared with; None where it is the baseline itself."""
    of = ran.found.subject
    if of.baseline:
        return None
    others = (other for other in subjects if other.found.subject.case == of.case)
    return next((other for other in others if other.found.subject.baseline), None)


def _times(ran: Ran, subjects: Sequence[Ran]) -> tuple[Cell, ...]:
    full, baseline = full_calls(ran), baseline_of(ran, subjects)
    change = (change_of_full(ran, baseline) if baseline else None) or Change()
    return (
        ran.found.subject.case,
        ran.found.subject.variant,
        median(full.samples_ns) if full else None,
        change.ratio,
        change.ratio_low,
        change.ratio_high,
    )


def _kernel(use: KernelUse, ran: Ran, multiprocessors: int | None) -> tuple[Cell, ...]:
    return (
        use.name,
        use.kernel.family,
        spell_config(use.kernel) or None,
        use.per_call_ns,
        _share(use.per_call_ns, ran),
        use.count,
        list(use.grid) if use.grid else None,
        list(use.block) if use.block else None,
        multiprocessors,
        *_placed(use, multiprocessors),
    )


def _placed(use: KernelUse, multiprocessors: int | None) -> tuple[Cell, Cell]:
    """Return how many multiprocessors have no block of a grid, and how many blocks each has."""
    if not use.grid or not multiprocessors:
        return None, None
    blocks = prod(use.grid)
    return max(multiprocessors - blocks, 0), blocks / multiprocessors


def _memory(ran: Ran) -> Iterator[tuple[Cell, ...]]:
    if ran.memory_ns:
        share = _share(ran.memory_ns, ran)
        yield ("copies and sets", None, None, ran.memory_ns, share, *_NO_KERNEL[5:])


def _share(per_call_ns: int | None, ran: Ran) -> float | None:
    return per_call_ns / ran.device_ns if per_call_ns is not None and ran.device_ns else None


def _unpaired(rows: Sequence[tuple[Cell, ...]]) -> Iterator[Finding]:
    if any(row[_RATIO] is not None for row in rows):
        yield Finding(
            tag="cases/unpaired",
            severity="info",
            fact="the variants were measured one after the other, not in turns: what drifts "
            "between them is in their ratios, and not in the intervals",
            advice="for a verdict let two of them take turns: tracelens diff OP_FILE --variant A "
            "--variant B",
        )


def _unknown_card(subjects: Sequence[Ran], multiprocessors: int | None) -> Iterator[Finding]:
    if multiprocessors is None and any(ran.kernels for ran in subjects):
        yield Finding(
            tag="cases/multiprocessors_unknown",
            severity="info",
            fact="the run does not say how many multiprocessors the card has: idle ones cannot be "
            "named",
            advice="profile again with this version on the card",
        )
