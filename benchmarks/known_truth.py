"""Our figures, and peers', beside what is known to be true. Needs a CUDA device.

    python benchmarks/known_truth.py > table.md

Kernels that spin for a known time by the device's global timer, and host spins of known length
before and between launches. Every figure is a median in microseconds. Each measurement that opens
a profiler, and NVBench, has a process of its own. Peers: triton's `do_bench` and
`do_bench_cudagraph`, NVBench by `cuda-bench` (its cold GPU time), a pair of CUDA events a call.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch

from tracelens.analyze.statistics import paired_ratio
from tracelens.api import profile
from tracelens.measure.cuda import Cuda
from tracelens.measure.driver import open_driver
from tracelens.measure.op_file import load_op
from tracelens.measure.options import Options
from tracelens.measure.probes import PROBES
from tracelens.measure.timing import Timed, sample_calls, sample_pairs, warm_up
from tracelens.measure.truth import CardTruth, spin_host
from tracelens.measure.undisturbed import sample_undisturbed, split_calls

LENGTHS_US = (5, 50, 500)
HOST_US = ((20,), (50,), (100,), (20, 0, 0), (0, 50, 0), (0, 0, 50), (20, 50, 100))
OPS = ("add_small", "softmax", "add_big", "matmul", "many_kernels")
PROCESSES = 5
PAIRS = 500
WARM_UP_NS = 200_000_000
BUDGET_NS = 2_000_000_000
EXAMPLES = Path(__file__).parent.parent / "examples"


class Spin:
    """A spin kernel on whatever stream is current, as graphs need it; 0 us is an empty kernel."""

    def __init__(self, length_us: float) -> None:
        self._truth = CardTruth(0)
        self._driver = open_driver()
        self._module = self._driver.load(PROBES)
        self._word = self._driver.allocate(8)
        self._length_ns = round(length_us * 1_000)
        self._launches = {}

    def on(self, stream: int):
        if stream not in self._launches:
            arguments = ("tracelens_spin", self._length_ns, self._word)
            if not self._length_ns:
                arguments = ("tracelens_empty",)
            self._launches[stream] = self._driver.kernel(self._module, *arguments, stream=stream)
        return self._launches[stream]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.on(torch.cuda.current_stream().cuda_stream)()
        return x

    def spun_ns(self) -> int:
        return self._driver.read_word(self._word) if self._length_ns else 0

    def between_events(self) -> int:
        return self._truth.between_events(lambda: self(None))


def us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1_000


def measure_spin(length_us: float) -> dict[str, float | None]:
    """Time one spin kernel every way but NVBench's; truth is its own reading of the timer."""
    import triton.testing  # noqa: PLC0415  # NVBench's process does without

    spin, x = Spin(length_us), torch.ones(4, device="cuda")
    truths = []
    for _ in range(50):
        spin(x)
        truths.append(spin.spun_ns())
    found = {
        "truth": us(statistics.median(truths)),
        "events": us(statistics.median(spin.between_events() for _ in range(100))),
        "do_bench": 1_000 * triton.testing.do_bench(lambda: spin(x), return_mode="median"),
    }
    with torch.cuda.stream(torch.cuda.Stream()):
        found["do_bench_cudagraph"] = 1_000 * triton.testing.do_bench_cudagraph(
            lambda: spin(x), return_mode="median"
        )
    report = profile(spin, x, options=Options(keep_going=True))
    for name, tag in {
        "tracelens, CUPTI": "undisturbed/busy/median",
        "tracelens, profiler": "kernel/eager/busy/median",
    }.items():
        found[name] = us(report.metric(tag).value)
    return found


def measure_nvbench() -> dict[str, float]:
    """Return NVBench's cold GPU time of every spin kernel, by its length in us."""
    from cuda import bench  # noqa: PLC0415  # only this process has it

    torch.cuda.synchronize()
    lengths = (0, *LENGTHS_US)
    spins = {length: Spin(length) for length in lengths}

    def spin_kernel(state: bench.State) -> None:
        spin = spins[state.get_int64("us")]
        spin.on(state.get_stream().addressof())()  # a first launch loads, which NVBench forbids
        torch.cuda.synchronize()
        state.exec(lambda launch: spin.on(launch.get_stream().addressof())(), batched=False)

    bench.register(spin_kernel).add_int64_axis("us", lengths)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        bench.run_all_benchmarks(["spin", "--json", file.name, "--timeout", "2"])
        states = json.load(file)["benchmarks"][0]["states"]
    return {
        str(length): 1e6 * _summary(state, "nv/cold/time/gpu/mean")
        for length, state in zip(lengths, states, strict=True)
    }


def _summary(state: dict, tag: str) -> float:
    if not state["summaries"]:
        raise SystemExit(f"NVBench skipped it: {state.get('skip_reason')}")
    summary = next(s for s in state["summaries"] if s["tag"] == tag)
    return float(next(d["value"] for d in summary["data"] if d["name"] == "value"))


