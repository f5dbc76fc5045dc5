"""Cases, variants and their kernels as they stand in a terminal of 80 columns."""

from __future__ import annotations

from dataclasses import replace

from tracelens.analyze.case_table import _COLUMNS as COLUMNS
from tracelens.model.report import Cell, Environment, Report, Section, Table
from tracelens.render import render_text

NVJET = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT"
SPLIT = "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(float*)"
CONFIG = "tile 64x8x64 stages 16 cluster 2x1 split-K"


def row(case: Cell, variant: Cell, full_ns: Cell, **cells: Cell) -> tuple[Cell, ...]:
    known = {"case": case, "variant": variant, "full_ns": full_ns, **cells}
    return tuple(known.get(column.name) for column in COLUMNS)


def kernel(name: str, **cells: Cell) -> dict[str, Cell]:
    return {"name": name, "calls": 1, "multiprocessors": 132, **cells}


SPLIT_GEMM = kernel(
    NVJET,
    config=CONFIG,
    kernel_ns=7_970,
    share=0.827,
    grid=[128, 1, 1],
    idle_multiprocessors=4,
    blocks_per_multiprocessor=128 / 132,
)
REDUCE = kernel(
    SPLIT,
    config="tile 32x16",
    kernel_ns=1_630,
    share=0.173,
    grid=[128, 4, 1],
    idle_multiprocessors=0,
    blocks_per_multiprocessor=512 / 132,
)


def shown(*rows: tuple[Cell, ...], width: int = 80, verbose: bool = False) -> str:
    table = Table(tag="cases_and_kernels", columns=COLUMNS, rows=rows)
    sections = (Section(title="Cases", tables=(table,)),)
    report = Report(command="profile", environment=Environment(), sections=sections)
    return render_text(report, width=width, color=False, verbose=verbose)


def test_each_case_stands_above_its_kernels_with_their_configurations_and_grids() -> None:
    text = shown(
        row("m1", "plain", 50_610, **SPLIT_GEMM),
        row("m1", "plain", 50_610, **REDUCE),
        row("m1", "fast", 40_020, ratio=0.791, ratio_low=0.78, ratio_high=0.8, **SPLIT_GEMM),
        row("m8", "plain", None, ended_in="check"),
    )
    assert text == (
        """\
Cases
                                                       time  ratio  share  calls
                                                         us      x      %
  m1 · plain                                          50.61
    nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT      7.97          82.7      1
      tile 64x8x64 stages 16 cluster 2x1 split-K · grid 128x1x1 · 4 of 132 SMs
      idle
    splitKreduce_kernel<32, 16, int, float, __nv_bf…   1.63          17.3      1
      tile 32x16 · grid 128x4x1 · 3.9 blocks per SM
  m1 · fast                                           40.02   0.79
      ratio 0.780 to 0.800, not paired
    nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT      7.97          82.7      1
      tile 64x8x64 stages 16 cluster 2x1 split-K · grid 128x1x1 · 4 of 132 SMs
      idle
  m8 · plain                                              -
      failed in 'check'
"""
    )


def test_a_configuration_that_is_longer_than_the_line_goes_on_below() -> None:
    words = " ".join(f"BLOCK_{n}={n}" for n in range(20))
    text = shown(row(None, None, 9_000, **kernel("k", config=words, kernel_ns=500, share=1.0)))
    assert " ".join(text.split()).count(words) == 1
    assert max(map(len, text.splitlines())) <= 80


def test_only_the_first_kernels_are_shown_and_the_rest_summed_up() -> None:
    rows = [
        row("a", None, 9_000, **kernel(f"kernel_{n}", kernel_ns=100, share=0.1)) for n in range(10)
    ]
    assert shown(*rows).splitlines()[-2:] == [
        "    kernel_5            0.10   10.0      1",
        "    4 more (--verbose)  0.40   40.0",
    ]
    assert "kernel_9" in shown(*rows, verbose=True)


def test_any_table_of_this_name_stays_on_its_page() -> None:
    table = Table(tag="cases_and_kernels", columns=COLUMNS[:1], rows=(("\x1b[31m" * 90,), (None,)))
    report = Report(
        command="profile",
        environment=Environment(),
        sections=(Section(title="Cases", tables=(table, replace(table, rows=()))),),
    )
    text = render_text(report, width=60, color=False)
    assert max(map(len, text.splitlines())) <= 60
    assert "\x1b" not in text
