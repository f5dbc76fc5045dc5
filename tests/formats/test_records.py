from __future__ import annotations

import pytest

from tracelens.formats.records import decode_record, encode_record
from tracelens.model.ceiling import Ceiling
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.functions import Frame, FunctionSamples, Stack
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.launched import Candidate, CompiledKernel, Launched, Source, Tuning
from tracelens.model.layered import Layered, LayerTimes
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Predicted,
    Protocol,
    Record,
    Stage,
    Withheld,
)
from tracelens.model.report import Environment, Finding
from tracelens.model.sweep import SweepPoint


def test_a_record_is_one_line_that_names_its_type() -> None:
    assert encode_record(Stage(name="first call")) == (
        b'{"type":"Stage","record":{"name":"first call","is_extra":false}}\n'
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
            threads=2,
        ),
        Check(status="passed", max_abs_error=0.5, atol=1e-3, rtol=0.0, outputs=("float32[1] cpu",)),
        Measurement(tag="full/eager", samples_ns=(2**53 + 1, 0), clock="c", includes="i", batch=3),
        Predicted(claims=("kernel: -20% +/- 3%", "full: 8us..12us")),
        Ceiling(kind="bandwidth", what="a copy", amount=2**53 + 1, samples_ns=(3, 2)),
        Capture(path="trace.json.gz", window="tracelens::call", replay_window=None),
        StatedKernels(
            configs={"gemv": ("NW", "UG")},
            expected=(
                ExpectedKernel(kernel="nvjet*", fields={"tile": "64x8", "splitK": True, "n": 1}),
            ),
        ),
        Launched(
            kernels=(
                CompiledKernel(
                    name="k",
                    compiler="triton",
                    constexprs={"BLOCK": 2**53 + 1, "EVEN": True, "ACC": "fp32"},
                    grid=(1, 2, 3),
                    tuning=Tuning(candidates=(Candidate(settings={"BLOCK": 1}, failed=True),)),
                    source=Source(file="op.py", text="def k(): ..."),
                    ops=("aten.add",),
                ),
            ),
            order=(0, 0),
        ),
        Layered(
            layers=(
                LayerTimes(name="op", full_ns=(2**53 + 1, 0), submit_ns=(1, 2), busy_ns=(3,)),
                LayerTimes(name="kernel", failed="it raised ValueError"),
            ),
            protocol="2 rounds",
        ),
        Repetition(first_ns=2**53 + 1, second_ns=3, submit_ns=(1, 2)),
        Variation(
            name="size",
            change="a -> b",
            status="measured",
            before_ns=(1,),
            first_ns=2,
            second_ns=3,
            changed_ns=(4,),
            back_ns=5,
            after_ns=(6,),
            triton_kernels=0,
        ),
        SweepPoint(parameter="n", size=2**40, full_ns=(1,), amortised_ns=(2,), batch=9),
        Stage(name="variations", is_extra=True),
        FunctionSamples(
            way="memory",
            frames=(Frame(function="op", file="<op file>", line=7, defined=6, text=""),),
            stacks=(Stack(frames=(0, 0), count=9), Stack(frames=(), count=1)),
            samples=11,
            batch=10,
            sampled_ns=(101,),
            plain_ns=(100,),
            unkept=1,
        ),
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
