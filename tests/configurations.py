"""What the runs of `tests/measure/ops` must show, freshly measured on a card or recorded there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tracelens.api import report_run
from tracelens.formats.run_folder import read_run
from tracelens.model.launched import Launched, Tuning
from tracelens.model.report import Report


def rows(report: Report, tag: str, *, case: str | None = None) -> list[dict[str, Any]]:
    """Return a table's rows by the names of its columns."""
    table = report.table(tag, case=case)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def configs(report: Report, *, case: str | None = None) -> dict[str, str | None]:
    """Return the configuration of each kernel by its name."""
    return {row["name"]: row["config"] for row in rows(report, "kernels", case=case)}


def report_of(folder: Path) -> tuple[Report, list[Launched]]:
    """Return the report of a run, made anew, and what each of its subjects saw launched."""
    run = read_run(folder)
    return report_run(run, folder), [s.launched for s in run.subjects if s.launched is not None]


def check_autotuned(folder: Path) -> None:
    """The configuration that is shown is the tuner's own choice, as it printed it itself."""
    report, (launched,) = report_of(folder)
    said = (folder / "op.log").read_text().partition("best_config: ")[2].strip()
    best = dict(pair.split(": ") for pair in said.split(", "))

    (kernel,) = launched.kernels
    tuning = kernel.tuning
    assert isinstance(tuning, Tuning)
    assert tuning.chosen is not None
    chosen = tuning.candidates[tuning.chosen]
    assert {n: str(v) for n, v in chosen.settings.items()} == {
        name: value for name, value in best.items() if value != "None"
    }
    assert configs(report) == {
        "matmul_kernel": f"BLOCK_M={best['BLOCK_M']} BLOCK_N={best['BLOCK_N']} "
        f"BLOCK_K={best['BLOCK_K']} ACCUMULATE=fp32 num_warps={best['num_warps']} "
        f"num_stages={best['num_stages']}"
    }
    times = [c.time_ns for c in tuning.candidates if c.time_ns is not None]
    assert chosen.time_ns == min(times)
    assert [c.failed for c in tuning.candidates] == [False] * 6 + [True]
    (shown,) = rows(report, "kernels")
    assert (shown["family"], shown["count"]) == ("triton", 20)
    (compiled,) = rows(report, "compiled_kernels")
    assert (compiled["count"], compiled["target"], compiled["candidates"]) == (20, "cuda:90", 7)
    assert compiled["grid"] == shown["grid"]
    assert compiled["threads"] == shown["block"][0]


def check_two_configurations(folder: Path) -> None:
    """One name in two configurations: each launch is given its own."""
    report, (launched,) = report_of(folder)

    assert launched.order == (0, 1)
    assert configs(report) == {
        "scale_kernel": "BLOCK=1024 UNROLL=1 num_warps=4 num_stages=3 | "
        "BLOCK=1024 UNROLL=4 num_warps=4 num_stages=3"
    }
    assert [(r["settings"], r["count"]) for r in rows(report, "compiled_kernels")] == [
        ("BLOCK=1024 UNROLL=1 num_warps=4 num_stages=3", 20),
        ("BLOCK=1024 UNROLL=4 num_warps=4 num_stages=3", 20),
    ]


def check_compiled(folder: Path) -> None:
    """Inductor's kernels have its choice and the ops that it fused; cuBLAS's is not one of them."""
    report, (launched,) = report_of(folder)

    shown = configs(report)
    inductor = {name: config for name, config in shown.items() if name.startswith("triton_")}
    (product,) = set(shown) - set(inductor)
    assert product.startswith("nvjet_sm90_tst_")
    assert [kernel.name for kernel in launched.kernels] == sorted(
        inductor, key=lambda name: name.rpartition("_")[2]
    )
    reduction, pointwise = launched.kernels
    assert {"aten.add", "aten.gelu", "aten.rsqrt"} < set(reduction.ops)
    assert set(pointwise.ops) == {"aten.relu", "aten.mul"}
    for kernel in launched.kernels:
        assert re.fullmatch(r"(\w+BLOCK=\d+ )+num_warps=\d+ num_stages=\d+", inductor[kernel.name])
        assert kernel.source is not None
        assert f"def {kernel.name}(" in (kernel.source.text or "")
    assert [r["count"] for r in rows(report, "compiled_kernels")] == [20, 20]
    assert pointwise.tuning is not None
    assert pointwise.tuning.chosen is not None


def check_split_k(folder: Path) -> None:
    """The factor of a split along K, which no name holds, follows from sizes, tile and grid."""
    report, _ = report_of(folder)

    for case, (m, n) in {"one row": (1, 4096), "square": (64, 64)}.items():
        product = next(
            row for row in rows(report, "kernels", case=case) if row["name"].startswith("nvjet_")
        )
        tile = re.search(r"_(\d+)x(\d+)_\d+x\d+_(\d+)x(\d+)_", product["name"])
        factor = re.search(r"split-K (\d+)$", product["config"])
        assert tile is not None
        assert factor is not None
        columns, of_rows, wide, high = map(int, tile.groups())
        x, y, z = product["grid"]
        tiles = -(-n // columns // wide) * wide * (-(-m // of_rows // high) * high)
        assert x * y * z == tiles * int(factor[1])
        assert int(factor[1]) > 1
    assert not any(f.tag == "kernel/contradiction" for f in report.findings)


def check_template(folder: Path) -> None:
    """Each case ran its own row of the op's table, by the names that the op gave."""
    report, _ = report_of(folder)

    for case, arguments, config in (
        ("wide", "<16, 1, 1, 2>", "NW=16 UG=1 NB=1 PIPE=2"),
        ("tall", "<4, 2, 4, 1>", "NW=4 UG=2 NB=4 PIPE=1"),
    ):
        ((name, shown),) = configs(report, case=case).items()
        assert f"gemvz_kernel{arguments}" in name
        assert shown == config


CHECKS = {
    "autotuned": check_autotuned,
    "two_configurations": check_two_configurations,
    "compiled": check_compiled,
    "split_k": check_split_k,
    "template": check_template,
}
