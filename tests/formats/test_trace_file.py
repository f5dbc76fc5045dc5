import gzip
import os
import threading
from pathlib import Path

import pytest

from tests.formats.chrome_text import KERNEL, LAUNCH, event, read, told
from tracelens.errors import TraceError, TruncatedTraceError
from tracelens.formats import read_trace

EVENTS = f"{event(LAUNCH)}, {event(KERNEL)}"


def start_times(trace):
    return trace.calls.start_ns.tolist() + trace.device_work.start_ns.tolist()


@pytest.mark.parametrize(
    "text",
    [
        f'{{"traceEvents": [{EVENTS}]}}',
        f'{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{EVENTS}]}}',
        f'{{"traceEvents": [{EVENTS}], "traceName": "t", "other": [{{"a": 1}}, {{"b": 2}}]}}',
        f'{{"a": {{"traceEvents": []}}, "b": "traceEvents", "traceEvents": [{EVENTS}], "c": null}}',
        f'{{"traceEvents":[{event(LAUNCH)}],"x":1.5,"traceEvents":[{event(KERNEL)}]}}',
        f"[{EVENTS}]",
        f" \r\n[\n{EVENTS}\n]\n\n",
        f"[{EVENTS}".replace(" ", ""),
        f"[{EVENTS},\n",
        f"[{EVENTS}]".replace(" ", "\n\t  "),
        f"[{EVENTS}]\0\0\0\0",
    ],
)
def test_every_layout_of_a_trace_gives_the_same_events(tmp_path, text):
    trace = read(tmp_path, text)
    assert start_times(trace) == [10_250, 20_500]
    assert (trace.event_count, trace.complete) == (2, True)


def test_a_bare_array_may_end_after_a_whole_event_which_is_told(tmp_path):
    assert told(read(tmp_path, f"[{EVENTS}")) == {
        "trace/open_ended": "the event array ends after a whole event without a bracket, "
        "which is legal"
    }
    for closed in (f"[{EVENTS}]", f"[{EVENTS}]\n", f"[{EVENTS} ] \r\n\t", f"[{EVENTS}]\0"):
        assert told(read(tmp_path, closed)) == {}


def test_gzip_is_told_by_its_content_in_one_or_many_members_and_padded(tmp_path):
    whole = gzip.compress(f"[{EVENTS}]".encode())
    parts = gzip.compress(f"[{event(LAUNCH)}".encode()) + gzip.compress(f",{event()}]".encode())
    for packed in (whole, parts, whole + b"\0" * 700):
        assert start_times(read(tmp_path, packed)) == [10_250, 20_500]


def test_a_link_and_a_pipe_are_read_as_the_file_is(tmp_path):
    file, link, pipe = (tmp_path / name for name in ("trace.json.gz", "link", "pipe"))
    packed = gzip.compress(f"[{EVENTS}]".encode())
    file.write_bytes(packed)
    link.symlink_to(file)
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(packed,))
    writer.start()
    assert [start_times(read_trace(path)) for path in (file, link, pipe)] == [[10_250, 20_500]] * 3
    writer.join()


NOT_A_TRACE = "Pass a trace that torch.profiler exported (export_chrome_trace)."


@pytest.mark.parametrize(
    ("content", "fact", "hint"),
    [
        (b"", "it is empty", "Record the trace again."),
        (b" \n", "it is empty", "Record the trace again."),
        (b"hello world", "it is not JSON: it begins with b'hello wo'", NOT_A_TRACE),
        (b"{hello}", "it is not JSON at byte 1", NOT_A_TRACE),
        (b'{"a": 1, b}', "it is not JSON at byte 9", NOT_A_TRACE),
        (b"[]", "it holds no events", "Record the trace again."),
        (b'{"traceEvents": []}', "it holds no events", "Record the trace again."),
        (b"[1, null, {}]", "none of its 3 entries is a trace event", NOT_A_TRACE),
        (
            b'{"\x1b[31ma": [], "traceEvents": {}}',
            "its JSON object has no traceEvents array; its keys: '\\x1b[31ma', 'traceEvents'",
            NOT_A_TRACE,
        ),
        (b"PK\x03\x04...", "it is a zip archive", "Turn it into UTF-8 JSON, plain or gzip."),
        ("[]".encode("utf-16"), "it is UTF-16 text", "Turn it into UTF-8 JSON, plain or gzip."),
    ],
)
def test_what_is_no_trace_is_an_error_that_says_what_it_is(tmp_path, content, fact, hint):
    for recover in (False, True):
        with pytest.raises(TraceError) as error:
            read(tmp_path, content, recover=recover)
        assert (error.value.fact, error.value.hint) == (f"{tmp_path / 'trace.json'}: {fact}", hint)


def test_a_path_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(TraceError, match="it is a directory"):
        read_trace(tmp_path)
    with pytest.raises(TraceError, match="cannot be read: No such file or directory"):
        read_trace(tmp_path / "missing.json")
    with pytest.raises(TraceError, match="cannot be read: Not a directory"):
        read_trace(Path(__file__) / "below.json")


