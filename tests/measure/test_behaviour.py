from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.measure import cheats
from tests.measure.cheats import CHEATS, HONEST, CudaMachine, Machine
from tests.measure.fake_device import FakeDevice
from tracelens.measure.case import measure_op
from tracelens.measure.options import Options
from tracelens.model.measurement import Check, Failure, Noticed, Record, Stage, Trial, Withheld
from tracelens.model.op import Op, Variant

OPTIONS = Options(
    functions=False,
    samples=5,
    batches=5,
    batch=5,
    warmup_calls=2,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
)
GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

Made = Callable[[Machine], Callable[..., Any]]
Took = Callable[..., list[Record]]


@pytest.fixture(params=["fake", pytest.param("cuda", marks=[pytest.mark.gpu, GPU])])
def took(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Took:
    """Measure an op on the simulated device and on a real one, up to the profiled pass."""
    on_cuda = request.param == "cuda"
    machine = CudaMachine() if on_cuda else FakeDevice()
    if not on_cuda:
        # The host's allocator makes no promise to hand out next what was poisoned; CUDA's does.
        poisoned = partial(torch.full_like, fill_value=math.nan)
        monkeypatch.setattr(torch, "empty_like", poisoned)
        monkeypatch.setattr("tracelens.measure.first_call.choose_device", lambda *_, **__: machine)
        monkeypatch.setattr("tracelens.measure.case.choose_device", lambda *_, **__: machine)

    def take(made: Made, **parts: Any) -> list[Record]:
        device = "cuda" if on_cuda else "cpu"
        stated = {
            "inputs": lambda: (torch.randn(1024, device=device),),
            "reference": lambda x: x * 2,
            **parts,
        }
        keep_going = stated.pop("keep_going", False)
        op = Op(name="op", variants=(Variant(call=made(machine)),), **stated)
        options = Options(**{**vars_of(OPTIONS), "keep_going": keep_going})
        records = measure_op(op, trace_path=Path("trace.json.gz"), options=options)
        return list(takewhile(lambda r: r != Stage(name="profiled calls"), records))

    return take


def vars_of(options: Options) -> dict[str, Any]:
    return {name: getattr(options, name) for name in options.__slots__}


def only(records: list[Record], kind: type[Any]) -> list[Any]:
    return [record for record in records if isinstance(record, kind)]


def statuses(records: list[Record]) -> dict[str, str]:
    return {trial.name: trial.status for trial in only(records, Trial)}


@pytest.mark.parametrize("made", CHEATS, ids=lambda made: made.__name__)
def test_a_cheat_is_caught_by_name_and_never_reported(took: Took, made: Made) -> None:
    records = took(made)

    (failure,) = only(records, Failure)
    assert failure.kind == "wrong result"
    assert CHEATS[made] in failure.fact


@pytest.mark.parametrize("made", HONEST, ids=lambda made: made.__name__)
def test_an_honest_op_passes_every_check(took: Took, made: Made) -> None:
    records = took(made)

    assert only(records, Failure) == []
    assert set(statuses(records).values()) == {"passed"}
    assert list(statuses(records)) == [
        "repeated calls",
        "new addresses",
        "new values",
        "another stream",
        "deferred work",
        "graph replay",
        "graph inputs",
        "after timing",
    ]


def test_a_table_that_an_op_keeps_and_returns_is_no_stale_result(took: Took) -> None:
    table = torch.arange(4.0)

    records = took(cheats.honest_table, reference=lambda x: (x * 2, table.to(x.device)))

    assert set(statuses(records).values()) == {"passed"}


def test_an_op_that_draws_random_numbers_is_judged_under_one_seed(took: Took) -> None:
    records = took(cheats.honest_random, reference=torch.nn.functional.dropout)

    assert only(records, Failure) == []
    assert "failed" not in statuses(records).values()


def test_a_kernel_that_a_capture_left_out_withholds_the_graph_alone(took: Took) -> None:
    records = took(cheats.skipped_in_graph)

    assert only(records, Failure) == []
    (withheld,) = [w for w in only(records, Withheld) if "full/graph" in w.tags]
    assert (withheld.finding.tag, withheld.finding.severity) == ("graph/wrong", "error")
    assert withheld.finding.fact.startswith(
        "No figure of the graph is reported: its replay is not the op, the result at "
    )


def test_a_failed_check_is_measured_all_the_same_where_that_is_wanted(took: Took) -> None:
    records = took(cheats.stale_output, keep_going=True)

    assert only(records, Failure) == []
    assert statuses(records)["new values"] == "failed"


def test_a_wrong_result_is_measured_all_the_same_where_that_is_wanted(took: Took) -> None:
    records = took(cheats.honest, reference=lambda x: x * 3, keep_going=True)

    (check,) = only(records, Check)
    assert (check.status, check.max_abs_error) == ("failed", None)
    assert statuses(records)["result"] == "failed"


@pytest.mark.parametrize(
    "made",
    [cheats.remembered_by_address, cheats.partial_write, cheats.other_stream],
    ids=lambda made: made.__name__,
)
def test_without_a_reference_an_op_is_held_to_itself(took: Took, made: Made) -> None:
    records = took(made, reference=None)

    (failure,) = only(records, Failure)
    assert failure.fact.startswith("The check '")


def test_without_a_reference_a_result_that_never_changes_is_not_judged(took: Took) -> None:
    records = took(cheats.input_independent, reference=None)

    (trial,) = [t for t in only(records, Trial) if t.name == "new values"]
    assert (trial.status, trial.fact) == (
        "skipped",
        "the result did not change with the inputs, and nothing says whether it should",
    )


def test_an_op_that_gives_other_results_each_time_cannot_be_judged_without_a_reference(
    took: Took,
) -> None:
    calls: list[None] = []

    def made(machine: Machine) -> Callable[..., Any]:
        def op(x: torch.Tensor) -> torch.Tensor:
            calls.append(None)
            return x + len(calls)

        return op

    records = took(made, reference=None)

    assert only(records, Failure) == []
    assert statuses(records)["repeated calls"] == "skipped"


def test_an_op_that_changes_its_inputs_is_said_to_and_sees_them_as_they_were(took: Took) -> None:
    seen = []

    def made(machine: Machine) -> Callable[..., Any]:
        def op(x: torch.Tensor) -> torch.Tensor:
            if not machine.capturing():
                machine.launch(lambda: seen.append(x.clone()))
            machine.launch(lambda: x.add_(1))
            return x

        return op

    records = took(made, reference=lambda x: x + 1)

    tags = [noticed.finding.tag for noticed in only(records, Noticed)]
    assert tags == ["op/aliases", "op/changes_inputs"]
    assert only(records, Failure) == []
    # Two sets of values; only calls inside a batch, and those before a capture, see others.
    assert len({float(x[0]) for x in seen}) <= 2 + OPTIONS.batch + 3 < len(seen)


class Tagged(torch.Tensor):
    """A tensor of a class of its own, whose memory may lie anywhere."""


@pytest.mark.parametrize(
    ("foreign", "fact"),
    [
        (Tagged, "a Tagged cannot be given other values in place"),
        (
            torch.Tensor.to_sparse,
            "a tensor of kind sparse_coo cannot be given other values in place",
        ),
    ],
)
def test_an_op_is_not_accused_where_its_inputs_cannot_be_overwritten(
    tmp_path: Path, foreign: Callable[[torch.Tensor], torch.Tensor], fact: str
) -> None:
    op = Op(
        name="op",
        variants=(Variant(call=lambda x, y: torch.add(y, x)),),
        inputs=lambda: (foreign(torch.randn(8, 8)), torch.randn(8, 8)),
    )

    records = list(measure_op(op, trace_path=tmp_path / "trace.json.gz", options=OPTIONS))

    (trial,) = (r for r in records if isinstance(r, Trial) and r.name == "new values")
    assert (trial.status, trial.fact) == ("skipped", fact)


def test_an_op_that_declines_other_addresses_is_not_accused(took: Took) -> None:
    known: list[int] = []

    def made(machine: Machine) -> Callable[..., Any]:
        def op(x: torch.Tensor) -> torch.Tensor:
            known.append(x.data_ptr())
            if x.data_ptr() != known[0]:
                raise ValueError("captured for another address")
            return x * 2

        return op

    records = took(made)

    (trial,) = [t for t in only(records, Trial) if t.name == "new addresses"]
    assert trial.status == "skipped"
    assert trial.fact.startswith("the op declines: ValueError in test_behaviour.py:")
