"""What a reproducer finds beside the run that it was written from.

    python benchmarks/reproducers.py > table.md          all ops of benchmarks/reproduced/
    python benchmarks/reproducers.py op.py --times 3     one op, reproduced three times

Each op is measured by `tracelens profile`; `tracelens issue` writes its reproducer, which runs in a
process and an empty folder of its own where `import tracelens` fails. Ops whose packages or device
are not here are named, and left out. Times are medians in microseconds, with the quantiles 0.2 and
0.8 in brackets; `least` and `most` are the ends of the run's own samples. What a folder given by
`--keep` holds already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tracelens.formats import read_run

OPS = Path(__file__).parent / "reproduced"
KERNEL_RATIO = 0.03
"""How far medians of kernel times may be apart: the same card, the same kernels."""
STEP_NS = 32
"""Kernel records are multiples of it: in kernels under 1.1 us one step is more than 3 %."""
LONG_RATIO, LONG_NS = 0.15, 200_000
"""How far full calls of at least that length may be apart; shorter ones must lie in the range."""
HIDDEN = 'raise ModuleNotFoundError("tracelens is hidden here", name="tracelens")\n'


@dataclass(frozen=True)
class Spread:
    """A median with its quantiles, and where they are known the ends of all samples; all ns."""

    median: float
    q20: float
    q80: float
    least: float | None = None
    most: float | None = None

    @classmethod
    def of(cls, samples: list[int]) -> Spread:
        q20, q80 = statistics.quantiles(samples, n=5, method="inclusive")[0::3]
        return cls(statistics.median(samples), q20, q80, min(samples), max(samples))

    def __str__(self) -> str:
        return f"{us(self.median)} ({us(self.q20)} to {us(self.q80)})"


@dataclass(frozen=True)
class Row:
    """One quantity of one subject: what the run found, and each run of the reproducer."""

    subject: str
    tag: str
    run: Spread
    again: list[Spread]

    @property
    def ratios(self) -> list[float]:
        return [one.median / self.run.median for one in self.again]

    @property
    def rule(self) -> str:
        if not self.tag.startswith("full"):
            return "3 %"
        return "15 %" if self.run.median >= LONG_NS else "in range"

    def holds(self, one: Spread) -> bool:
        if self.rule == "in range":
            return self.run.least <= one.median <= self.run.most
        allowed = KERNEL_RATIO if self.rule == "3 %" else LONG_RATIO
        return abs(one.median / self.run.median - 1) <= allowed

    def verdict(self, one: Spread) -> str:
        if self.holds(one):
            return "yes"
        step = self.rule == "3 %" and abs(one.median - self.run.median) <= STEP_NS
        return "**no**, by one step of the records" if step else "**no**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ops", nargs="*", type=Path, default=sorted(OPS.glob("*.py")))
    parser.add_argument("--times", type=int, default=1, help="how often each reproducer runs")
    parser.add_argument("--keep", type=Path, help="folder for runs and issues")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        environment = hiding(folder / "hidden")
        rows: list[Row] = []
        for op in asked.ops:
            run = profiled(op, folder)
            if run is not None:
                issue = written(run)
                tries = [again(issue, environment, number) for number in range(asked.times)]
                rows += compared(run, [found for found in tries if found is not None])
    print_tables(rows)


def profiled(op: Path, folder: Path) -> Path | None:
    """Measure an op; return its run folder, or None where it cannot run here."""
    run = folder / f"{op.stem}.run"
    if run.exists():
        return run
    done = tracelens("profile", op, "-o", run, "--quiet")
    if done.returncode:
        print(
            f"{op.stem} is left out: {(done.stderr.strip().splitlines() or [done.returncode])[0]}\n"
        )
    return run if done.returncode == 0 else None


def written(run: Path) -> Path:
    issue = run.with_suffix(".issue")
    if issue.exists():
        return issue
    done = tracelens("issue", run, "-o", issue, "--quiet")
    if done.returncode:
        sys.exit(done.stderr)
    return issue


def tracelens(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tracelens", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def hiding(folder: Path) -> dict[str, str]:
    """Return an environment in which tracelens cannot be imported."""
    folder.mkdir(exist_ok=True)
    (folder / "tracelens.py").write_text(HIDDEN)
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = [path for path in known if path and not Path(path, "tracelens").exists()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *kept])}
    check = subprocess.run(
        [sys.executable, "-c", "import tracelens"],
        capture_output=True,
        env=environment,
        cwd=folder.parent,
        check=False,
    )
    if check.returncode == 0:
        sys.exit("tracelens can still be imported")
    return environment


def again(issue: Path, environment: Mapping[str, str], number: int) -> dict[str, list[int]] | None:
    """Run a reproducer in an empty folder; return its samples by subject and tag."""
    samples = issue.with_suffix(f".{number}.json")
    if not samples.exists() and not reproduced(issue, environment, samples):
        return None
    return {
        f"{named(s['case'], s['variant'])} {tag}": taken
        for s in json.loads(samples.read_text())["subjects"]
        for tag, taken in s["samples_ns"].items()
    }


def reproduced(issue: Path, environment: Mapping[str, str], samples: Path) -> bool:
    with tempfile.TemporaryDirectory() as empty:
        Path(empty, "repro.py").write_bytes((issue / "repro.py").read_bytes())
        done = subprocess.run(
            [sys.executable, "repro.py", "--json", samples],
            capture_output=True,
            text=True,
            env=dict(environment),
            cwd=empty,
            check=False,
        )
    samples.with_suffix(".txt").write_text(done.stdout + done.stderr)
    print(f"## {issue.stem}", done.stdout, done.stderr, sep="\n", file=sys.stderr)
    if done.returncode:
        print(f"{issue.stem}: the reproducer ended with {done.returncode}: {done.stderr}\n")
    return done.returncode == 0


def compared(run: Path, found: list[dict[str, list[int]]]) -> Iterator[Row]:
    kept = read_run(run)
    for subject in kept.subjects:
        sections = [
            s
            for s in kept.report.sections
            if (s.case, s.variant) == (subject.subject.case, subject.subject.variant)
        ]
        values = {m.tag: m.value for s in sections for m in s.metrics}
        raw = {m.tag: m.samples_ns for m in subject.measurements}
        name = named(subject.subject.case, subject.subject.variant)
        for tag in sorted({key.removeprefix(f"{name} ") for one in found for key in one}):
            if not tag.startswith(("full", "kernel")) or values.get(f"{tag}/median") is None:
                continue
            known = [values[f"{tag}/{figure}"] for figure in ("median", "q20", "q80")]
            ends = [min(raw[tag]), max(raw[tag])] if tag in raw else [None, None]
            spreads = [Spread.of(one[f"{name} {tag}"]) for one in found if f"{name} {tag}" in one]
            label = " ".join(filter(None, (run.stem, name)))
            yield Row(label, tag, Spread(*known, *ends), spreads)


def named(case: str | None, variant: str | None) -> str:
    return " ".join(filter(None, (case, variant)))


def print_tables(rows: list[Row]) -> None:
    for title, tags in (("Kernel times", "kernel"), ("Full calls", "full")):
        chosen = [row for row in rows if row.tag.startswith(tags)]
        ends = tags == "full"
        print(f"### {title}\n")
        head = ["op", "quantity", "run", *(("least to most",) if ends else ()), "reproducer"]
        print(f"| {' | '.join([*head, 'ratio', 'rule', 'holds'])} |")
        print("|---" * (len(head) + 3) + "|")
        for row in chosen:
            range_of = f"{us(row.run.least)} to {us(row.run.most)}" if ends else None
            cells = [row.subject, row.tag, row.run, range_of, "; ".join(map(str, row.again))]
            cells += ["; ".join(f"{ratio:.3f}" for ratio in row.ratios), row.rule]
            cells.append("; ".join(map(row.verdict, row.again)))
            print(f"| {' | '.join(str(cell) for cell in cells if cell is not None)} |")
        held = sum(row.holds(one) for row in chosen for one in row.again)
        print(f"\n{held} of {sum(len(row.again) for row in chosen)} hold.\n")


def us(ns: float | None) -> str:
    return "-" if ns is None else f"{ns / 1_000:,.2f}"


if __name__ == "__main__":
    main()
