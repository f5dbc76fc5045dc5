"""On a CUDA device: relations that must hold between what was measured, never durations."""

from __future__ import annotations

import gzip
import json
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
import torch

from tracelens.api import profile_file
from tracelens.measure.case import measure_op
from tracelens.measure.op_file import load_op
from tracelens.measure.options import Options
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Noticed,
    Protocol,
    Record,
    Withheld,
)
from tracelens.model.report import Environment
from tracelens.processes.child import run_in_children

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
EAGER = ["cold/first_call", "full/eager", "submit/eager", "amortised/eager"]
GRAPH = ["full/graph", "submit/graph", "amortised/graph"]
PARTS = ["before_first", "busy", "between", "after_last"]

Kind = TypeVar("Kind")
Ran = Callable[[str], list[Record]]


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """Measure the body of an op file in a child: one process has one good profiler session."""

    def run(body: str) -> list[Record]:
        path = tmp_path / "op_here.py"
        path.write_text(f"import torch\n{body}", encoding="utf-8")
        return run_in_children(path, folder=tmp_path, options=Options())

    return run


def samples(records: list[Record]) -> dict[str, tuple[int, ...]]:
    return {r.tag: r.samples_ns for r in records if isinstance(r, Measurement)}


def only(records: list[Record], kind: type[Kind]) -> list[Kind]:
    return [record for record in records if isinstance(record, kind)]


def windows(trace: Path) -> dict[str, Counter[str]]:
    """Count kernels per annotation name, by the launch calls inside the annotations."""
    with gzip.open(trace, "rt") as file:
        events = json.load(file)["traceEvents"]
    spans = [e for e in events if e.get("cat") == "user_annotation"]
    calls = {
        e["args"]["correlation"]: e
        for e in events
        if e.get("cat") in ("cuda_runtime", "cuda_driver")
    }
    found: dict[str, Counter[str]] = {}
    for span in spans:
        found.setdefault(span["name"], Counter())["windows"] += 1
    for kernel in (e for e in events if e.get("cat") == "kernel"):
        begun = calls[kernel["args"]["correlation"]]["ts"]
        for span in spans:
            if span["ts"] <= begun <= span["ts"] + span["dur"]:
                found[span["name"]]["kernels"] += 1
    return found


@pytest.fixture(scope="module")
def nine_kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Record], Path]:
    """Return what one run of an op of nine kernels measured, and its trace."""
    folder = tmp_path_factory.mktemp("run")
    records = run_in_children(EXAMPLES / "many_kernels.py", folder=folder, options=Options())
    return records, folder / "trace.json.gz"


Run = tuple[list[Record], Path]


def test_an_op_on_the_device_has_every_measurement(nine_kernels: Run) -> None:
    records, _ = nine_kernels

    withheld = [tag for record in only(records, Withheld) for tag in record.tags]
    (environment,) = only(records, Environment)
    (protocol,) = only(records, Protocol)
    (check,) = only(records, Check)
    assert not only(records, Failure)
    assert {*samples(records), *withheld} >= {
        *EAGER,
        *GRAPH,
        "full_profiled/eager",
        *(f"undisturbed/{part}" for part in [*PARTS, "full"]),
    }
    assert None not in (environment.device, environment.multiprocessors, environment.cuda)
    assert protocol.device == "cuda:0"
    assert check.outputs == ("bfloat16[512, 512] cuda:0",)
    assert only(records, Capture) == [
        Capture(path="trace.json.gz", window="tracelens::call", replay_window="tracelens::replay")
    ]


def test_the_trace_has_the_same_kernels_in_every_call_and_replay(nine_kernels: Run) -> None:
    found = windows(nine_kernels[1])

    assert found["tracelens::call"] == Counter(windows=20, kernels=20 * 9)
    assert found["tracelens::replay"] == Counter(windows=10, kernels=10 * 9)


def test_submit_is_part_of_full_and_a_graph_of_many_kernels_is_faster(nine_kernels: Run) -> None:
    measured = samples(nine_kernels[0])

    median = {tag: statistics.median(values) for tag, values in measured.items()}
    pairs = zip(measured["submit/eager"], measured["full/eager"], strict=True)
    assert all(submit < full for submit, full in pairs)
    assert median["full/graph"] <= median["full/eager"] * 1.05
    assert median["amortised/eager"] <= median["full/eager"] * 1.05


def test_the_four_parts_of_an_undisturbed_call_sum_to_it(nine_kernels: Run) -> None:
    pytest.importorskip("cupti")
    measured = samples(nine_kernels[0])

    parts = [measured[f"undisturbed/{part}"] for part in PARTS]
    full = measured["undisturbed/full"]
    assert tuple(map(sum, zip(*parts, strict=True))) == full
    assert all(value >= 0 for part in parts for value in part)
    # beside calls of the same blocks: the host's pace changes from one stage to the next
    assert statistics.median(full) <= statistics.median(measured["undisturbed/full_off"]) * 1.5


@pytest.mark.parametrize(
    "body",
    [
        "def op(x):\n    return x.sum().item()",
        "def op(x):\n    y = x + 1\n    torch.cuda.synchronize()\n    return y",
        "def op(x):\n    return x[x > 0]",
        "def op(x):\n    noise = torch.rand_like(x)\n    noise.sum().item()\n    return noise",
        "def op(x):\n    if torch.cuda.is_current_stream_capturing():\n"
        "        raise ValueError('not in a graph')\n    return torch.rand_like(x)",
    ],
    ids=["item", "synchronize", "mask", "random and item", "raises"],
)
def test_an_op_that_cannot_be_captured_keeps_the_rest(ran: Ran, body: str, tmp_path: Path) -> None:
    records = ran(f"def inputs():\n    return (torch.randn(4096, device='cuda'),)\n{body}")

    assert not only(records, Failure)
    withheld = [record for record in only(records, Withheld) if "full/graph" in record.tags]
    assert [r.finding.tag for r in withheld] == ["graph/not_captured"]
    assert withheld[0].finding.fact.startswith("The op cannot be captured in a CUDA graph: ")
    assert "op_here.py:" in withheld[0].finding.fact
    assert {*EAGER, "full_profiled/eager"} <= set(samples(records))
    found = windows(tmp_path / "trace.json.gz")
    assert found["tracelens::call"]["windows"] == 20
    assert found["tracelens::call"]["kernels"] % 20 == 0
    assert found["tracelens::call"]["kernels"] >= 20


