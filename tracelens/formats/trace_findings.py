"""What a reader mended or missed, in words."""

from __future__ import annotations

from collections import Counter

from tracelens.model.report import Finding

_MENDED = {
    "byte_order_mark": "byte order marks before the JSON, skipped",
    "encoding": "bytes of names that are not UTF-8, shown as \ufffd",
    "nonfinite": "bare inf or nan, read as null",
    "surrogates": "halves of surrogate pairs that stand alone, shown as \ufffd",
    "control_characters": "raw control characters in strings, kept",
    "escapes": "strings with backslashes that escape nothing, whose backslashes are all kept",
    "quotes": "strings with quotes of their own that are not escaped, kept",
    "nesting": "values nested deeper than 64 levels, read as null",
    "types": "entries with a field of the wrong type, read as if it were absent",
    "commas": "commas between events that are missing or too many",
    "header": "damaged headers, whose devices and versions may be unknown",
    "trailing": "stretches of text after the end of the trace, skipped",
}
"""What was wrong, by the kind of mend. No time, count or size is touched by any of them."""


def mended_findings(mended: Counter[str]) -> tuple[Finding, ...]:
    """Return a finding for each kind of damage that was mended."""
    return tuple(
        Finding(
            tag=f"trace/mended/{kind}",
            severity="warning",
            fact=f"mended in the file: {mended[kind]:,} x {words}",
            advice="The times stand. Record with a newer profiler to be rid of it.",
        )
        for kind, words in _MENDED.items()
        if mended[kind]
    )


def lost_findings(cut: str | None, *, unreadable: int) -> tuple[Finding, ...]:
    """Say that events are missing: the file is cut, or some of its events cannot be read."""
    found = []
    if cut:
        found.append(_lost("trace/truncated", cut))
    if unreadable:
        found.append(_lost("trace/unreadable", f"{unreadable:,} events are not JSON and left out"))
    return tuple(found)


def _lost(tag: str, fact: str) -> Finding:
    return Finding(
        tag=tag,
        severity="error",
        fact=f"{fact}; every sum and count is a lower bound",
        advice="Record the trace again.",
    )


def open_findings(*, open_ended: bool) -> tuple[Finding, ...]:
    """Say that a bare event array lacks its bracket, as the format allows."""
    if not open_ended:
        return ()
    return (
        Finding(
            tag="trace/open_ended",
            severity="info",
            fact="the event array ends after a whole event without a bracket, which is legal",
            advice="If its writer was stopped, later events are missing: record it again.",
        ),
    )
