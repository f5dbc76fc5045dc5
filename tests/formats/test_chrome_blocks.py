import pytest

from tests.formats.chrome_text import event, read, told
from tracelens.errors import TraceError
from tracelens.formats.chunks import CHUNK_BYTES

SOUND = ",\n".join(event(name=f"n{i}", ts=i, args={"correlation": i}) for i in range(40_000))
"""More than two blocks of events."""


def test_every_event_of_many_blocks_is_read_once_and_in_order(tmp_path):
    assert len(SOUND) > 2 * CHUNK_BYTES
    trace = read(tmp_path, f"[{SOUND}]")
    assert trace.event_count == 40_000
    assert trace.device_work.correlation.tolist() == [*range(40_000)]
    assert trace.device_work.start_ns.tolist() == [*range(0, 40_000_000, 1_000)]
    assert trace.names == tuple(f"n{i}" for i in range(40_000))


@pytest.mark.parametrize(
    "inside",
    [
        {"list": [{"a": i} for i in range(3)]},
        {"list": [{"ph": "X", "cat": "kernel", "name": "fake"} for _ in range(60)]},
        {"text": '"}, {"ph": "X", "cat": "kernel", "name": "fake"}, {"'},
        {"text": "}" * 3_000},
    ],
)
def test_a_cut_inside_an_event_is_found_out_and_moved(tmp_path, inside):
    events = [event(args={"correlation": i, **inside}) for i in range(3 * CHUNK_BYTES // 2_000)]
    trace = read(tmp_path, f"[{','.join(events)}]")
    assert trace.device_work.correlation.tolist() == [*range(len(events))]
    assert told(trace) == {}


def test_a_name_of_megabytes_is_a_name(tmp_path):
    name = "x" * (2 * CHUNK_BYTES)
    trace = read(tmp_path, f"[{event()}, {event(name=name)}, {event()}]")
    assert trace.names == ("k", name)


@pytest.mark.parametrize(
    ("odd", "kind", "name"),
    [
        ('{"ph": "X", "cat": "kernel", "name": "a\udc9f", "ts": 1}', "encoding", "a\ufffd"),
        ('{"ph": "X", "cat": "kernel", "name": "a", "x": -inf}', "nonfinite", "a"),
        ('{"ph": "X", "cat": "kernel", "name": "\\ud801"}', "surrogates", "\ufffd"),
        ('{"ph": "X", "cat": "kernel", "name": "a\x1b"}', "control_characters", "a\x1b"),
        ('{"ph": "X", "cat": "kernel", "name": "a\nb"}', "control_characters", "a\nb"),
        ('{"ph": "X", "cat": "kernel", "name": "C:\\dir"}', "escapes", "C:\\dir"),
        ('{"ph": "X", "cat": "kernel", "name": "f<"x">"}', "quotes", 'f<"x">'),
        (
            f'{{"ph": "X", "cat": "kernel", "name": "a", "x": {"[" * 9999}{"]" * 9999}}}',
            "nesting",
            "a",
        ),
        ('{"ph": "X", "cat": "kernel", "name": 5}', "types", "5"),
        (', {"ph": "X", "cat": "kernel", "name": "a"}', "commas", "a"),
        ('{"ph": "X", "cat": "kernel", "name": "a"} {"ph": "M"}', "commas", "a"),
    ],
    ids=lambda value: value if len(value) < 30 else "event",
)
def test_one_damaged_event_among_many_is_mended_and_the_others_stay(tmp_path, odd, kind, name):
    text = f"[{SOUND}, {odd}, {SOUND}]".encode(errors="surrogateescape")
    trace = read(tmp_path, text)
    assert len(trace.device_work) == 80_001
    assert trace.names[trace.device_work.name[40_000]] == name
    assert [*told(trace)] == [f"trace/mended/{kind}"]
    assert told(trace)[f"trace/mended/{kind}"].startswith("mended in the file: 1 x ")


def test_an_event_that_is_no_json_is_an_error_with_its_place_or_left_out(tmp_path):
    bad = '{"ph": "X", oops: 1, "ts": 5}'
    text = f"[{SOUND}, {bad}, {SOUND}, {bad},{event()}]"
    with pytest.raises(TraceError) as error:
        read(tmp_path, text)
    assert error.value.fact.endswith(f"the event at byte {len(SOUND) + 3:,} is not JSON")
    trace = read(tmp_path, text, recover=True)
    assert (len(trace.device_work), trace.complete) == (80_001, False)
    assert told(trace) == {
        "trace/unreadable": "2 events are not JSON and left out; "
        "every sum and count is a lower bound"
    }


def test_a_file_with_too_many_unreadable_events_is_an_error_even_when_recovered(tmp_path):
    bad = '{"ph": "X", oops: 1}, ' * 1_001
    with pytest.raises(TraceError) as error:
        read(tmp_path, f"[{event()}, {bad} {event()}]", recover=True)
    assert error.value.hint == (
        "Record the trace again: 1,000 events before it are not JSON either."
    )


def test_a_trace_cut_in_a_later_block_tells_the_place(tmp_path):
    trace = read(tmp_path, f"[{SOUND}, {event()[:30]}", recover=True)
    begin, end = len(SOUND) + 3, len(SOUND) + 33
    assert told(trace)["trace/truncated"].startswith(
        f"it ends at byte {end:,} before the event that begins at byte {begin:,} is whole; "
        "the last whole event is 'n39999' at ts 39999;"
    )
    assert trace.event_count == 40_000
