"""All that an issue is written from: runs or a trace, what was recorded, what is attached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tracelens.model.measurement import Run
from tracelens.model.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedArgument:
    """One argument of a framework op, as a trace spells it. What it leaves out is empty.

    A tensor has one shape and one tuple of strides, in elements; a list of tensors has several.
    """

    type: str
    """`float`, `c10::BFloat16`, `TensorList`, `Scalar`, `ScalarList` ..."""
    shapes: tuple[tuple[int, ...], ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    value: str = ""
    """A scalar or a list of them, as text: `1.`, `[2, 3]`, `False`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOp:
    """A framework op called with one set of arguments, and how often it was."""

    name: str
    arguments: tuple[RecordedArgument, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside the issue. `omitted` has a sentence for whatever it leaves out."""

    name: str
    size: int
    """Bytes."""
    holds: str
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """What an issue says. Without a run its source is a trace alone.

    `recorded` are the framework ops of one call, in order. `reproducer` is the text of a script of
    that name, or None where there is none, `needs` the packages that it imports beside torch, and
    `carries` the files beside the op file that it has in it.
    `missing` has a sentence for whatever a reproducer could not take from its source.
    """

    title: str
    report: Report
    run: Run | None = None
    recorded: tuple[RecordedOp, ...] = ()
    reproducer: str | None = None
    reproducer_name: str = "repro.py"
    needs: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    changed_source: int = 0
    """How many private strings were replaced in the op's source, and so in the reproducer."""
    replaced: Mapping[str, int] = field(default_factory=dict)
    """How many strings of which kind were replaced, in all files together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDossier:
    """What an issue of two builds says: each side, and the report of what changed.

    The sides count nothing that was replaced: `replaced` does, for all files together.
    """

    report: Report
    baseline: Dossier
    candidate: Dossier
    replaced: Mapping[str, int] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[tuple[str, Dossier], ...]:
        """Both, each with its name, which its files have too."""
        return ("baseline", self.baseline), ("candidate", self.candidate)
