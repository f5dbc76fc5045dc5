from __future__ import annotations

import pytest

from tracelens.formats.records import decode_record, encode_record
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Protocol,
    Record,
    Stage,
    Withheld,
)
from tracelens.model.report import Environment, Finding


def test_a_record_is_one_line_that_names_its_type() -> None:
    assert encode_record(Stage(name="first call")) == (
        b'{"type":"Stage","record":{"name":"first call"}}\n'
    )


@pytest.mark.parametrize(
    "record",
    [
        Environment(tracelens="0.1.0", device="NVIDIA H200", multiprocessors=132),
        Protocol(
            device="cuda:0",
            seed=0,
            grad_mode="no_grad",
            warmup_calls=5,
            warmup_ns=1,
            samples=200,
            batch=100,
            profiled_calls=20,
            head_calls=5,
            cache_state="warm",
            clock="time.perf_counter_ns",
        ),
        Check(status="passed", max_abs_error=0.5, atol=1e-3, rtol=0.0, outputs=("float32[1] cpu",)),
        Measurement(tag="full/eager", samples_ns=(2**53 + 1, 0), clock="c", includes="i", batch=3),
        Capture(path="trace.json.gz", window="tracelens::call", replay_window=None),
        Stage(name="two\nlines \u2028 and \U0001f600"),
        Withheld(
            tags=("full/graph",),
            finding=Finding(tag="t", severity="warning", fact="f", advice="a"),
        ),
        Failure(stage="check", kind="wrong result", fact="f", hint="h"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_every_record_comes_back_as_it_was_from_one_line(record: Record) -> None:
    line = encode_record(record)

    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    assert decode_record(line) == record


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"\xff\xfe",
        b"{}",
        b"[]",
        b'{"type":"Stage"}',
        b'{"type":"Stage","record":{}}',
        b'{"type":"Stage","record":{"name":3}}',
        b'{"type":"Popen","record":{"name":"x"}}',
        b'{"type":["Stage"],"record":{"name":"x"}}',
        b'{"type":"Stage","record":{"name":"\xff"}}',
        b'{"type":"Stage","record":{"name":"x"}} trailing',
        b'{"type":"Failure","record":{"stage":"s","kind":"odd","fact":"f","hint":"h"}}',
    ],
)
def test_a_line_that_holds_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"^not a record: "):
        decode_record(line)
