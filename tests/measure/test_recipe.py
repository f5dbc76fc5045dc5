from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure.case import measure_op
from tracelens.measure.options import Options
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
from tracelens.model.op import Op, Tolerance, Variant
from tracelens.model.report import Environment, Finding

OPTIONS = Options(
    functions=False,
    samples=5,
    batches=5,
    batch=10,
    warmup_calls=2,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
    replays=1,
)
CPU = replace(OPTIONS, device="cpu")
COLD = ["cold/first_call", "cold/second_call"]
CHECKED = 7
"""Calls before the warm-up of an op without inputs and without a reference."""
TRACE = Path("trace.json.gz")


def an_op(call: Callable[..., Any], **parts: Any) -> Op:
    variants = (Variant(call=call),)
    return Op(**{"name": "my_op", "variants": variants, "inputs": lambda: (), **parts})


def on(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """Measure an op of 5 us on the host and 20 us on the device, where a wait takes 2 us."""
    monkeypatch.setattr("tracelens.measure.case.choose_device", lambda *_, **__: device)
    monkeypatch.setattr("tracelens.measure.first_call.choose_device", lambda *_, **__: device)
    op = an_op(device.op(host_ns=5_000, kernel_ns=20_000))
    return list(measure_op(op, trace_path=TRACE, options=OPTIONS))


def medians(records: list[Record]) -> dict[str, int]:
    """Return the one value that all samples of each measurement have."""
    measured = [record for record in records if isinstance(record, Measurement)]
    assert all(len(set(record.samples_ns)) == 1 for record in measured)
    return {record.tag: record.samples_ns[0] for record in measured}


def stages(records: list[Record]) -> list[str]:
    return [record.name for record in records if isinstance(record, Stage)]


def capture(records: list[Record]) -> Capture:
    (found,) = (record for record in records if isinstance(record, Capture))
    return found


def last_failure(records: list[Record]) -> Failure:
    failure = records[-1]
    assert isinstance(failure, Failure)
    return failure


def test_every_quantity_is_what_the_device_is_known_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    records = on(FakeDevice(wait_ns=2_000), monkeypatch)

    assert medians(records) == {
        "cold/first_call": 27_000,
        "cold/second_call": 27_000,
        "full/eager": 27_000,
        "submit/eager": 5_000,
        "amortised/eager": 20_700,  # ten kernels, the first dispatch, one wait
        "submit_in_row/eager": 5_000,
        "backlog/eager": 157_000,
        "full/graph": 23_000,
        "submit/graph": 1_000,
        "amortised/graph": 20_300,
        "undisturbed/before_first": 5_000,
        "undisturbed/busy": 20_000,
        "undisturbed/between": 0,
        "undisturbed/after_last": 2_000,
        "undisturbed/full": 27_000,
        "undisturbed/full_off": 27_000,
        "clock/uncertainty": 30,
        "full_profiled/eager": 27_000,
    }


def test_stages_come_in_this_order_and_only_the_last_has_the_profiler_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = FakeDevice()

    records = on(device, monkeypatch)

    assert stages(records) == [
        "environment",
        "inputs",
        "first call",
        "check",
        "eager warm-up",
        "eager full calls",
        "eager amortised calls",
        "graph capture",
        "graph warm-up",
        "graph full calls",
        "graph amortised calls",
        "undisturbed calls",
        "profiled calls",
        "other layouts",
    ]
    profiled = device.log.index("profiler on")
    assert not [event for event in device.log[:profiled] if event.startswith("open")]
    assert capture(records) == Capture(
        path="trace.json.gz", window="tracelens::call", replay_window="tracelens::replay"
    )


def test_what_a_sample_is_made_of_is_recorded_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    records = on(FakeDevice(), monkeypatch)

    assert next(r for r in records if isinstance(r, Protocol)) == Protocol(
        device="fake:0",
        seed=0,
        grad_mode="no_grad",
        warmup_calls=2,
        warmup_ns=0,
        samples=5,
        batch=10,
        profiled_calls=2,
        head_calls=1,
        cache_state="warm",
        clock="time.perf_counter_ns",
        threads=torch.get_num_threads(),
    )
    assert next(r for r in records if getattr(r, "tag", "") == "amortised/eager") == Measurement(
        tag="amortised/eager",
        samples_ns=(20_500,) * 5,
        clock="time.perf_counter_ns",
        includes="10 calls in a row and one synchronize, divided by 10",
        batch=10,
        warmup_calls=2,
    )


def test_on_a_cpu_the_words_of_a_sample_say_that_nothing_is_waited_for(tmp_path: Path) -> None:
    records = measure_op(an_op(lambda: torch.ones(4)), trace_path=tmp_path / "t.json", options=CPU)
    measured = [r for r in records if isinstance(r, Measurement)]

    assert {m.tag: m.includes for m in measured if m.tag.endswith("/eager")} == {
        "full/eager": "from the call until it has returned, its work done, and one empty wait",
        "submit/eager": "the same without the empty wait",
        "amortised/eager": "10 calls in a row, divided by 10",
        "full_profiled/eager": "like a full call, annotated, with the profiler on",
    }


def test_an_op_that_cannot_be_captured_keeps_all_but_the_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = on(FakeDevice(capturable=False), monkeypatch)

    assert [record for record in records if isinstance(record, Withheld)] == [
        Withheld(
            tags=(
                "full/graph",
                "submit/graph",
                "amortised/graph",
                "kernel/graph/busy",
                "kernel/graph/sum",
            ),
            finding=Finding(
                tag="graph/not_captured",
                severity="warning",
                fact="It waits for the device.",
                advice="Let it not wait.",
            ),
        )
    ]
    assert {"full/eager", "undisturbed/busy", "full_profiled/eager"} <= set(medians(records))
    assert capture(records) == Capture(
        path="trace.json.gz", window="tracelens::call", replay_window=None
    )


def test_without_device_records_the_undisturbed_split_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = on(FakeDevice(records=False), monkeypatch)

    (withheld,) = (record for record in records if isinstance(record, Withheld))
    assert withheld.tags == (
        "undisturbed/before_first",
        "undisturbed/busy",
        "undisturbed/between",
        "undisturbed/after_last",
        "undisturbed/full",
        "undisturbed/full_off",
    )
    assert (withheld.finding.tag, withheld.finding.fact) == (
        "undisturbed/unavailable",
        "There is no CUPTI.",
    )
    assert "full/graph" in medians(records)


def test_on_the_cpu_host_times_and_a_trace_are_measured_and_the_rest_withheld(
    tmp_path: Path,
) -> None:
    op = an_op(
        torch.add,
        inputs=lambda: (torch.ones(4), torch.ones(4)),
        reference=lambda x, y: x + y,
        tolerance=Tolerance(atol=0.0, rtol=0.0),
    )

    records = list(measure_op(op, trace_path=tmp_path / "trace.json.gz", options=CPU))

    assert [record.tag for record in records if isinstance(record, Measurement)] == [
        "cold/first_call",
        "cold/second_call",
        "full/eager",
        "submit/eager",
        "amortised/eager",
        "full_profiled/eager",
    ]
    assert (
        Check(status="passed", max_abs_error=0.0, atol=0.0, rtol=0.0, outputs=("float32[4] cpu",))
        in records
    )
    (withheld,) = (record for record in records if isinstance(record, Withheld))
    assert withheld.finding.tag == "device/none"
    assert len(withheld.tags) == 13
    assert [record.device for record in records if isinstance(record, Environment)] == [None]
    assert (tmp_path / "trace.json.gz").stat().st_size > 0


def test_a_wrong_result_ends_the_run_before_any_warm_sample(tmp_path: Path) -> None:
    op = an_op(lambda x: x + 1, inputs=lambda: (torch.ones(4),), reference=lambda x: x + 2)

    records = list(measure_op(op, trace_path=TRACE, options=CPU))

    assert (last_failure(records).kind, last_failure(records).stage) == ("wrong result", "check")
    assert not [r for r in records if isinstance(r, Measurement) and r.tag.startswith("full")]


def test_the_first_call_of_all_is_the_one_that_is_timed_cold_and_checked(tmp_path: Path) -> None:
    order: list[str] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        order.append("op")
        return x + (1 if len(order) == 1 else 2)

    def reference(x: torch.Tensor) -> torch.Tensor:
        order.append("reference")
        return x + 1

    op = an_op(call, inputs=lambda: (torch.ones(4),), reference=reference)
    records = list(measure_op(op, trace_path=tmp_path / "trace.json", options=CPU))

    assert any(isinstance(record, Check) and record.status == "passed" for record in records)
    assert last_failure(records).fact.startswith("The check 'repeated calls' failed")
    assert order[:3] == ["op", "op", "reference"]
    assert order.count("reference") == 2, "once for the inputs, once for other values"


def test_an_op_that_works_in_place_is_checked_against_its_inputs_as_they_were(
    tmp_path: Path,
) -> None:
    op = an_op(lambda x: x.add_(1), inputs=lambda: (torch.zeros(4),), reference=lambda x: x + 1)

    records = list(measure_op(op, trace_path=tmp_path / "trace.json", options=CPU))

    assert any(isinstance(record, Check) and record.status == "passed" for record in records)


def test_an_op_that_returns_nothing_is_one_clear_message() -> None:
    records = list(measure_op(an_op(lambda: None), trace_path=TRACE, options=CPU))

    assert last_failure(records) == Failure(
        stage="check",
        kind="input",
        fact="op() returned None; it must return its result.",
        hint="Return the result; an op that works in place returns the tensor that it changed.",
    )


@pytest.mark.parametrize(
    ("fails_at", "stage", "kept"),
    [
        (1, "first call", []),
        (4, "check", COLD),
        (CHECKED + 1, "eager warm-up", COLD),
        (CHECKED + 3, "eager full calls", COLD),
    ],
)
def test_an_op_that_raises_later_keeps_what_was_measured_before(
    fails_at: int, stage: str, kept: list[str]
) -> None:
    calls = []

    def call() -> int:
        calls.append(1)
        if len(calls) >= fails_at:
            raise ValueError("tired")
        return 1

    records = list(measure_op(an_op(call), trace_path=TRACE, options=CPU))

    assert (last_failure(records).stage, last_failure(records).kind) == (stage, "raised")
    assert last_failure(records).fact.endswith(": tired.")
    assert [r.tag for r in records if isinstance(r, Measurement)] == kept


def test_gradients_are_recorded_only_where_an_input_asks_for_them(tmp_path: Path) -> None:
    seen: set[bool] = set()

    def call(x: torch.Tensor) -> torch.Tensor:
        seen.add(torch.is_grad_enabled())
        return x * 2

    def grad_mode(x: torch.Tensor) -> tuple[str, set[bool]]:
        seen.clear()
        op = an_op(call, inputs=lambda: (x,))
        records = list(measure_op(op, trace_path=tmp_path / "trace.json", options=CPU))
        return next(r.grad_mode for r in records if isinstance(r, Protocol)), set(seen)

    assert grad_mode(torch.ones(2)) == ("no_grad", {False})
    assert grad_mode(torch.ones(2, requires_grad=True)) == ("grad", {True})


def test_grad_mode_is_the_callers_own_between_records(tmp_path: Path) -> None:
    op = an_op(lambda x: x, inputs=lambda: (torch.ones(2),))

    for _ in measure_op(op, trace_path=tmp_path / "trace.json", options=CPU):
        assert torch.is_grad_enabled()


def test_a_trace_that_cannot_be_written_is_said_and_the_rest_kept(tmp_path: Path) -> None:
    op = an_op(lambda: 1)

    records = list(measure_op(op, trace_path=tmp_path / "missing" / "t.json.gz", options=CPU))

    assert last_failure(records).fact.startswith("The trace cannot be written to ")
    assert "amortised/eager" in [r.tag for r in records if isinstance(r, Measurement)]
