"""Copies of a trace with our tracks: every one is strict JSON, whatever its source holds."""

import gzip
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.formats.chrome_text import LAUNCH, event
from tests.formats.nsight_export import SYNC, call, export, kernel, nvtx, piece, process_id
from tracelens.api import analyze_trace
from tracelens.errors import ExportError
from tracelens.formats import perfetto_path, read_trace, write_perfetto
from tracelens.model.track import Track

TRACK = Track(
    title="calls (thread 1)",
    names=("kernel", 'a "call" \x1b[31m'),
    name=np.array([1, 0], np.int32),
    start_ns=np.array([1_700_000_000_123_456_789, 1_700_000_000_123_456_790]),
    duration_ns=np.array([10_001, 7]),
    window=np.array([0, 0]),
)
PYTHON = event(cat="python_function", args={"Call stack": "C:\\model.py(7)", "more": [1, {"a": 2}]})
"""An event that nobody here reads, with arguments that nobody here knows."""


def no_constant(name):
    raise AssertionError(f"{name} is not JSON")


def document(path):
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return json.loads(text.decode(), parse_constant=no_constant)


def exported(folder, content, *, recover=False, target="out.json"):
    """Export a trace of that content with TRACK. Returns its events but ours, and findings."""
    source = folder / "trace.json"
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    trace = read_trace(source, recover=recover)
    found = write_perfetto(folder / target, source=source, trace=trace, tracks=[TRACK])
    events = document(folder / target)["traceEvents"]
    return [e for e in events if e["pid"] != 1 << 30], [finding.tag for finding in found]


def test_our_tracks_are_threads_of_a_process_of_their_own_in_exact_nanoseconds(tmp_path):
    exported(tmp_path, f"[{event()}]")
    text = (tmp_path / "out.json").read_text()
    ours = {"pid": 1 << 30, "tid": (1 << 30) + 1}
    events = [e for e in json.loads(text)["traceEvents"] if e["pid"] == 1 << 30]
    assert [(e["name"], e["args"]) for e in events if e["ph"] == "M"] == [
        ("process_name", {"name": "tracelens"}),
        ("process_sort_index", {"sort_index": -1}),
        ("thread_name", {"name": "calls (thread 1)"}),
        ("thread_sort_index", {"sort_index": ours["tid"]}),
    ]
    assert [{k: v for k, v in e.items() if k not in ("ts", "dur")} for e in events[4:]] == [
        {"ph": "X", "cat": "tracelens", **ours, "name": 'a "call" \x1b[31m', "args": {"window": 0}},
        {"ph": "X", "cat": "tracelens", **ours, "name": "kernel", "args": {"window": 0}},
    ]
    assert '"ts":1700000000123456.789,"dur":10.001}' in text
    assert '"ts":1700000000123456.790,"dur":0.007}' in text


def test_every_event_and_every_other_value_is_copied_byte_for_byte(tmp_path):
    source = (
        f'{{"schemaVersion": 1, "traceEvents": [{event(LAUNCH)},\n  {PYTHON} , {event()}], '
        '"displayTimeUnit": "ms", "traceName": "t"}'
    )
    _, findings = exported(tmp_path, source)
    text = (tmp_path / "out.json").read_text()
    assert findings == []
    assert all(original in text for original in (event(LAUNCH), PYTHON, event()))
    assert {k: v for k, v in json.loads(text).items() if k != "traceEvents"} == {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "traceName": "t",
    }


@pytest.mark.parametrize(
    "layout",
    [
        "[{}, {}]",
        "[{}, {}",
        " [ {} , {} , ]\n\0\0",
        '{{"traceEvents": [{}], "traceEvents": [{}]}}',
        '\ufeff{{"a": [{{"b": "traceEvents"}}], "traceEvents": [{}, {}]}}',
        '{{"traceName": "C:\\tmp\\", "traceEvents": [{}, {}]}}',
        '{{"traceEvents": [{} {}], "traceName": "ab',
    ],
)
def test_every_layout_of_a_trace_becomes_one_object_with_all_its_events(tmp_path, layout):
    events, findings = exported(tmp_path, layout.format(event(LAUNCH), PYTHON))
    assert (events, findings) == ([json.loads(event(LAUNCH)), json.loads(PYTHON)], [])


@pytest.mark.parametrize(
    ("damaged", "mended"),
    [
        ('"more": inf', '"more": null'),
        ('"more": "C:\\model"', '"more": "C:\\\\model"'),
        ('"more": "a\nb"', '"more": "a\\nb"'),
        ('"more": "\xff"', '"more": "\ufffd"'),
    ],
)
def test_damage_in_what_nobody_reads_is_mended_in_the_copy(tmp_path, damaged, mended):
    text = f"[{event(LAUNCH)}, {PYTHON}]"
    assert '"more": [1, {"a": 2}]' in text
    text = text.replace('"more": [1, {"a": 2}]', damaged)
    events, findings = exported(tmp_path, text.encode("latin-1"))
    expected = PYTHON.replace('"more": [1, {"a": 2}]', mended)
    assert (events, findings) == ([json.loads(event(LAUNCH)), json.loads(expected)], [])


