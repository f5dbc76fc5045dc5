"""A whole run as strict JSON, `tracelens.run/1`: what `run.json` holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from tracelens.errors import RunFolderError
from tracelens.formats import strict_json
from tracelens.formats.report_json import check_widths, report_document
from tracelens.model.measurement import RUN_SCHEMA, Measurement, Run, SubjectRun


def encode_run(run: Run) -> bytes:
    """Return the run as UTF-8 JSON, every raw sample in it."""
    return strict_json.dump(
        {
            "schema": run.schema,
            "op": run.op,
            "environment": msgspec.to_builtins(run.environment),
            "subjects": [_subject_run(subject) for subject in run.subjects],
            "failure": msgspec.to_builtins(run.failure),
            "report": report_document(run.report, depth=1) if run.report else None,
        }
    )


def decode_run(data: bytes, *, source: str) -> Run:
    """Return the run that `encode_run` wrote. `source` names the file in messages.

    Raises RunFolderError where the bytes are not a run of this schema version.
    """
    run = strict_json.load(data, Run, schema=RUN_SCHEMA, source=source, error=RunFolderError)
    if run.report:
        check_widths(run.report, source=source, error=RunFolderError)
    return run


def _subject_run(found: SubjectRun) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(replace(found, measurements=())),
        "measurements": [_measurement(m) for m in found.measurements],
    }


def _measurement(measurement: Measurement) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(measurement),
        # One line, not one per sample: a run holds thousands.
        "samples_ns": strict_json.line(measurement.samples_ns),
    }
