import pytest

from tests.formats.chrome_text import KERNEL, event, read, spelled, told
from tracelens.model.trace import MISSING, UNKNOWN_NS

ODD = {
    "trace/mended/types": "mended in the file: 1 x entries with a field of the wrong type, "
    "read as if it were absent"
}


def kernels(tmp_path, odd):
    """What is read of a kernel event between two sound ones."""
    trace = read(tmp_path, f"[{event()}, {odd}, {event()}]")
    assert (trace.event_count, len(trace.device_work)) == (3, 3)
    return trace


@pytest.mark.parametrize(
    "text", ["true", "null", '"soon"', "[]", "{}", "1e400", "99999999999999999999", '""']
)
def test_a_time_that_is_no_number_is_unknown_and_its_event_is_kept(tmp_path, text):
    trace = kernels(tmp_path, spelled("ts", text))
    assert trace.device_work.start_ns.tolist() == [20_500, UNKNOWN_NS, 20_500]
    trace = kernels(tmp_path, spelled("dur", text))
    assert trace.device_work.duration_ns.tolist() == [2_125, UNKNOWN_NS, 2_125]


def test_absent_times_are_unknown_and_odd_ones_are_passed_on_as_recorded(tmp_path):
    trace = kernels(tmp_path, event(ts=None, dur=None))
    assert trace.device_work.start_ns[1] == trace.device_work.duration_ns[1] == UNKNOWN_NS
    trace = kernels(tmp_path, event(ts=0, dur=-12.345))
    assert (trace.device_work.start_ns[1], trace.device_work.duration_ns[1]) == (0, -12_345)


@pytest.mark.parametrize(
    ("text", "name"), [("5", "5"), ("null", "null"), ('[1, {"a": "b"}]', '[1, {"a": "b"}]')]
)
def test_a_name_that_is_no_string_is_shown_as_the_file_spells_it(tmp_path, text, name):
    trace = kernels(tmp_path, spelled("name", text))
    assert trace.names == ("k", name)
    assert told(trace) == ({} if text == "null" else ODD)


@pytest.mark.parametrize("text", ["[1]", "5", '"x"', "true", "[]"])
def test_arguments_that_are_no_object_are_none(tmp_path, text):
    trace = kernels(tmp_path, event().replace(event()[event().index('{"device"') : -1], text))
    work = trace.device_work
    assert (work.correlation.tolist(), work.stream.tolist()) == ([1, MISSING, 1], [7, 7, 7])
    assert told(trace) == ODD


@pytest.mark.parametrize(
    ("text", "correlation", "odd"),
    [
        ("12", 12, False),
        ('"12"', 12, False),
        ("12.0", 12, False),
        ("null", MISSING, False),
        ("99999999999999999999", MISSING, False),
        ("12.5", MISSING, True),
        ("true", MISSING, True),
        ("[12]", MISSING, True),
        ("1e400", MISSING, True),
        ("9" * 5_000, MISSING, True),
    ],
)
def test_an_id_of_any_type_is_a_number_or_missing(tmp_path, text, correlation, odd):
    trace = kernels(tmp_path, event().replace('"correlation": 1', f'"correlation": {text}'))
    assert trace.device_work.correlation.tolist() == [1, correlation, 1]
    assert told(trace) == (ODD if odd else {})


@pytest.mark.parametrize("grid", ["[1, 2]", '"1, 2, 3"', "[1, 2, 3.5]", "{}", "[1, 2, null]"])
def test_a_shape_that_is_not_three_numbers_is_missing(tmp_path, grid):
    odd = event(args={"grid": "HERE", "block": [4, 5, 6]}).replace('"HERE"', grid)
    trace = kernels(tmp_path, odd)
    assert trace.device_work.grid[1].tolist() == [MISSING] * 3
    assert trace.device_work.block[1].tolist() == [4, 5, 6]
    assert told(trace) == ODD


def test_a_phase_or_category_of_another_type_is_none_so_the_entry_is_counted_and_not_read(tmp_path):
    for field in ("ph", "cat"):
        trace = read(tmp_path, f"[{event()}, {spelled(field, '1')}]")
        assert (trace.event_count, len(trace.device_work), told(trace)) == (2, 1, ODD)


def test_entries_that_are_no_objects_are_counted_and_not_read(tmp_path):
    trace = read(tmp_path, f'[{event()}, 5, null, "x", [{event()}]]')
    assert (trace.event_count, len(trace.device_work)) == (5, 1)
    assert told(trace)["trace/mended/types"].startswith("mended in the file: 4 x entries")


def test_keys_may_be_escaped_repeated_and_in_any_order(tmp_path):
    text = event().replace('"ts"', r'"t\u0073"').replace('"name"', '"name": "old", "name"')
    backwards = ", ".join(reversed(text[1:-1].split(', "args"')[0].split(", ")))
    arguments = text[text.index('"args"') : -1]
    trace = read(tmp_path, f"[{{{arguments}, {backwards}}}]")
    assert trace.device_work.start_ns.tolist() == [20_500]
    assert trace.device_work.stream.tolist() == [KERNEL["tid"]]
