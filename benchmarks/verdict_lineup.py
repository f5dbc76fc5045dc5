"""One warm lineup of two variants of an op file, its verdicts, and how they are printed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.measure.options import Options
from tracelens.model.pairs import Entry
from tracelens.model.report import Environment, Report
from tracelens.processes.lineup import Lineup

PARTS = ("undisturbed/before_first", "undisturbed/busy", "undisturbed/after_last")
PROCESSES = 3
ROUNDS = 60
OPTIONS = Options(warmup_ns=20_000_000)


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
    paired = warm.play((case, case), ways=("eager",), rounds=ROUNDS)
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


def summary(case: str, verdict: Verdict) -> dict:
    stems = ("full", "submit", *PARTS)
    ends = ("baseline", "ratio", "ratio_low", "ratio_high", "delta", "verdict")
    return {
        "case": case,
        "took_s": round(verdict.took_s, 3),
        **{stem: [verdict.value(stem, end) for end in ends] for stem in stems},
    }


def table(columns: list[str], rows: list[list[object]]) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join("-" if cell == "None" else cell for cell in cells) + " |")
    print(flush=True)
