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
import sys
from functools import partial
from pathlib import Path

from verdict_libraries import print_environments, print_gems, print_queued
from verdict_lineup import PARTS, PROCESSES, ROUNDS, Verdict, judge, lineup, summary, table

HERE = Path(__file__).parent
SAME = ("spin", "add", "softmax", "matmul", "sigmoid")
CHANGED = {
    "spin, 2 % longer": "undisturbed/busy",
    "host spin, 2 us longer": "undisturbed/before_first",
}
"""The changed cases, and the part that the change lies in."""
THRESHOLDS = (0.01, 0.02)
NOTHING = "no difference detected"


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
