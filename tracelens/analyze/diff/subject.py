"""What is reported of one case and variant: its figures, its parts, its kernels, its host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracelens.analyze.diff.comparable import difference_table
from tracelens.analyze.diff.compared import SIDES, Compared
from tracelens.analyze.diff.cycles import cycles_section
from tracelens.analyze.diff.expectations import (
    GEOMEAN,
    Expectation,
    expectation_section,
    read_predictions,
)
from tracelens.analyze.diff.host_changes import host_table
from tracelens.analyze.diff.kernel_changes import kernel_findings, kernel_table
from tracelens.analyze.diff.metrics import pair_metrics
from tracelens.analyze.diff.pairing import ALWAYS, Pair
from tracelens.analyze.diff.quantities import Group
from tracelens.analyze.diff.side import Side
from tracelens.analyze.diff.verdict import judged, spell_ratio
from tracelens.model.quantity import spell_share
from tracelens.model.report import Finding, Metric, Section

_GROUPS: tuple[tuple[Group, str], ...] = (
    ("measured", "Difference"),
    ("inside", "Inside the timed calls, profiler off"),
    ("parts", "Parts of a call, profiler on"),
    ("counts", "Launched per call"),
    ("cold", "Cold path"),
    ("trace", "Whole trace"),
)

_NEVER_IN_TRACES = frozenset({"full", "submit"})
_NEVER_ON_CPU = frozenset({"kernel", "launch"})
_UNSTEADY = 0.5
"""A noise floor above which hardly any change of a build can be told."""


def subject_sections(
    subject: Compared, expectations: Sequence[Expectation], *, threshold: float, alone: bool
) -> tuple[Section, ...]:
    """Report one subject: what was measured, its parts, its kernels, its host.

    One that stands `alone` has its sentence over the whole report and does not say it again. What
    is expected of all is joined by what its op file predicts.
    """
    own, wrong = read_predictions(subject.predictions)
    expected = [e for e in (*expectations, *own) if e.stem != GEOMEAN]
    measured, *others = _groups(subject, alone=alone)
    sections = [
        replace(measured, findings=(*case_findings(subject, threshold), *measured.findings)),
        *cycles_section(subject.pairs),
        *others,
        *_kernels(subject),
        *_host(subject),
        *expectation_section(list(dict.fromkeys(expected)), subject.changes, wrong=wrong),
    ]
    return tuple(replace(s, case=subject.case, variant=subject.variant) for s in sections)


def _groups(subject: Compared, *, alone: bool) -> Iterator[Section]:
    for group, title in _GROUPS:
        pairs = [pair for pair in subject.pairs if pair.group == group]
        metrics = [metric for pair in pairs for metric in pair_metrics(pair)]
        if group == "measured":
            yield Section(
                title=title,
                metrics=(*metrics, _verdict(subject, alone=alone)),
                tables=difference_table(subject.protocol),
                findings=(*_unmeasured(subject), *_damaged(subject)),
            )
        elif metrics:
            yield Section(title=title, metrics=tuple(metrics))


def _kernels(subject: Compared) -> Iterator[Section]:
    if subject.kernels is not None:
        yield Section(
            title="Kernels of a call",
            tables=(kernel_table(subject.kernels),),
            findings=kernel_findings(subject.kernels),
        )
    elif not (subject.failed or any(_on_cpu(subject)) or _is_hostly(subject)):
        yield Section(title="Kernels of a call", findings=(_no_kernels(subject.sides),))


def _on_cpu(subject: Compared) -> list[bool]:
    return [side is not None and side.on_cpu for side in subject.sides]


def _is_hostly(subject: Compared) -> bool:
    """Whether neither side has any time of a kernel: a finding says so already."""
    kernel = subject.changes["kernel"]
    unknown = all(side is not None and side.no_kernels for side in subject.sides)
    return unknown and kernel.baseline is None and kernel.candidate is None


def _no_kernels(sides: tuple[Side | None, Side | None]) -> Finding:
    """Say why the kernels of the two sides do not stand beside each other."""
    reasons = [side.no_kernels.rstrip(".") if side else "" for side in sides]
    words = [f"in the {word} {why}" for word, why in zip(SIDES, reasons, strict=True) if why]
    if reasons[0] == reasons[1]:
        words = [f"on both sides {reasons[0]}"]
    return Finding(
        tag="diff/no_kernel_changes",
        severity="info" if all(reasons) else "warning",
        fact=f"single kernels were not compared: {'; '.join(words)}",
        advice="" if all(reasons) else "record that side again to see which kernels changed",
    )


def _host(subject: Compared) -> Iterator[Section]:
    before, after = subject.sides
    tables = host_table(
        before.host if before else None,
        after.host if after else None,
        comparable=subject.comparable,
    )
    if tables:
        yield Section(title="Host times that differ, profiler on", tables=tables)


def _verdict(subject: Compared, *, alone: bool) -> Metric:
    sentence = subject.verdict
    said = subject.failed or "; ".join(
        part for part in (sentence.fact.partition(": ")[2], sentence.advice) if part
    )
    return Metric(
        tag="diff/verdict",
        name="verdict",
        value=subject.change.verdict,
        unit="",
        description=f"of the {judged(subject.pairs).name}" if alone else said,
    )


def case_findings(subject: Compared, threshold: float) -> Iterator[Finding]:
    """Say that a subject failed, that it was too unsteady, or what of it regressed."""
    if subject.failed:
        word = "new" if subject.is_new else "missing" if subject.is_missing else "failed"
        yield Finding(
            tag=f"diff/{word}_case",
            severity="info" if subject.is_new else "error",
            fact=f"not compared, and in no mean: {subject.failed}",
            advice="" if subject.is_new else "see that both sides have the case and compute it",
        )
    yield from _unsteady(judged(subject.pairs))
    for pair in subject.regressions(threshold):
        yield Finding(
            tag="diff/regression",
            severity="warning",
            fact=f"{pair.name} is slower by more than {spell_share(threshold)}: "
            f"{spell_ratio(pair.change)}",
            advice="",
        )


def _unsteady(pair: Pair) -> Iterator[Finding]:
    """Say that a comparison can tell nothing, by the noise that was measured in it."""
    floor = pair.change.measured_floor
    if floor is not None and floor > _UNSTEADY:
        yield Finding(
            tag="diff/unsteady",
            severity="warning",
            fact=f"the noise floor of the {pair.name} is {spell_share(floor)}: this comparison can "
            "tell next to nothing",
            advice="leave the machine to it alone and compare again",
        )


def _unmeasured(subject: Compared) -> Iterator[Finding]:
    if subject.failed:
        return
    hostly = [word for word, on_cpu in zip(SIDES, _on_cpu(subject), strict=True) if on_cpu]
    if hostly:
        where = "on the CPU" if subject.on_cpu else f"on the CPU, as in the {hostly[0]},"
        yield Finding(
            tag="diff/not_measured",
            severity="info",
            fact=f"{where} there are no kernels to compare: all of a call is host time",
            advice="",
        )
    traced = all(side is not None and side.profiled for side in subject.sides)
    wanted = [stem for stem in ALWAYS if not (traced and stem in _NEVER_IN_TRACES)]
    missing = {
        word: [
            pair.name
            for pair in subject.pairs
            if pair.stem in wanted and getattr(pair.change, word) is None
            if not (word in hostly and pair.stem in _NEVER_ON_CPU)
        ]
        for word in SIDES
    }
    facts = [f"{', '.join(names)} in the {word}" for word, names in missing.items() if names]
    if facts:
        yield Finding(
            tag="diff/not_measured",
            severity="info",
            fact=f"not measured, and so not compared: {'; '.join(facts)}",
            advice="a report of each side on its own says why",
        )


def _damaged(subject: Compared) -> Iterator[Finding]:
    for side, word in zip(subject.sides, SIDES, strict=True):
        for finding in side.findings if side else ():
            yield replace(finding, fact=f"{word}: {finding.fact}")
