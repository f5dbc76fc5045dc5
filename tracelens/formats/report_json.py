"""The machine contract: a report as strict JSON, `tracelens.report/1`, and its error form."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelens.errors import TracelensError
from tracelens.formats import strict_json
from tracelens.model.report import ERROR_SCHEMA, REPORT_SCHEMA, Report, Section

_ROWS_DEPTH = 5
"""How deep a table's rows lie: report, sections, section, tables, table."""


def encode_report(report: Report) -> bytes:
    """Return the report as UTF-8 JSON, two spaces a level, each table row on a line of its own.

    Floats that are not numbers become null and lone surrogates are spelled out; all else survives
    `decode_report` unchanged.
    """
    return strict_json.dump(report_document(report))


def report_document(report: Report, *, depth: int = 0) -> dict[str, Any]:
    """Return the report as `strict_json.dump` takes it, to stand `depth` levels deep."""
    return {
        "schema": report.schema,
        "command": report.command,
        "environment": msgspec.to_builtins(report.environment),
        "sections": [_section(section, depth=depth) for section in report.sections],
    }


def decode_report(data: bytes, *, source: str = "the report") -> Report:
    """Return the report that `encode_report` wrote. `source` names the file in messages.

    Raises TracelensError where the bytes are not a report of this schema version.
    """
    report = strict_json.load(
        data, Report, schema=REPORT_SCHEMA, source=source, error=TracelensError
    )
    check_widths(report, source=source, error=TracelensError)
    return report


def encode_error(error: TracelensError) -> bytes:
    """Return the error as UTF-8 JSON: `schema`, `fact` and `advice`."""
    return strict_json.dump({"schema": ERROR_SCHEMA, "fact": error.fact, "advice": error.hint})


def _section(section: Section, *, depth: int) -> dict[str, Any]:
    return {
        "title": section.title,
        "case": section.case,
        "variant": section.variant,
        "metrics": msgspec.to_builtins(section.metrics),
        "tables": [
            {
                "tag": table.tag,
                "columns": msgspec.to_builtins(table.columns),
                "rows": strict_json.rows(table.rows, depth=depth + _ROWS_DEPTH),
            }
            for table in section.tables
        ],
        "findings": msgspec.to_builtins(section.findings),
    }


def check_widths(report: Report, *, source: str, error: type[TracelensError]) -> None:
    """Raise `error` where a table has a row that is not as long as its columns are many."""
    for section in report.sections:
        for table in section.tables:
            width = len(table.columns)
            for number, row in enumerate(table.rows):
                if len(row) != width:
                    raise error(
                        f"{source}: row {number} of table {table.tag[:60]!r} has {len(row)} "
                        f"cells for {width} columns",
                        "Pass a file that tracelens wrote and nothing changed.",
                    )
