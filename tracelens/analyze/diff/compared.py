"""One case and variant on both sides, compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tracelens.analyze.change import Change
from tracelens.analyze.diff.comparable import Difference, difference_table
from tracelens.analyze.diff.cycles import cycles_section
from tracelens.analyze.diff.expectations import (
    GEOMEAN,
    Expectation,
    expectation_section,
    read_predictions,
)
from tracelens.analyze.diff.host_changes import host_table
from tracelens.analyze.diff.kernel_changes import (
    KernelChange,
    kernel_change,
    kernel_findings,
    kernel_table,
)
from tracelens.analyze.diff.matching import match_kernels
from tracelens.analyze.diff.metrics import pair_metrics
from tracelens.analyze.diff.pairing import ALWAYS, Pair, pair_up
from tracelens.analyze.diff.quantities import Group
from tracelens.analyze.diff.side import Side
from tracelens.analyze.diff.verdict import judged, regressions, spell_ratio, verdict
from tracelens.model.pairs import Paired
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
_ONE_PROCESS = (
    "one process a side cannot tell: two processes of one build lie as far apart. Give several "
    "runs a side with --to, or let both take turns: tracelens diff base_op.py cand_op.py"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A subject with everything that was compared of it.

    `failed` says which side has no measurement of it and why; `barred` why it has no ratio.
    """

    case: str | None
    variant: str | None
    sides: tuple[Side | None, Side | None]
    pairs: tuple[Pair, ...]
    kernels: tuple[KernelChange, ...] | None
    protocol: tuple[Difference, ...]
    barred: tuple[str, ...]
    failed: str
    comparable: bool

    @classmethod
    def of(
        cls,
        case: str | None,
        variant: str | None,
        sides: tuple[Side | None, Side | None],
        *,
        protocol: Sequence[Difference],
        barred: Sequence[str],
        force: bool,
        paired: Paired,
    ) -> Compared:
        """Compare two sides; with reasons in `barred` only where `force` says so.

        `paired` is what was taken in turns, for sides that were.
        """
        failed = _failed(sides)
        comparable = not failed and (force or not barred)
        before, after = sides
        pairs = pair_up(
            before.quantities if before else {},
            after.quantities if after else {},
            paired=paired if comparable else {},
            cards=(before.card if before else (), after.card if after else ()),
            comparable=comparable,
        )
        kernels = None
        if before and after and before.kernels is not None and after.kernels is not None:
            matches = match_kernels(before.kernels, after.kernels)
            kernels = tuple(kernel_change(match, comparable=comparable) for match in matches)
        return cls(
            case=case,
            variant=variant,
            sides=sides,
            pairs=tuple(pairs),
            kernels=kernels,
            protocol=tuple(protocol),
            barred=tuple(barred),
            failed=failed,
            comparable=comparable,
        )

    @property
    def name(self) -> str:
        """Case and variant in a word, empty where the op has only one."""
        return ", ".join(part for part in (self.case, self.variant) if part is not None)

    @property
    def lost(self) -> bool:
        """Whether the baseline has it and the candidate does not."""
        before, after = self.sides
        kept = after is not None and after.failure is None
        return before is not None and before.failure is None and not kept

    @property
    def is_new(self) -> bool:
        """Whether the candidate has it and the baseline never did."""
        before, after = self.sides
        return before is None and after is not None and after.failure is None

    @property
    def changes(self) -> dict[str, Change]:
        """Every change by the stem of its quantity."""
        return {pair.stem: pair.change for pair in self.pairs}

    @property
    def change(self) -> Change:
        """What the subject is judged by."""
        return judged(self.pairs).change

    @property
    def verdict(self) -> Finding:
        """The sentence."""
        reasons = [self.failed] if self.failed else [] if self.comparable else self.barred
        sentence = verdict(self.pairs, reasons)
        if self.change.is_within_luck:
            return replace(sentence, advice=_ONE_PROCESS)
        return sentence

    @property
    def predictions(self) -> tuple[str, ...]:
        """What the candidate's op file predicts; the baseline's may be of an older experiment."""
        candidate = self.sides[1]
        return candidate.predictions if candidate else ()

    def regressions(self, threshold: float) -> list[Pair]:
        """What got slower by more than this share."""
        return regressions(self.pairs, threshold)


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


def _host(subject: Compared) -> Iterator[Section]:
    before, after = subject.sides
    tables = host_table(
        before.host if before else None,
        after.host if after else None,
        comparable=subject.comparable,
    )
    if tables:
        yield Section(title="Host time that moved, profiler on", tables=tables)


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
    """Say that a subject failed, or what of it regressed."""
    if subject.failed:
        yield Finding(
            tag="diff/new_case" if subject.is_new else "diff/failed_case",
            severity="info" if subject.is_new else "error",
            fact=f"not compared, and in no mean: {subject.failed}",
            advice="" if subject.is_new else "see that both sides have the case and compute it",
        )
    for pair in subject.regressions(threshold):
        yield Finding(
            tag="diff/regression",
            severity="warning",
            fact=f"{pair.name} is slower by more than {spell_share(threshold)}: "
            f"{spell_ratio(pair.change)}",
            advice="",
        )


def _failed(sides: tuple[Side | None, Side | None]) -> str:
    before, after = sides
    if before and after and before.failure and before.failure == after.failure:
        return f"it failed on both sides: {before.failure.rstrip('.')}"
    reasons = []
    for side, word in zip(sides, ("baseline", "candidate"), strict=True):
        if side is None:
            reasons.append(f"it is not in the {word}")
        elif side.failure is not None:
            reasons.append(f"it failed in the {word}: {side.failure.rstrip('.')}")
    return "; ".join(reasons)


def _unmeasured(subject: Compared) -> tuple[Finding, ...]:
    traced = all(side is not None and side.profiled for side in subject.sides)
    wanted = [stem for stem in ALWAYS if not (traced and stem in _NEVER_IN_TRACES)]
    missing = {
        word: [
            pair.name
            for pair in subject.pairs
            if pair.stem in wanted and getattr(pair.change, word) is None
        ]
        for word in ("baseline", "candidate")
    }
    facts = [f"{', '.join(names)} in the {word}" for word, names in missing.items() if names]
    if not facts or subject.failed:
        return ()
    return (
        Finding(
            tag="diff/not_measured",
            severity="info",
            fact=f"not measured, and so not compared: {'; '.join(facts)}",
            advice="a report of each side on its own says why",
        ),
    )


def _damaged(subject: Compared) -> Iterator[Finding]:
    for side, word in zip(subject.sides, ("baseline", "candidate"), strict=True):
        for finding in side.findings if side else ():
            yield replace(finding, fact=f"{word}: {finding.fact}")