LAST = "the last whole event is 'cudaLaunchKernel' at ts 10.25"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            f"[{event(LAUNCH)}, {event()[:30]}",
            "it ends at byte {end} before the event that begins at byte {begin} is whole",
        ),
        (f'{{"traceEvents": [{event(LAUNCH)}', "it ends at byte {end}, inside its event array"),
        (f'{{"traceEvents": [{event(LAUNCH)},', "it ends at byte {end}, inside its event array"),
        (
            f"[{event(LAUNCH)}}}",
            "b'}}' stands at byte {last}, where an event should be",
        ),
        (f"[{event(LAUNCH)}][{event()}]", "another JSON value follows the trace at byte {begin}"),
    ],
)
def test_lost_events_are_an_error_with_its_place_or_told_in_what_is_recovered(tmp_path, text, fact):
    begin = text.rindex("[" if "][" in text else "{")
    fact = fact.format(end=len(text), begin=begin, last=len(text) - 1) + f"; {LAST}"
    with pytest.raises(TruncatedTraceError) as error:
        read(tmp_path, text)
    assert error.value.fact == f"{tmp_path / 'trace.json'}: {fact}"
    trace = read(tmp_path, text, recover=True)
    assert start_times(trace) == [10_250]
    assert not trace.complete
    assert told(trace) == {"trace/truncated": f"{fact}; every sum and count is a lower bound"}


def test_a_file_that_ends_before_its_first_event_is_whole_cannot_be_recovered(tmp_path):
    for text in ('{"schemaVersion": 1, "dev', '{"a": [', "[" + event()[:40], '[{"a": "b'):
        for recover in (False, True):
            with pytest.raises(TruncatedTraceError):
                read(tmp_path, text, recover=recover)


def test_a_header_cut_after_the_events_loses_none_of_them(tmp_path):
    trace = read(tmp_path, f'{{"traceEvents": [{EVENTS}], "traceName": "ab')
    assert (start_times(trace), trace.complete) == ([10_250, 20_500], True)
    assert told(trace) == {
        "trace/mended/header": "mended in the file: 1 x damaged headers, "
        "whose devices and versions may be unknown"
    }


def test_a_damaged_header_before_the_events_is_passed_over(tmp_path):
    for header in ('"traceName": "C:\\tmp\\",', '"a": b c,', '"a" 1,'):
        trace = read(tmp_path, f'{{{header} "traceEvents": [{EVENTS}]}}')
        assert (start_times(trace), [*told(trace)]) == ([10_250, 20_500], ["trace/mended/header"])


@pytest.mark.parametrize(
    ("damage", "fact"),
    [
        (lambda packed: packed[:-100], "its gzip data ends early, after byte"),
        (lambda packed: packed[:-5], "its gzip data ends early, after byte"),
        (lambda packed: packed[:-8] + b"!!!!" + packed[-4:], "damaged .* incorrect data check"),
        (lambda packed: packed + b"more", "damaged .* incorrect header check"),
        (lambda packed: packed[:200] + bytes(40) + packed[240:], "its gzip data is damaged after"),
    ],
)
def test_damaged_gzip_is_an_error_and_what_it_holds_up_to_there_is_recovered(
    tmp_path, damage, fact
):
    lines = ",\n".join(event(name=str(n * n)) for n in range(1_000))
    packed = gzip.compress(f"[{lines}]".encode())
    with pytest.raises(TruncatedTraceError, match=fact) as error:
        read(tmp_path, damage(packed))
    assert "the last whole event is" in error.value.fact
    trace = read(tmp_path, damage(packed), recover=True)
    assert 0 < trace.event_count <= 1_000
    assert not trace.complete


def test_gzip_that_is_cut_before_any_event_is_an_error(tmp_path):
    packed = gzip.compress(f"[{EVENTS}]".encode())
    for end in (2, 9, 12):
        with pytest.raises(TruncatedTraceError, match="its gzip data ends early"):
            read(tmp_path, packed[:end], recover=True)


def test_a_gzip_bomb_is_an_error_however_small_its_file(tmp_path):
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]")
    assert len(bomb) < 100_000
    with pytest.raises(TraceError) as error:
        read(tmp_path, bomb, max_expanded_bytes=10_000_000)
    assert error.value.fact.endswith("it expands to more than 10,000,000 bytes")
    with pytest.raises(TraceError, match="holds no events"):
        read(tmp_path, bomb, max_expanded_bytes=50_000_002)


def test_an_event_without_end_is_an_error_long_before_the_memory_is(tmp_path):
    with pytest.raises(TraceError, match="value at byte 1 is longer than 16,777,216 bytes"):
        read(tmp_path, gzip.compress(b'[{"name": "' + b"a" * 100_000_000))