def test_events_that_cannot_be_copied_are_written_from_what_was_read(tmp_path):
    damaged = event().replace('"k"', '"a "quoted" name"')
    events, findings = exported(tmp_path, f"[{event(LAUNCH)}, {damaged}]")
    assert findings == ["export/anew"]
    fields = {"name": 'a "quoted" name', "pid": "GPU 0 of process 0", "tid": "stream 7"}
    assert events == [json.loads(event(**fields)), json.loads(event(LAUNCH))]


@pytest.mark.parametrize("target", ["out.json", "out.json.gz"])
def test_a_large_trace_is_copied_in_blocks_packed_or_not(tmp_path, target):
    lines = ",\n".join(event(name=f"kernel {n}", ts=n) for n in range(50_000))
    events, findings = exported(tmp_path, gzip.compress(f"[{lines}]".encode(), 1), target=target)
    assert (len(events), events[-1]["name"], findings) == (50_000, "kernel 49999", [])


def test_a_truncated_trace_is_exported_as_far_as_it_was_recovered(tmp_path):
    text = f'{{"traceEvents": [{event(LAUNCH)}, {event()}, {PYTHON[:40]}'
    events, _ = exported(tmp_path, text, recover=True)
    assert events == [json.loads(event(LAUNCH)), json.loads(event())]


@pytest.mark.parametrize(
    "damaged",
    [
        "[[{}, {}], {}]",
        "[{}, [{}, {}]]",
        '[{}, {{"a": [, {}, {}]',
        '[{}, {{"ph": "X", "args": [{{"a": 1}}, {}, {}]',
        "[{}, {} {}]]",
    ],
)
def test_of_a_damaged_trace_the_copy_holds_what_was_read_no_less(tmp_path, damaged):
    exported(tmp_path, damaged.format(event(), event(LAUNCH), event(ts=90)), recover=True)
    read, again = (read_trace(tmp_path / n, recover=True) for n in ("trace.json", "out.json"))
    assert read.device_work.start_ns.tolist() == again.device_work.start_ns.tolist()
    assert read.calls.start_ns.tolist() == again.calls.start_ns.tolist()


def test_an_nsight_export_becomes_a_trace_that_splits_the_same(tmp_path):
    source = export(
        tmp_path / "report.sqlite",
        nvtx(1_000, 2_000),
        call(1_100, 1_200, called=1),
        kernel(1_500, 1_800, by=1),
        call(1_300, 1_350, called=2),
        piece("MEMCPY", 1_700, 1_901, by=2, bytes=4_096, copyKind=2, streamId=8),
        call(2_100, 2_303, called=3, name=SYNC),
        kernel(5_000, 6_000, by=1, globalPid=process_id(77)),
        {"table": "TARGET_INFO_GPU", "id": 0, "name": "NVIDIA H200", "smCount": 132},
    )
    target = tmp_path / "out.json.gz"
    report = analyze_trace(source, perfetto=target)
    again = analyze_trace(target)
    assert report.findings[-1].tag == "export/anew"
    assert again.table("windows") == report.table("windows")
    assert again.table("kernels") == report.table("kernels")
    assert again.environment.device == "NVIDIA H200"
    assert {e["pid"] for e in document(target)["traceEvents"]} == {
        *(1 << 30, "GPU 0 of process 4321", "GPU 0 of process 77", 4_321),
    }


def test_a_pipe_is_not_read_twice(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(
        daemon=True, target=pipe.write_text, args=(f"[{event(LAUNCH)}, {event()}]",)
    )
    writer.start()
    report = analyze_trace(pipe, perfetto=tmp_path / "out.json")
    writer.join()
    assert report.findings[-1].tag == "export/anew"
    assert analyze_trace(tmp_path / "out.json").table("windows") == report.table("windows")


def test_nothing_is_overwritten_and_nothing_is_left_of_what_fails(tmp_path):
    source = tmp_path / "trace.json"
    source.write_text(f"[{event()}]")
    trace = read_trace(source)
    for taken in (source, tmp_path):
        with pytest.raises(ExportError, match="exists, and an export overwrites nothing"):
            write_perfetto(taken, source=source, trace=trace, tracks=[])
    with pytest.raises(ExportError, match="cannot be written: No such file or directory"):
        write_perfetto(tmp_path / "no" / "out.json", source=source, trace=trace, tracks=[])
    broken = Track(TRACK.title, (), TRACK.name, TRACK.start_ns, TRACK.duration_ns, TRACK.window)
    with pytest.raises(IndexError):
        write_perfetto(tmp_path / "out.json", source=source, trace=trace, tracks=[broken])
    assert source.read_text() == f"[{event()}]"
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("a/b/trace.json.gz", "trace.perfetto.json.gz"),
        ("run.1.json", "run.1.perfetto.json.gz"),
        ("report.sqlite", "report.perfetto.json.gz"),
        ("trace", "trace.perfetto.json.gz"),
    ],
)
def test_the_copy_is_named_after_the_trace_and_lies_in_the_working_folder(source, target):
    assert perfetto_path(Path(source)) == Path(target)
