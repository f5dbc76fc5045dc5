"""What a machine reads back: traces in, report JSON and run folders in and out."""

from tracelens.formats.report_json import decode_report, encode_error, encode_report
from tracelens.formats.run_folder import RunFolder, open_run_folder, read_run
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES, read_trace

__all__ = [
    "MAX_EXPANDED_BYTES",
    "RunFolder",
    "decode_report",
    "encode_error",
    "encode_report",
    "open_run_folder",
    "read_run",
    "read_trace",
]
