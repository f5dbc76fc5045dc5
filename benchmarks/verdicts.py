"""Live verdicts of `tracelens diff`, held against what is known to be true. Needs a CUDA device.

    python benchmarks/verdicts.py --part null --part change
    python benchmarks/verdicts.py --part gems --part queued
    python benchmarks/verdicts.py --part environments --wheels old.whl new.whl

`null`: forty verdicts on five ops that are the same on both sides. `change`: twenty on a kernel of
50 us that takes 2 % more, twenty on a host spin of 50 us that takes 2 us more, and on which part
each was laid. Beside both, what two medians of triton's `do_bench` would have said. `gems`: add and
sigmoid of FlagGems beside torch's, size by size, and `queued` the same without a wait after each
call; both need FlagGems. `environments`: two versions of Liger-Kernel, each in an environment of
its own, compared by one command.

One lineup of warm processes serves all verdicts of a part. Times are microseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.comparing import diff_live
from tracelens.lineup import Lineup
from tracelens.measure.cuda import Cuda
from tracelens.measure.options import Options
from tracelens.measure.timing import Subject, sample_batches, sample_calls, warm_up
from tracelens.measure.undisturbed import split_calls
from tracelens.model.pairs import Entry
from tracelens.model.report import Environment, Report

HERE = Path(__file__).parent
SAME = ("spin", "add", "softmax", "matmul", "sigmoid")
CHANGED = {
    "spin, 2 % longer": "undisturbed/busy",
    "host spin, 2 us longer": "undisturbed/before_first",
}
"""The changed cases, and the part that the change lies in."""
PARTS = ("undisturbed/before_first", "undisturbed/busy", "undisturbed/after_last")
THRESHOLDS = (0.01, 0.02)
GEMS = ("add", "sigmoid")
SIZES = tuple(4**power for power in range(4, 13))
SIZES_QUEUED = (4**11, 4**12, 2 * 4**12, 4**13, 4**14)
PROCESSES = 3
ROUNDS = 60
OPTIONS = Options(warmup_ns=20_000_000)
NOTHING = "no difference detected"


@dataclass(frozen=True)
class Verdict:
    """One live verdict: its report, and how long it took."""

    report: Report
    took_s: float

    def value(self, stem: str, figure: str):
        return self.report.metric(f"diff/{stem}/{figure}").value

    def us(self, stem: str, figure: str) -> float | None:
        ns = self.value(stem, figure)
        return None if ns is None else ns / 1_000

    @property
    def word(self) -> str:
        return self.report.metric("diff/verdict").value


@contextmanager
def lineup(op_path: Path, baseline: str, candidate: str) -> Iterator[Lineup]:
    sides = (Entry(op_path=op_path, variant=variant) for variant in (baseline, candidate))
    options = {"processes": PROCESSES, "options": OPTIONS, "timeout_s": 60}
    with (
        tempfile.TemporaryDirectory() as folder,
        Lineup(*sides, **options, folder=Path(folder)) as warm,
    ):
        yield warm


def judge(warm: Lineup, case: str) -> Verdict:
    begun = time.perf_counter()
    paired = warm.play(case, ways=("eager",), rounds=ROUNDS)
    sides = (Side(quantities={}), Side(quantities={}))
    comparison = Comparison(
        case=None, variant=None, baseline=sides[0], candidate=sides[1], paired=paired
    )
    environments = Environment(tracelens=""), Environment(tracelens="")
    report = Report(
        command="diff",
        environment=environments[0],
        sections=diff_sections([comparison], environments),
    )
    return Verdict(report, time.perf_counter() - begun)


def table(columns: list[str], rows: list[list[object]]) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join("-" if cell == "None" else cell for cell in cells) + " |")
    print(flush=True)


def print_nulls(count: int) -> list[dict]:
    """Compare five ops with themselves, in turn, so that one op's verdicts lie apart in time."""
    verdicts: dict[str, list[Verdict]] = {case: [] for case in SAME}
    with lineup(HERE / "verdict_ops.py", "before", "after") as warm:
        for _ in range(count):
            for case in SAME:
                verdicts[case].append(judge(warm, case))
    rows = []
    for case, found in verdicts.items():
        widths = [v.value("full", "ratio_high") / v.value("full", "ratio_low") - 1 for v in found]
        rows.append(
            [
                case,
                len(found),
                sum(v.word != NOTHING for v in found),
                sum(v.value(part, "verdict") != NOTHING for v in found for part in PARTS),
                statistics.median([v.us("full", "baseline") for v in found]),
                f"{min(v.value('full', 'ratio') for v in found):.4f} to "
                f"{max(v.value('full', 'ratio') for v in found):.4f}",
                f"{50 * statistics.median(widths):.2f} %",
                f"{statistics.median([v.took_s for v in found]):.1f} s",
            ]
        )
    print(f"Both sides the same. {PROCESSES} processes a side, at most {ROUNDS} rounds.\n")
    columns = ["op", "verdicts", "false", "false, of three parts each", "full call, us"]
    table([*columns, "ratios", "half an interval, median", "time a verdict"], rows)
    return [summary(case, v) for case, found in verdicts.items() for v in found]


