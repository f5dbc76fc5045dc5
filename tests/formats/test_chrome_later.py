import gzip
import os
import signal
from dataclasses import fields
from pathlib import Path

import pytest

from tests.formats.chrome_text import KERNEL, LAUNCH, event, read, told
from tracelens.errors import TraceError
from tracelens.formats import chrome_later, read_trace
from tracelens.formats.chrome_columns import TraceColumns

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = sorted([*FIXTURES.glob("cases/*[!d].json"), *FIXTURES.glob("*traces/*.json.gz")])
EVENTS = [
    event((LAUNCH, KERNEL)[i % 2], name=f"n{i % 50}", ts=i, args={"correlation": i})
    for i in range(2_000)
]
SOUND = ", ".join(EVENTS)


@pytest.fixture
def taken(monkeypatch):
    """Let a second process read half of every file. Lists how many events it was taken for."""
    counts = []
    extend = TraceColumns._extend

    def counted(columns, part):
        counts.append(part.event_count)
        extend(columns, part)

    monkeypatch.setattr(chrome_later, "LARGE_BYTES", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(TraceColumns, "_extend", counted)
    return counts


def whole(trace):
    """All that a trace holds, its labels in place of their numbers."""
    tables = {
        "name": trace.names,
        "process": trace.processes,
        "thread": trace.threads,
        "arguments": (*trace.arguments, None),  # -1, the last, is none
    }
    shown = {}
    for sort in ("device_work", "calls", "ops", "annotations", "overheads", "flows"):
        columns = getattr(trace, sort)
        for field in fields(columns):
            values = getattr(columns, field.name).tolist()
            table = tables.get(field.name)
            shown[sort, field.name] = [table[v] for v in values] if table else values
    return shown, trace.event_count, trace.devices, trace.versions, trace.complete, told(trace)


def outcome(path):
    """What is read of a file, or why it is not."""
    try:
        return whole(read_trace(path))
    except TraceError as error:
        return error.fact


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_two_processes_read_what_one_reads(path, taken, monkeypatch):
    by_two = outcome(path)
    monkeypatch.setattr(chrome_later, "LARGE_BYTES", 1 << 60)
    assert outcome(path) == by_two
    assert len(taken) <= 1


@pytest.mark.parametrize(
    "text",
    [
        f"[{SOUND}]",
        f'{{"traceEvents": [{SOUND}], "deviceProperties": [{{"id": 3}}]}}',
        f"[{SOUND.replace(' ', '')}]  \n",
        f"[{SOUND},\n",
        f'[{SOUND}, {{"ph": "X", "cat": "kernel", "name": "a\x01", "v": inf}}]',
    ],
)
def test_the_later_half_is_taken_over_where_it_is_sound_or_mended(tmp_path, taken, text):
    for content in (text.encode(), gzip.compress(text.encode())):
        trace = read(tmp_path, content)
        assert 2_000 <= trace.event_count <= 2_001
        assert 700 < taken.pop() < 1_100
        assert sorted(trace.calls.correlation.tolist()) == [*range(0, 2_000, 2)]


@pytest.mark.parametrize(
    "text",
    [
        f"[{SOUND}, {event()[:20]}",
        f'[{SOUND}, {{"ph": "X", oops: 1}}, {event()}]',
        f"[{SOUND}]" + " " * 2_000_000,
        f"[{', '.join(EVENTS[:9])}], [{' ' * 900_000}]",
        f"[{SOUND}, {event(tid='default', args={'stream': None})}]",
        f"[{SOUND}, {event(ph='B')}, {event(ph='E', ts=99)}]",
        "[" + ", ".join(event(name="}, {" * 40) for _ in range(200)) + "]",
        "[" + ", ".join(event(args={"list": [{"a": 1}] * 300}) for _ in range(20)) + "]",
    ],
    ids=range(8),
)
def test_in_any_other_case_the_first_process_reads_it_all(tmp_path, taken, monkeypatch, text):
    path = tmp_path / "trace.json"
    path.write_text(text)
    by_two = outcome(path)
    assert taken == []
    monkeypatch.setattr(chrome_later, "LARGE_BYTES", 1 << 60)
    assert outcome(path) == by_two


@pytest.mark.parametrize(
    "mishap",
    [lambda *_: os.kill(os.getpid(), signal.SIGKILL), lambda *_: 1 / 0, lambda *_: signal.pause()],
    ids=["killed", "failed", "stuck"],
)
def test_a_mishap_of_the_other_process_costs_no_event_and_leaves_no_process(
    tmp_path, taken, monkeypatch, mishap
):
    monkeypatch.setattr(chrome_later, "_read_from", mishap)
    monkeypatch.setattr(chrome_later, "PATIENCE_S", 0.1)
    assert read(tmp_path, f"[{SOUND}]").event_count == 2_000
    assert taken == []
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_file_that_was_replaced_meanwhile_is_still_the_one_that_was_opened(tmp_path, taken):
    path = tmp_path / "trace.json"
    path.write_text(f"[{SOUND}]")
    with (
        path.open("rb") as file,
        chrome_later.later_half(file, max_expanded_bytes=1 << 30) as later,
    ):
        path.unlink()
        path.write_text("[]")
        assert later.take().part.event_count > 900