def measure_host_spins() -> list[dict[str, float]]:
    """Split calls with host spins before their launches, each beside a call without, in pairs."""
    device, x, empty = Cuda(0), torch.ones(1024, device="cuda"), Spin(0)

    def call(spins_us):
        for length_us in spins_us:
            spin_host(length_us * 1_000)
            empty(x)
        return x

    rows = []
    with device.work_records() as records:
        taken = {}
        for spins_us in HOST_US:
            pair = [
                Timed(call=partial(call, spins), device=device, grad="no_grad")
                for spins in (tuple(0 for _ in spins_us), spins_us)
            ]
            warm_up(pair[1], calls=20, duration_ns=WARM_UP_NS)
            taken[spins_us] = sample_pairs(*pair, pairs=PAIRS)
    for spins_us, instants in taken.items():
        without, having = (split_calls(one, records.times()) for one in instants)
        moved = {
            part: us(
                statistics.median(
                    b - a
                    for a, b in zip(getattr(without, part), getattr(having, part), strict=True)
                )
            )
            for part in PARTS
        }
        rows.append(moved | {"spins": spins_us})
    return rows


PARTS = ("before_first", "busy", "between", "after_last", "full")


def undisturbed(call, device):
    subject = Timed(call=call, device=device, grad="no_grad")
    warm_up(subject, calls=20, duration_ns=WARM_UP_NS)
    return sample_undisturbed(subject, head_calls=5, samples=200, budget_ns=BUDGET_NS)


def measure_blocks() -> dict[str, dict[str, float]]:
    """Return the full call before CUPTI, without and with its records, and its kernel time."""
    device, rows = Cuda(0), {}
    subjects = {}
    for name in OPS:
        op = load_op(EXAMPLES / f"{name}.py")
        inputs, call = op.inputs(), op.variants[0].call
        subject = Timed(
            call=lambda call=call, inputs=inputs: call(*inputs), device=device, grad="no_grad"
        )
        warm_up(subject, calls=20, duration_ns=WARM_UP_NS)
        before = sample_calls(subject, samples=500, budget_ns=BUDGET_NS).full_ns
        subjects[name] = subject
        rows[name] = {"before CUPTI": us(statistics.median(before))}
    for name, subject in subjects.items():
        split = undisturbed(subject.call, device)
        rows[name] |= {
            "records off": us(statistics.median(split.full_off)),
            "records on": us(statistics.median(split.full)),
            "busy": us(statistics.median(split.busy)),
            "on / off": paired_ratio(split.full, split.full_off),
        }
    return rows


def table(columns: list[str], rows: list[list[object]]) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join("-" if cell == "None" else cell for cell in cells) + " |")
    print(flush=True)


def apart(*arguments: object) -> object:
    """Run a part of this script in a process of its own; None where it fails, and why on stderr."""
    done = subprocess.run(
        [sys.executable, __file__, *map(str, arguments)], stdout=subprocess.PIPE, check=False
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def print_spins() -> None:
    spins = {length: apart("spin", length) or {} for length in (0, *LENGTHS_US)}
    nvbench = apart("nvbench") or {}
    ways = ["tracelens, CUPTI", "tracelens, profiler"]
    peers = ["events", "do_bench", "do_bench_cudagraph"]
    print("Kernel time of spin kernels. Error: figure - (truth + the same way's empty kernel).\n")
    rows = []
    for length, found in spins.items():
        row = ["empty" if not length else f"{length} us", found.get("truth")]
        row += [found.get(way) for way in (*ways, *peers)] + [nvbench.get(str(length))]
        for way in ways:
            known = None not in (found.get(way), spins[0].get(way))
            row.append(found[way] - found["truth"] - spins[0][way] if known and length else None)
        rows.append(row)
    errors = [f"error, {way.split(', ')[1]}" for way in ways]
    table(["spin", "truth", *ways, *peers, "NVBench cold", *errors], rows)


def print_host_spins() -> None:
    rows = apart("host") or []
    print("Host spins before each launch of a call; differences to the same call with none.\n")
    table(
        ["spins", *PARTS],
        [["+".join(map(str, row["spins"])), *(row[part] for part in PARTS)] for row in rows],
    )


def print_processes() -> None:
    runs = [run for run in (apart("blocks") for _ in range(PROCESSES)) if run]
    print(f"Full call with and without CUPTI's records, in alternating blocks; {len(runs)} runs.\n")
    columns = ["before CUPTI", "records off", "records on", "busy"]
    rows = []
    for name in OPS:
        taken = {column: [run[name][column] for run in runs] for column in columns}
        ratio = [run[name]["on / off"] for run in runs]
        spread = [
            f"{100 * (max(taken[c]) / min(taken[c]) - 1):.1f} %" for c in ("busy", "before CUPTI")
        ]
        medians = [statistics.median(taken[column]) for column in columns]
        on_off = f"{statistics.median(ratio):.3f} ({min(ratio):.3f} to {max(ratio):.3f})"
        rows.append([name, *medians, on_off, *spread])
    last = ["busy, largest / smallest - 1", "full, the same"]
    table(["op", *columns, "on / off", *last], rows)


PARTS_OF_THIS = {
    "spin": lambda arguments: measure_spin(float(arguments[0])),
    "nvbench": lambda _: measure_nvbench(),
    "host": lambda _: measure_host_spins(),
    "blocks": lambda _: measure_blocks(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS_OF_THIS)
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS_OF_THIS[given.part](given.arguments)))
        return
    print_spins()
    print_host_spins()
    print_processes()


if __name__ == "__main__":
    main()