def print_changes(count: int) -> list[dict]:
    """Compare two ops of which a known part became longer."""
    verdicts: dict[str, list[Verdict]] = {case: [] for case in CHANGED}
    with lineup(HERE / "verdict_ops.py", "before", "after") as warm:
        for _ in range(count):
            for case in CHANGED:
                verdicts[case].append(judge(warm, case))
    rows = []
    for case, found in verdicts.items():
        part = CHANGED[case]
        others = [other for other in PARTS if other != part]
        moved = [v.us(part, "delta") for v in found]
        rows.append(
            [
                case,
                len(found),
                sum(v.word == "slower" for v in found),
                sum(v.value(part, "verdict") == "slower" for v in found),
                sum(v.value(other, "verdict") != NOTHING for v in found for other in others),
                f"{min(moved):+.2f} to {max(moved):+.2f}",
                statistics.median([v.us("full", "delta") for v in found]),
                f"{statistics.median([v.took_s for v in found]):.1f} s",
            ]
        )
    print("One part longer.\n")
    columns = ["change", "verdicts", "full call slower", "that part slower", "other parts moved"]
    table([*columns, "difference of the part, us", "of the full call", "time a verdict"], rows)
    return [summary(case, v) for case, found in verdicts.items() for v in found]


def summary(case: str, verdict: Verdict) -> dict:
    stems = ("full", "submit", *PARTS)
    ends = ("baseline", "ratio", "ratio_low", "ratio_high", "delta", "verdict")
    return {
        "case": case,
        "took_s": round(verdict.took_s, 3),
        **{stem: [verdict.value(stem, end) for end in ends] for stem in stems},
    }


def print_do_bench(cases: tuple[str, ...], count: int) -> None:
    """Say what the medians of two `do_bench` say, one after the other in one process."""
    sys.path.insert(0, str(HERE))
    import triton.testing  # noqa: PLC0415  # the parts before this one need no triton
    import verdict_ops  # noqa: PLC0415

    rows = []
    for case in cases:
        given = verdict_ops.inputs(case)
        ratios = []
        for _ in range(count):
            before, after = (
                triton.testing.do_bench(partial(call, *given), return_mode="median")
                for call in verdict_ops.variants.values()
            )
            ratios.append(after / before)
        said = [
            f"{sum(r > 1 + past for r in ratios)} slower, "
            f"{sum(r < 1 / (1 + past) for r in ratios)} faster"
            for past in THRESHOLDS
        ]
        rows.append([case, count, *said, f"{min(ratios):.4f} to {max(ratios):.4f}"])
    print("What two medians of triton.testing.do_bench say past a threshold.\n")
    table(["op", "pairs", *(f"past {t:.0%}" for t in THRESHOLDS), "ratios"], rows)


def print_gems() -> list[dict]:
    """Compare FlagGems with torch, size by size, then name the kernels of the largest."""
    op_path = HERE / "verdict_gems.py"
    stems = ("full", "submit", *PARTS)
    found, tables = [], {}
    with lineup(op_path, "torch", "gems") as warm:
        for name in GEMS:
            tables[name] = []
            for size in SIZES:
                verdict = judge(warm, f"{name} {size}")
                found.append(summary(f"{name} {size}", verdict))
                tables[name].append([size, *(cell for s in stems for cell in cells(verdict, s))])
    for name, rows in tables.items():
        print(f"{name}: torch -> FlagGems, float16.\n")
        names = ("full call", "submit", "before the first kernel", "kernels", "after the last")
        table(["size", *(c for n in names for c in (n, "verdict"))], rows)
    print_kernels(op_path, [f"{name} {SIZES[-1]}" for name in GEMS])
    return found


