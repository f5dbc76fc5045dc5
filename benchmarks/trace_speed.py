"""Time and memory of `tracelens analyze` on whole traces, beside what else reads them, in one run.

    python benchmarks/trace_speed.py [--hta-python PYTHON] [--rounds N]
        TRACE [TRACE ...] [--alone TRACE [TRACE ...]]

Each program is a process of its own, from its start to its end: interpreter, imports, reading,
result. Programs take turns, so that a machine that slows down slows all of them. A table per trace
compares them. Its ratio is to the time inside CPython's `json.load` alone: the strictest reading,
for that process has yet to free its objects.

The last table shows how tracelens grows from trace to trace. Those after `--alone` stand there
only: the others hold a trace whole, and need six times its size in memory or more.

PYTHON is the interpreter of a virtual environment with HolisticTraceAnalysis (HTA); without it that
row is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median

from whole_process import Cost, run

SLOW_S = 10
"""A program that takes longer than this on a trace runs once on it."""

OPENED = """
import gzip, json, sys, time
from pathlib import Path
begun = time.perf_counter()
trace = Path(sys.argv[1])
file = gzip.open(trace) if trace.suffix == ".gz" else trace.open("rb")
"""

SAID = """
print(json.dumps({"call_s": time.perf_counter() - begun, "events": len(loaded["traceEvents"])}))
"""

JSON_LOAD = OPENED + "loaded = json.load(file)" + SAID

ORJSON_LOADS = "import orjson" + OPENED + "loaded = orjson.loads(file.read())" + SAID

HTA_BREAKDOWN = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
print(analysis.get_temporal_breakdown(visualize=False).iloc[0].to_json())
"""


@dataclass
class Program:
    """How a program is started on a trace, and what its runs took."""

    name: str
    command: list[str]
    runs: list[Cost] = field(default_factory=list)

    @property
    def wall_s(self) -> float:
        return median(r.wall_s for r in self.runs)

    @property
    def least_wall_s(self) -> float:
        return min(r.wall_s for r in self.runs)

    @property
    def cpu_s(self) -> float:
        return median(r.cpu_s for r in self.runs)

    @property
    def peak_mb(self) -> float:
        return max(r.peak_bytes for r in self.runs) / 1e6


@dataclass
class Field:
    """The programs that read one trace."""

    trace: Path
    tracelens: Program
    json_load: Program
    orjson: Program
    hta: Program | None

    @classmethod
    def of(cls, trace: Path, *, hta_python: str | None) -> Field:
        own = sys.executable
        return cls(
            trace=trace,
            tracelens=Program(
                "tracelens analyze --format json",
                [str(Path(own).with_name("tracelens")), "analyze", "--format", "json"],
            ),
            json_load=Program("json.load", [own, "-c", JSON_LOAD]),
            orjson=Program("orjson.loads", [own, "-c", ORJSON_LOADS]),
            hta=Program("HTA temporal breakdown", [hta_python, "-c", HTA_BREAKDOWN])
            if hta_python
            else None,
        )

    @property
    def programs(self) -> list[Program]:
        every = (self.tracelens, self.json_load, self.orjson, self.hta)
        return [program for program in every if program]

    @property
    def json_mb(self) -> float:
        if self.trace.suffix != ".gz":
            return self.trace.stat().st_size / 1e6
        with gzip.open(self.trace) as file:
            return file.seek(0, os.SEEK_END) / 1e6

    def metric(self, tag: str) -> int:
        """Return what tracelens found."""
        sections = json.loads(self.tracelens.runs[0].output)["sections"]
        return next(m["value"] for s in sections for m in s["metrics"] if m["tag"] == tag)


def take_turns(programs: list[Program], trace: Path, *, rounds: int) -> None:
    for turn in range(rounds):
        for program in programs[:: -1 if turn % 2 else 1]:
            if turn == 0 or program.least_wall_s < SLOW_S:
                program.runs.append(run([*program.command, str(trace.resolve())]))


