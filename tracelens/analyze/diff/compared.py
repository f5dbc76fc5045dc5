"""One case and variant on both sides, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tracelens.analyze.change import Change
from tracelens.analyze.diff.comparable import Difference
from tracelens.analyze.diff.kernel_changes import KernelChange, kernel_change
from tracelens.analyze.diff.matching import match_kernels
from tracelens.analyze.diff.pairing import Pair, pair_up
from tracelens.analyze.diff.quantities import ON_CPU
from tracelens.analyze.diff.side import Side
from tracelens.analyze.diff.verdict import judged, regressions, verdict
from tracelens.model.pairs import Paired
from tracelens.model.report import Finding

SIDES = ("baseline", "candidate")
"""What the two sides of a comparison are called."""
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
            force=force,
        )
        if _on_cpu(sides):
            pairs = [replace(p, name=ON_CPU.get(p.stem, p.name)) for p in pairs]
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
    def is_missing(self) -> bool:
        """Whether the baseline has it and the candidate never did."""
        before, after = self.sides
        return after is None and before is not None and before.failure is None

    @property
    def on_cpu(self) -> bool:
        """Whether no side has it on a device: all of a call is then host time."""
        return _on_cpu(self.sides)

    @property
    def unlike(self) -> tuple[str, ...]:
        """How the sides were not taken alike, all of it or single quantities."""
        return self.barred or tuple(f"{p.name}, {p.apart}" for p in self.pairs if p.apart)

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


def _on_cpu(sides: tuple[Side | None, Side | None]) -> bool:
    known = [side for side in sides if side is not None]
    return bool(known) and all(side.on_cpu for side in known)


def _failed(sides: tuple[Side | None, Side | None]) -> str:
    before, after = sides
    if before and after and before.failure and before.failure == after.failure:
        return f"it failed on both sides: {before.failure.rstrip('.')}"
    reasons = []
    for side, word in zip(sides, SIDES, strict=True):
        if side is None:
            reasons.append(f"it is not in the {word}")
        elif side.failure is not None:
            reasons.append(f"it failed in the {word}: {side.failure.rstrip('.')}")
    return "; ".join(reasons)
