"""What peers say of the same op in the same process, beside tracelens' three measurements.

    python benchmarks/beside_peers.py examples/*.py > table.md

Needs a CUDA device and triton. Every figure is a median in microseconds. `events` are CUDA events
around one warm call each; `do_bench` and `do_bench_cudagraph` are triton's, asked for the median;
`profiled call` is the synchronised call under torch.profiler.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import torch
import triton.testing

from tracelens.api import profile
from tracelens.measure.op_file import load_op
from tracelens.model.op import Op
from tracelens.model.report import Report

COLUMNS = {
    "kernel busy": "kernel/eager/busy/median",
    "CUPTI busy": "undisturbed/busy/median",
    "full eager": "full/eager/median",
    "submit": "submit/eager/median",
    "amortised": "amortised/eager/median",
    "full graph": "full/graph/median",
    "amortised graph": "amortised/graph/median",
    "profiled call": "full_profiled/eager/median",
}
PEERS = ("events", "do_bench", "do_bench_cudagraph")
EVENT_CALLS = 200


def events_us(call) -> float:
    """Time each of many warm calls with a pair of events, one wait at the end of each."""
    samples = []
    for _ in range(EVENT_CALLS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        samples.append(start.elapsed_time(end) * 1_000)
    return statistics.median(samples)


def peers_us(call) -> dict[str, float | None]:
    for _ in range(50):
        call()
    torch.cuda.synchronize()
    found: dict[str, float | None] = {
        "events": events_us(call),
        "do_bench": 1_000 * triton.testing.do_bench(call, return_mode="median"),
    }
    try:
        with torch.cuda.stream(torch.cuda.Stream()):
            found["do_bench_cudagraph"] = 1_000 * triton.testing.do_bench_cudagraph(
                call, return_mode="median"
            )
    except Exception as error:  # a peer that cannot time an op is a result
        print(f"do_bench_cudagraph: {type(error).__name__}: {error}", file=sys.stderr)
        found["do_bench_cudagraph"] = None
    return found


def measure(op: Op) -> tuple[Report, dict[str, float | None]]:
    inputs, call = op.inputs(), op.variants[0].call
    with torch.no_grad():
        peers = peers_us(lambda: call(*inputs))
    report = profile(call, *inputs, reference=op.reference, tolerance=op.tolerance)
    return report, peers


def us(report: Report, tag: str) -> float | None:
    value = report.metric(tag).value
    return value / 1_000 if isinstance(value, int) else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("op_files", nargs="+", type=Path)
    names = [*COLUMNS, *PEERS]
    print("| op | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for path in parser.parse_args().op_files:
        report, peers = measure(load_op(path))
        row = {name: us(report, tag) for name, tag in COLUMNS.items()} | peers
        cells = ["-" if row[name] is None else f"{row[name]:.2f}" for name in names]
        print(f"| {path.stem} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