def print_comparison(compared: Field) -> None:
    """Print medians, and the least beside them: on a busy machine it is the steadier figure."""
    calls_s = [json.loads(r.output)["call_s"] for r in compared.json_load.runs]
    print(f"### {compared.trace.name}: {compared.json_mb:,.0f} MB of JSON\n")
    print("| program | runs | wall s | CPU s | peak MB | of json.load ", end="")
    print("| least wall s | of json.load's least |\n" + "|---" * 8 + "|")
    for p in compared.programs:
        print(
            f"| {p.name} | {len(p.runs)} | {p.wall_s:.2f} | {p.cpu_s:.2f} | {p.peak_mb:,.0f} "
            f"| {p.wall_s / median(calls_s):.3f} "
            f"| {p.least_wall_s:.2f} | {p.least_wall_s / min(calls_s):.3f} |"
        )
    print(f"| json.load, inside the call | | {median(calls_s):.2f} | | | 1 ", end="")
    print(f"| {min(calls_s):.2f} | 1 |\n", flush=True)


def print_answers(compared: Field) -> None:
    """Print what tracelens and HTA say of the same device."""
    kernel, memory = (compared.metric(f"trace/{kind}/busy") for kind in ("kernel", "memory"))
    print(f"tracelens: kernels busy {kernel:,} ns, copies and sets alone {memory:,} ns.", end="")
    if compared.hta:
        said = json.loads(compared.hta.runs[0].output)
        kernel, memory = (said[f"{kind}_time(us)"] for kind in ("compute", "non_compute"))
        print(f" HTA: compute {kernel:,.0f} us, non-compute {memory:,.0f} us.", end="")
    print("\n", flush=True)


def print_growth(measured: list[Field]) -> None:
    print("### tracelens, from trace to trace\n")
    print("| trace | MB of JSON | events | kernels | kernel sum ns | wall s | CPU s ", end="")
    print("| wall ns/event | CPU ns/event | peak MB |\n" + "|---" * 10 + "|")
    for m in measured:
        events, own = m.metric("trace/events/count"), m.tracelens
        print(
            f"| {m.trace.name} | {m.json_mb:,.0f} | {events:,} "
            f"| {m.metric('trace/kernel/count'):,} | {m.metric('trace/kernel/sum'):,} "
            f"| {own.wall_s:.2f} | {own.cpu_s:.2f} | {own.wall_s * 1e9 / events:,.0f} "
            f"| {own.cpu_s * 1e9 / events:,.0f} | {own.peak_mb:,.0f} |"
        )


def print_machine(hta_python: str | None) -> None:
    packages = ("tracelens-gpu", "msgspec", "numpy", "orjson")
    versions = [f"{package} {version(package)}" for package in packages]
    if hta_python:
        ask = "import importlib.metadata as m; print(m.version('HolisticTraceAnalysis'))"
        told = subprocess.run([hta_python, "-c", ask], capture_output=True, text=True, check=True)
        versions.append(f"HTA {told.stdout.strip()}")
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(
        f"{date.today()}. {processor()}, {os.cpu_count()} cores, {gib:.0f} GiB, "
        f"{platform.system()}. Python {platform.python_version()}, {', '.join(versions)}. "
        f"Load at the start: {os.getloadavg()[0]:.1f}.\n",
        flush=True,
    )


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    told = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(told, platform.processor())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--alone", nargs="+", type=Path, default=[], metavar="TRACE")
    parser.add_argument("--hta-python", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    print_machine(chosen.hta_python)
    fields = [Field.of(t, hta_python=chosen.hta_python) for t in (*chosen.traces, *chosen.alone)]
    for each in fields:
        alone = each.trace in chosen.alone
        programs = [each.tracelens] if alone else each.programs
        take_turns(programs, each.trace, rounds=chosen.rounds)
        if not alone:
            print_comparison(each)
            print_answers(each)
    print_growth(fields)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
