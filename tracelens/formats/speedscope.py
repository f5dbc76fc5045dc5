"""Writes sampled functions for https://www.speedscope.app, in the format that it publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelens.formats import strict_json
from tracelens.model.functions import Function, FunctionTimes
from tracelens.version import __version__

SPEEDSCOPE_NAME = "functions.speedscope.json"

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def encode_speedscope(subjects: Sequence[FunctionTimes], *, name: str) -> bytes:
    """Return a file with a sampled profile for each subject: a stack's weight is its ns per call.

    The profile is one call long. The order of its stacks says nothing: look at "left heavy".
    """
    places: dict[Function, int] = {}
    profiles = [_profile(times, places) for times in subjects]
    return strict_json.dump(
        {
            "$schema": _SCHEMA,
            "name": name,
            "exporter": f"tracelens {__version__}",
            "activeProfileIndex": 0,
            "shared": {"frames": [_frame(function) for function in places]},
            "profiles": profiles,
        }
    )


def _profile(times: FunctionTimes, places: dict[Function, int]) -> dict[str, Any]:
    at = [places.setdefault(function, len(places)) for function in times.functions]
    samples = [[at[place] for place in stack] for stack, _, _ in times.stacks]
    return {
        "type": "sampled",
        "name": times.name,
        "unit": "nanoseconds",
        "startValue": 0,
        "endValue": times.whole_ns,
        "samples": strict_json.rows(samples, depth=3),
        "weights": strict_json.line([ns for _, ns, _ in times.stacks]),
    }


def _frame(function: Function) -> dict[str, Any]:
    """Return a frame; the format has no null."""
    fields = {"name": function.name, "file": function.file, "line": function.line}
    return {key: value for key, value in fields.items() if value is not None}