def print_queued() -> None:
    """Call both libraries many times without a wait: what the device's time then hides."""
    sys.path.insert(0, str(HERE))
    import verdict_gems  # noqa: PLC0415  # it imports FlagGems

    device, rows = Cuda(0), []
    for name in GEMS:
        for size in SIZES_QUEUED:
            given = verdict_gems.inputs(name, size)
            taken = []
            for call in verdict_gems.variants.values():
                subject = Subject(call=partial(call, *given), device=device, grad="no_grad")
                warm_up(subject, calls=20, duration_ns=OPTIONS.warmup_ns)
                queued = sample_batches(subject, batches=7, batch=100, budget_ns=10**9)
                with device.work_records() as records:
                    instants = sample_calls(subject, samples=20, budget_ns=10**9)
                busy = split_calls(instants, records.times()).busy
                taken += [queued.amortised_ns, busy, instants.submit_ns]
            rows.append([name, size, *(statistics.median(ns) / 1_000 for ns in taken)])
    print("A hundred calls in a row and one wait, us a call.\n")
    of_each = ("in a row", "device busy", "submit")
    table(["op", "size", *(f"{lib}: {n}" for lib in ("torch", "FlagGems") for n in of_each)], rows)


def cells(verdict: Verdict, stem: str) -> tuple[str, str]:
    ends = (verdict.us(stem, end) for end in ("baseline", "candidate"))
    medians = " -> ".join("-" if us is None else f"{us:.2f}" for us in ends)
    return medians, verdict.value(stem, "verdict")


def print_kernels(op_path: Path, cases: list[str]) -> None:
    """Compare by the whole recipe, which also profiles each side for its kernels."""
    sides = (Entry(op_path=op_path, variant=variant) for variant in ("torch", "gems"))
    report = diff_live(
        *sides,
        cases=tuple(cases),
        options=OPTIONS,
        processes=PROCESSES,
        rounds=ROUNDS,
        timeout_s=60,
    )
    for case in cases:
        changes = report.table("kernel_changes", case=case)
        print(f"Kernels of {case}.\n")
        table([column.name for column in changes.columns], [list(row) for row in changes.rows])
        print(report.metric("diff/verdict", case=case).description, "\n", flush=True)


def print_environments(wheels: list[str]) -> None:
    """Put each wheel into an environment of its own, and compare the two by the command."""
    with tempfile.TemporaryDirectory() as folder:
        pythons = [environment(Path(folder, f"of-{Path(wheel).stem}"), wheel) for wheel in wheels]
        command = [sys.executable, "-m", "tracelens", "diff", str(HERE / "verdict_liger.py")]
        for python in pythons:
            command += ["--python", python]
        print("$", *(word.removeprefix(f"{folder}/") for word in command[1:]), "\n", flush=True)
        subprocess.run(command, check=False)


def environment(home: Path, wheel: str) -> str:
    """Make an environment with all that this one has, and a wheel; return its interpreter."""
    venv.create(home, system_site_packages=True, with_pip=False)
    packages = next(home.glob("lib/python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("-packages")]
    (packages / "ours.pth").write_text("\n".join(ours))  # the base alone may have no torch
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", packages, wheel], check=True)
    return f"{home}/bin/python"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = ("null", "change", "gems", "queued", "environments")
    parser.add_argument("--part", action="append", choices=parts)
    parser.add_argument("--nulls", type=int, default=8, help="verdicts on each of five ops")
    parser.add_argument("--changes", type=int, default=20, help="verdicts on each change")
    parser.add_argument("--wheels", nargs=2, default=[], help="two versions of Liger-Kernel")
    parser.add_argument("--raw", type=Path, help="write every verdict's figures to this file")
    given = parser.parse_args()
    parts = given.part or ["null", "change", "gems", "queued"]
    raw: dict[str, list[dict]] = {}
    if "null" in parts:
        raw["null"] = print_nulls(given.nulls)
        print_do_bench(SAME, given.nulls)
    if "change" in parts:
        raw["change"] = print_changes(given.changes)
        print_do_bench(tuple(CHANGED), given.changes)
    if "gems" in parts:
        raw["gems"] = print_gems()
    if "queued" in parts:
        print_queued()
    if "environments" in parts:
        print_environments(given.wheels)
    if given.raw:
        given.raw.write_text(json.dumps(raw))


if __name__ == "__main__":
    main()
