"""Live verdicts on libraries: FlagGems beside torch, size by size, and two versions of one."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import venv
from functools import partial
from pathlib import Path

from verdict_lineup import OPTIONS, PARTS, PROCESSES, ROUNDS, Verdict, judge, lineup, summary, table

from tracelens.api import diff_live
from tracelens.measure.cuda import Cuda
from tracelens.measure.timing import Timed, sample_batches, sample_calls, warm_up
from tracelens.measure.undisturbed import split_calls
from tracelens.model.pairs import Entry

HERE = Path(__file__).parent
GEMS = ("add", "sigmoid")
SIZES = tuple(4**power for power in range(4, 13))
SIZES_QUEUED = (4**11, 4**12, 2 * 4**12, 4**13, 4**14)


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
                subject = Timed(call=partial(call, *given), device=device, grad="no_grad")
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
