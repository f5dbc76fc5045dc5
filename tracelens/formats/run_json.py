"""A whole run as strict JSON, `tracelens.run/1`: what `run.json` holds."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelens.errors import RunFolderError
from tracelens.formats import strict_json
from tracelens.formats.report_json import check_widths, report_document
from tracelens.model.measurement import RUN_SCHEMA, Measurement, Run


def encode_run(run: Run) -> bytes:
    """Return the run as UTF-8 JSON, every raw sample in it."""
    return strict_json.dump(
        {
            "schema": run.schema,
            "op": run.op,
            "environment": msgspec.to_builtins(run.environment),
            "protocol": msgspec.to_builtins(run.protocol),
            "check": msgspec.to_builtins(run.check),
            "measurements": [_measurement(m) for m in run.measurements],
            "withheld": msgspec.to_builtins(run.withheld),
            "capture": msgspec.to_builtins(run.capture),
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


def _measurement(measurement: Measurement) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(measurement),
        # One line, not one per sample: a run holds thousands.
        "samples_ns": strict_json.line(measurement.samples_ns),
    }
