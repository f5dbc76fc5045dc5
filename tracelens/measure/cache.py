"""Warm, cold or both: in which state of the L2 cache an op is measured."""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from tracelens.measure.device import Unavailable
from tracelens.measure.options import Options
from tracelens.measure.timing import Timed
from tracelens.model.measurement import Noticed, Record
from tracelens.model.report import Finding, Severity

L2 = Literal["cold", "warm", "both"]

_WAYS = {"write": "twice the L2 written before each sample", "read": "twice the L2 read"}


def choose_l2(options: Options, subject: Timed, *, moves_stated: bool) -> L2:
    """Return the state asked for; without one, both for an op that says what it moves.

    A CPU's caches are left as they are.
    """
    if not subject.device.asynchronous:
        return "warm"
    return options.l2 or ("both" if moves_stated else "warm")


def prepare_cold(subject: Timed, options: Options, l2: L2) -> Generator[Record, None, Timed | None]:
    """Return the subject with a flush before each sample, or None where it is not asked for.

    Where the flush cannot be had, a warning says that all figures are warm.
    """
    if l2 == "warm":
        return None
    try:
        flush = subject.device.flush(options.flush)
    except Unavailable as reason:
        yield _noticed("cache/not_flushed", "warning", reason.reason, reason.advice)
        return None
    state = f"cold ({_WAYS[options.flush]})"
    if l2 == "cold":
        yield _noticed(
            "cache/amortised_warm",
            "info",
            "amortised calls run in a row, so theirs is a warm cache; all else is measured with a "
            "cold one",
            "",
        )
    return subject.flushed(flush, state=state)


def _noticed(tag: str, severity: Severity, fact: str, advice: str) -> Noticed:
    return Noticed(finding=Finding(tag=tag, severity=severity, fact=fact, advice=advice))
