from tests.formats.chrome_text import event, read
from tracelens.model.trace import UNKNOWN_NS


def mark(phase, name, ts, *, tid=7):
    return event(ph=phase, name=name, ts=ts, tid=tid, dur=None)


def work(trace):
    """Name, start and duration of each piece of device work."""
    w = trace.device_work
    rows = zip(w.name.tolist(), w.start_ns.tolist(), w.duration_ns.tolist(), strict=True)
    return [(trace.names[name], start, duration) for name, start, duration in rows]


def test_begin_and_end_marks_nest_on_each_thread_by_itself(tmp_path):
    marks = [
        mark("B", "outer", "1.5"),
        mark("B", "inner", 2),
        mark("B", "other", 3, tid=8),
        '{"ph": "E", "pid": 0, "tid": 7, "ts": 5.25}',
        '{"ph": "E", "pid": 0, "tid": 8, "ts": 4}',
        '{"ph": "E", "pid": 0, "tid": 7, "ts": 6}',
    ]
    trace = read(tmp_path, f"[{', '.join(marks)}]")
    assert work(trace) == [
        ("inner", 2_000, 3_250),
        ("other", 3_000, 1_000),
        ("outer", 1_500, 4_500),
    ]
    assert trace.event_count == 6


def test_what_begins_and_never_ends_has_an_unknown_duration(tmp_path):
    trace = read(tmp_path, f"[{mark('B', 'a', 1)}, {event(name='b')}]")
    assert work(trace) == [("b", 20_500, 2_125), ("a", 1_000, UNKNOWN_NS)]


def test_an_end_without_a_beginning_is_nothing(tmp_path):
    trace = read(tmp_path, f"[{mark('E', 'a', 1)}, {mark('B', 'b', 2)}, {mark('E', 'b', None)}]")
    assert work(trace) == [("b", 2_000, UNKNOWN_NS)]
