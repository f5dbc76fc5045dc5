"""A whole run as strict JSON, `tracelens.run/1`: what `run.json` holds."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelens.errors import RunFolderError
from tracelens.formats import strict_json
from tracelens.formats.report_json import check_widths, report_document
from tracelens.model.measurement import RUN_SCHEMA, Run

_LONGEST_NS = 1 << 53
"""A hundred days: statistics are floats, and beyond it a float does not hold every nanosecond."""


def encode_run(run: Run) -> bytes:
    """Return the run as UTF-8 JSON, every raw sample in it."""
    return strict_json.dump(
        {
            "schema": run.schema,
            "op": run.op,
            "environment": msgspec.to_builtins(run.environment),
            "subjects": _with_samples_in_lines(msgspec.to_builtins(run.subjects)),
            "failure": msgspec.to_builtins(run.failure),
            "report": report_document(run.report, depth=1) if run.report else None,
        }
    )


def decode_run(data: bytes, *, source: str) -> Run:
    """Return the run that `encode_run` wrote. `source` names the file in messages.

    Raises RunFolderError where the bytes are not a run of this schema version, name a trace outside
    the folder, or hold a time that nobody can reckon with: a run may come from a stranger.
    """
    run = strict_json.load(data, Run, schema=RUN_SCHEMA, source=source, error=RunFolderError)
    for found in run.subjects:
        if found.capture is not None and not _is_plain(found.capture.path):
            raise RunFolderError(
                f"{source}: names {found.capture.path!r} as a trace; a file name without a folder "
                "was expected",
                "use the folder as tracelens wrote it",
            )
    if _has_beyond(msgspec.to_builtins(run.subjects)):
        raise RunFolderError(
            f"{source}: holds a time of more than {_LONGEST_NS:,} ns",
            "use the folder as tracelens wrote it",
        )
    if run.report:
        check_widths(run.report, source=source, error=RunFolderError)
    return run


def _has_beyond(value: Any, *, is_time: bool = False) -> bool:
    """Whether builtins hold a time beyond the longest, under any name that ends in `_ns`."""
    if isinstance(value, dict):
        return any(_has_beyond(held, is_time=name.endswith("_ns")) for name, held in value.items())
    if isinstance(value, (list, tuple)):
        return any(_has_beyond(held, is_time=is_time) for held in value)
    return is_time and isinstance(value, int) and abs(value) > _LONGEST_NS


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _with_samples_in_lines(value: Any) -> Any:
    """Return builtins with each list of integers on one line: a run holds thousands of samples."""
    if isinstance(value, dict):
        return {name: _with_samples_in_lines(held) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        if value and all(type(item) is int for item in value):
            return strict_json.line(value)
        return [_with_samples_in_lines(item) for item in value]
    return value
