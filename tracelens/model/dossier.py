"""All that an issue is written from: a run or a trace, what was recorded, what is attached."""

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

    `recorded` are the framework ops of one call, in order. `reproducer` is the text of `repro.py`,
    or None where there is none, and `needs` the packages that it imports beside torch. `missing`
    has a sentence for whatever a reproducer could not take from its source.
    """

    title: str
    report: Report
    run: Run | None = None
    recorded: tuple[RecordedOp, ...] = ()
    reproducer: str | None = None
    needs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    replaced: Mapping[str, int] = field(default_factory=dict)
    """How many strings of which kind were replaced, in all files together."""