def test_an_illegal_memory_access_is_a_failure_with_the_way_to_find_it(ran: Ran) -> None:
    pytest.importorskip("triton")
    records = ran(
        "import triton, triton.language as tl\n"
        "@triton.jit\ndef bad(p):\n    tl.store(p + (1 << 50), 1.0)\n"
        "def inputs():\n    return (torch.ones(4, device='cuda'),)\n"
        "def op(x):\n    bad[(1,)](x)\n    return x"
    )

    (found,) = only(records, Failure)
    assert (found.stage, found.kind) == ("first call", "raised")
    assert "illegal memory access" in found.fact
    assert "compute-sanitizer" in found.hint


def test_device_memory_that_runs_out_is_a_failure_that_says_so(ran: Ran) -> None:
    records = ran(
        "def inputs():\n    return (torch.ones(4, device='cuda'),)\n"
        "def op(x):\n    return x.new_empty(1 << 50)"
    )

    (found,) = only(records, Failure)
    assert "OutOfMemoryError in op_here.py:5" in found.fact
    assert "nvidia-smi" in found.hint


def test_an_op_on_the_cpu_of_a_machine_with_a_card_says_that(ran: Ran) -> None:
    records = ran("def inputs():\n    return (torch.ones(4),)\ndef op(x):\n    return x + 1")

    (withheld,) = only(records, Withheld)
    assert withheld.finding.tag == "device/none"
    assert withheld.finding.fact.startswith("The op's tensors are on the CPU")
    assert only(records, Environment)[-1].device is None


def test_a_clock_and_a_wait_that_the_op_replaced_change_nothing(ran: Ran) -> None:
    records = ran(
        "import time\ntime.perf_counter_ns = lambda: 0\ntorch.cuda.synchronize = lambda *a: None\n"
        "def inputs():\n    return (torch.randn(8192, 8192, device='cuda'),)\n"
        "def op(x):\n    return x @ x"
    )

    measured = samples(records)
    assert min(measured["full/eager"]) > 2 * statistics.median(measured["submit/eager"])


def test_in_this_process_the_same_records_arrive(tmp_path: Path) -> None:
    op = load_op(EXAMPLES / "add_small.py")

    records = list(measure_op(op, trace_path=tmp_path / "trace.json.gz"))

    assert not only(records, Failure)
    assert {*EAGER, *GRAPH} <= set(samples(records))
    assert torch.is_grad_enabled()


def test_variants_are_measured_in_turn_and_share_inputs_truth_and_trace(
    tmp_path: Path, ran: Ran
) -> None:
    records = ran(
        "def inputs():\n    return (torch.randn(1 << 20, device='cuda'),)\n"
        "def plain(x):\n    return x * 2 + 1\n"
        "def in_place(x):\n    return x.mul_(2).add_(1)\n"
        "variants = {'plain': plain, 'in place': in_place}\n"
        "def bytes_moved(x):\n    return 2 * x.nbytes\n"
    )

    assert not only(records, Failure)
    assert [check.status for check in only(records, Check)] == ["no reference", "passed"]
    assert [noticed.finding.tag for noticed in only(records, Noticed)] == [
        "op/aliases",
        "op/changes_inputs",
    ]
    assert [capture.window for capture in only(records, Capture)] == [
        "tracelens::call[plain]",
        "tracelens::call[in place]",
    ]
    found = windows(tmp_path / "trace.json.gz")
    assert found["tracelens::call[plain]"] == Counter(windows=20, kernels=40)
    assert found["tracelens::call[in place]"] == Counter(windows=20, kernels=40)


def test_gradients_are_taken_checked_and_captured(ran: Ran) -> None:
    records = ran(
        "mode = 'forward+backward'\n"
        "layer = torch.nn.Linear(256, 256, device='cuda')\n"
        "def inputs():\n    return (torch.randn(64, 256, device='cuda', requires_grad=True),)\n"
        "def op(x):\n    return torch.relu(layer(x))\n"
        "def reference(x):\n    return layer(x).clamp(min=0)\n"
    )

    assert not only(records, Failure)
    (check,) = only(records, Check)
    assert check.outputs == ("float32[64, 256] cuda:0",) * 2
    assert [p.grad_mode for p in only(records, Protocol)] == ["grad"]
    assert "full/graph" in samples(records)


def test_no_figure_of_a_graph_that_runs_other_kernels_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(
        "import torch\n"
        "def inputs():\n    return (torch.randn(4096, device='cuda'),)\n"
        "def op(x):\n    y = x * 2\n"
        "    return y.add_(0) if torch.cuda.is_current_stream_capturing() else y\n"
    )

    report = profile_file(path, output=tmp_path / "op.run", options=Options()).report

    assert report.metric("full/eager/median").value is not None
    assert report.metric("full/graph/median").value is None
    assert report.metric("kernel/graph/busy/median").value is None
    (finding,) = [f for f in report.findings if f.tag == "graph/other_kernels"]
    assert finding.fact.startswith(
        "the graph's replay does not run the kernels of the eager call: 1 kernels a call, 2 a "
    )
