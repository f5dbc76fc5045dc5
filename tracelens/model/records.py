"""A stream of records put together: who said what about which subject."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from tracelens.model.card import CardReading
from tracelens.model.ceiling import Ceiling
from tracelens.model.expectation import StatedKernels
from tracelens.model.functions import FunctionSamples
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.launched import Launched
from tracelens.model.layered import Layered
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Noticed,
    Outline,
    Predicted,
    Protocol,
    Record,
    Run,
    Subject,
    SubjectRun,
    Trial,
    Withheld,
    Work,
)
from tracelens.model.report import Environment
from tracelens.model.sweep import SweepPoint
from tracelens.model.sync_line import SyncLine
from tracelens.version import __version__

_Kind = TypeVar("_Kind")


def gather(op: str, records: Iterable[Record]) -> Run:
    """Put the records of a run together, by subject. The last Environment stands.

    A subject that was never reached has the failure of the one that ended its case.
    """
    outline, environment, failure = Outline(subjects=()), Environment(tracelens=__version__), None
    about: dict[Subject, list[Record]] = {}
    taken: list[Record] = []
    for record in records:
        if isinstance(record, Outline):
            outline = record
        elif isinstance(record, Environment):
            environment = record
        elif isinstance(record, Subject):
            taken = about.setdefault(record, [])
        elif isinstance(record, Failure) and not about:
            failure = record
        else:
            taken.append(record)
    found = [_gathered(subject, about[subject]) for subject in about]
    subjects = [*about, *(s for s in outline.subjects if s not in about)]
    order = {subject: at for at, subject in enumerate(outline.subjects or subjects)}
    found += [_unreached(subject, found) for subject in subjects if subject not in about]
    found.sort(key=lambda f: order.get(f.subject, len(order)))
    return Run(op=op, environment=environment, subjects=tuple(found), failure=failure)


def _gathered(subject: Subject, records: list[Record]) -> SubjectRun:
    return SubjectRun(
        subject=subject,
        protocol=_last(records, Protocol),
        stated=_last(records, StatedKernels),
        check=_last(records, Check),
        trials=_all(records, Trial),
        work=_last(records, Work),
        predicted=_last(records, Predicted),
        noticed=_all(records, Noticed),
        measurements=_all(records, Measurement),
        launched=_last(records, Launched),
        sync_lines=_all(records, SyncLine),
        layered=_last(records, Layered),
        repetition=_last(records, Repetition),
        variations=_all(records, Variation),
        sweep=_all(records, SweepPoint),
        card=_all(records, CardReading),
        ceilings=_all(records, Ceiling),
        functions=_last(records, FunctionSamples),
        withheld=_all(records, Withheld),
        capture=_last(records, Capture),
        failure=_last(records, Failure),
    )


def _unreached(subject: Subject, found: list[SubjectRun]) -> SubjectRun:
    ended = [f.failure for f in found if f.failure and f.subject.case == subject.case]
    return SubjectRun(subject=subject, failure=ended[-1] if ended else None)


def _last(records: list[Record], kind: type[_Kind]) -> _Kind | None:
    return next((r for r in reversed(records) if isinstance(r, kind)), None)


def _all(records: list[Record], kind: type[_Kind]) -> tuple[_Kind, ...]:
    return tuple(r for r in records if isinstance(r, kind))
