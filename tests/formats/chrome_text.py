"""Small Chrome traces as text, and the reader over them: what tests of the reader share."""

import json
from pathlib import Path

from tracelens.formats import read_trace

KERNEL = {
    "ph": "X",
    "cat": "kernel",
    "name": "k",
    "pid": 0,
    "tid": 7,
    "ts": 20.5,
    "dur": 2.125,
    "args": {"device": 0, "stream": 7, "correlation": 1},
}
LAUNCH = {
    "ph": "X",
    "cat": "cuda_runtime",
    "name": "cudaLaunchKernel",
    "pid": 41,
    "tid": 42,
    "ts": 10.25,
    "dur": 4,
    "args": {"External id": 3, "correlation": 1},
}


def event(template=KERNEL, *, args=None, **fields):
    """One event as JSON: a template with other fields, or without those that are None."""
    fields = {**template, **fields, "args": {**template["args"], **(args or {})}}
    return json.dumps({name: value for name, value in fields.items() if value is not None})


def spelled(field, text):
    """A kernel event whose field is spelled in the file just so."""
    return event(**{field: "HERE"}).replace('"HERE"', text)


def read(folder: Path, text: str | bytes, **options):
    """Read a trace file of that content."""
    path = folder / "trace.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_trace(path, **options)


def told(trace):
    """The findings of a trace, by tag."""
    return {finding.tag: finding.fact for finding in trace.findings}
