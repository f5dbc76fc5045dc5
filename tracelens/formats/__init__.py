"""What a machine reads back: traces in, report JSON and run folders in and out."""

from tracelens.formats.baselines import accept_run, find_accepted
from tracelens.formats.kernel_json import encode_kernel_names
from tracelens.formats.name_list import is_file, read_name_lines, read_names
from tracelens.formats.perfetto import perfetto_path, write_perfetto
from tracelens.formats.report_json import decode_report, encode_error, encode_report
from tracelens.formats.run_folder import RunFolder, open_run_folder, read_run
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES, read_trace

__all__ = [
    "MAX_EXPANDED_BYTES",
    "RunFolder",
    "accept_run",
    "decode_report",
    "encode_error",
    "encode_kernel_names",
    "encode_report",
    "find_accepted",
    "is_file",
    "open_run_folder",
    "perfetto_path",
    "read_name_lines",
    "read_names",
    "read_run",
    "read_trace",
    "write_perfetto",
]
