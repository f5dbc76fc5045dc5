"""A copy of a trace to attach: nothing private in it, every number as it was, small enough."""

import gzip
import json

import pytest

from tests.formats.nsight_export import call, export, kernel
from tracelens.errors import ExportError
from tracelens.formats.redaction import Redactor
from tracelens.formats.shrunk_trace import trace_texts, write_shrunk_trace


def event(name, ts, dur=1, **more):
    times = {"ts": ts, "dur": dur}
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, **times, **more}


def written(folder, document, **options):
    source, target = folder / "source.json", folder / "trace.json.gz"
    source.write_text(document if isinstance(document, str) else json.dumps(document))
    redactor = Redactor()
    options = {"windows": [], "redactor": redactor, **options}
    attachment = write_shrunk_trace(target, source=source, **options)
    return attachment, gzip.decompress(target.read_bytes()).decode(), redactor


def test_numbers_keep_every_digit_and_unlisted_texts_are_left_out(tmp_path):
    text = (
        '{"host_name":"h","environ":{"A":"b"},"cupti_version":26,"traceEvents":['
        '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1767189312000000.001,"dur":5.500,'
        '"secret":"x","args":{"correlation":671,"grid":[1, 2, 3],"note":"mine","my count":3}},'
        '{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"acme-serve --key 1"}}]}'
    )
    attachment, copy, redactor = written(tmp_path, text)
    assert copy == (
        '{"traceEvents":[\n'
        '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1767189312000000.001,"dur":5.500,'
        '"args":{"correlation":671,"grid":[1, 2, 3],"my count":3}},\n'
        '{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"REDACTED_PROCESS"}}\n'
        '],\n"cupti_version":26}\n'
    )
    assert dict(redactor.counts) == {"unlisted trace field": 4, "process name": 1}
    assert (attachment.name, attachment.omitted) == ("trace.json.gz", ())


def test_a_path_in_a_name_is_replaced_each_time_and_counted_each_time(tmp_path):
    events = [event("/home/x/a.py(1): f", ts) for ts in (1, 2)]
    _, copy, redactor = written(tmp_path, {"traceEvents": events})
    assert copy.count('"REDACTED_PATH(1): f"') == redactor.counts["path"] == 2


def test_a_trace_that_is_too_large_loses_what_lies_outside_its_windows_first(tmp_path):
    events = [event(f"op{i * 7919 % 3001}", 10 * i) for i in range(3000)]
    events.append(
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}}
    )
    attachment, copy, _ = written(
        tmp_path, {"traceEvents": events}, windows=[(100_000, 1_000_000)], limit_bytes=4_000
    )  # fmt: skip
    kept = json.loads(copy)["traceEvents"]
    assert (kept[0]["ts"], kept[-2]["ts"], kept[-1]["ph"]) == (100, 1000, "M")
    assert attachment.omitted == (
        "2,909 of 3,001 events were dropped to fit an attachment: kept are those of 1 of 1 "
        "windows, 900 us of 900 us",
    )
    assert attachment.size == (tmp_path / "trace.json.gz").stat().st_size <= 4_000


def test_windows_that_are_too_large_lose_the_last_of_them(tmp_path):
    events = [event(f"op{i * 7919 % 3001}", 10 * i) for i in range(3000)]
    windows = [(i * 10_000, i * 10_000 + 9_000) for i in range(3000)]
    attachment, copy, _ = written(
        tmp_path, {"traceEvents": events}, windows=windows, limit_bytes=4_000
    )
    kept = json.loads(copy)["traceEvents"]
    assert [e["ts"] for e in kept] == [10 * i for i in range(len(kept))]
    assert f"kept are those of {len(kept)} of 3000 windows" in attachment.omitted[0]


def test_what_cannot_be_made_small_enough_is_an_error_that_leaves_no_file(tmp_path):
    with pytest.raises(ExportError) as raised:
        written(tmp_path, {"traceEvents": [event("x", 1)]}, limit_bytes=10)
    assert raised.value.hint == "Write the issue without it: --no-trace."
    assert not (tmp_path / "trace.json.gz").exists()


def test_every_string_of_a_trace_is_listed_once(tmp_path):
    events = [event("a", 1, args={"Input type": ["float", ""]}), event("a", 2)]
    written(tmp_path, {"traceEvents": events, "displayTimeUnit": "ms"})
    assert trace_texts(tmp_path / "trace.json.gz") == (
        "", "Input type", "X", "a", "cpu_op", "displayTimeUnit", "float", "ms",
    )  # fmt: skip


def test_a_damaged_trace_is_mended_on_the_way(tmp_path):
    damaged = json.dumps({"traceEvents": [event("C:|dir", 1)]}).replace("|", "\\")
    _, copy, redactor = written(tmp_path, damaged)
    assert json.loads(copy)["traceEvents"] == [event("REDACTED_PATH", 1)]
    assert dict(redactor.found) == {("path", "C:\\dir"): 1}


def test_an_nsight_export_becomes_a_chrome_trace_and_says_what_it_lacks(tmp_path):
    source = export(tmp_path / "run.sqlite", kernel(1_000, 3_000, by=7), call(0, 500, called=7))
    target = tmp_path / "trace.json.gz"
    attachment = write_shrunk_trace(target, source=source, windows=[], redactor=Redactor())
    names = [e["name"] for e in json.loads(gzip.decompress(target.read_bytes()))["traceEvents"]]
    assert names == ["void add<float>(float*)", "cudaLaunchKernel_v7000"]
    assert attachment.omitted == (
        "only device work, API calls, ops and annotations: no other events could be copied",
    )
