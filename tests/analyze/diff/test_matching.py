"""Which kernel stands beside which. A use is (name, median ns of one launch)."""

from tests.analyze.diff.uses import use
from tracelens.analyze.diff.kernel_changes import (
    kernel_change,
    kernel_findings,
    kernel_table,
)
from tracelens.analyze.diff.matching import match_kernels

MUL, ADD = "triton_poi_fused_mul_0", "triton_poi_fused_add_1"
FUSED = "triton_poi_fused_add_mul_0"
GEMM = "nvjet_tst_128x64_64x8_1x2_h_bz_NNT"
OTHER_GEMM = "nvjet_tst_64x64_64x8_1x2_h_bz_NNT"


def changes(before, after, *, comparable=True):
    return [kernel_change(match, comparable=comparable) for match in match_kernels(before, after)]


def rows(before, after):
    """Return change, baseline, candidate, delta per call, change in launches per call."""
    return [row[:5] for row in kernel_table(changes(before, after)).rows]


def test_a_kernel_that_did_not_change_is_the_same_up_to_a_tick_of_the_clock():
    assert rows([use("k", 1_024)], [use("k", 1_056)]) == [("same", "k", "k", 32, 0)]
    assert rows([use("k", 1_024)], [use("k", 1_057)]) == [("time", "k", "k", 33, 0)]


def test_a_difference_that_two_processes_of_one_build_have_is_the_same():
    assert rows([use("k", 50_000)], [use("k", 50_500)]) == [("same", "k", "k", 500, 0)]
    assert rows([use("k", 50_000)], [use("k", 50_501)]) == [("time", "k", "k", 501, 0)]


def test_a_difference_within_the_spread_of_a_kernel_is_the_same():
    assert rows([use("k", 1_000, spread=80)], [use("k", 1_070)])[0][0] == "same"


def test_two_kernels_whose_numbers_swapped_are_renamed_not_slower_and_faster():
    first, second = "triton_poi_fused_add_0", "triton_poi_fused_add_1"
    assert rows(
        [use(first, 12_000), use(second, 30_000)], [use(first, 30_000), use(second, 12_000)]
    ) == [("renamed", first, second, 0, 0), ("renamed", second, first, 0, 0)]


def test_two_equal_kernels_keep_their_names():
    first, second = "triton_poi_fused_add_0", "triton_poi_fused_add_1"
    both = [use(first, 12_000), use(second, 12_010)]
    assert [row[:3] for row in rows(both, both)] == [
        ("same", first, first),
        ("same", second, second),
    ]


def test_one_of_two_kernels_of_the_same_ops_got_slower():
    first, second = "triton_poi_fused_add_0", "triton_poi_fused_add_1"
    assert rows(
        [use(first, 12_000), use(second, 30_000)], [use(first, 12_000), use(second, 35_000)]
    ) == [("time", second, second, 5_000, 0), ("same", first, first, 0, 0)]


def test_a_fusion_is_two_removed_and_one_added_and_never_a_slower_kernel():
    found = changes([use(MUL, 12_000), use(ADD, 12_000)], [use(FUSED, 15_000)])
    assert [row[:5] for row in kernel_table(found).rows] == [
        ("added", None, FUSED, 15_000, 1),
        ("removed", MUL, None, -12_000, -1),
        ("removed", ADD, None, -12_000, -1),
    ]
    assert [f.fact for f in kernel_findings(found)] == [
        f"{MUL} and {ADD} were fused into {FUSED}: -9.00 us a call"
    ]


def test_a_kernel_that_was_split_says_so():
    found = changes([use(FUSED, 15_000)], [use(MUL, 12_000), use(ADD, 12_000)])
    assert [f.fact for f in kernel_findings(found)] == [
        f"{FUSED} was split into {MUL} and {ADD}: +9.00 us a call"
    ]


def test_another_tile_is_another_configuration_of_the_same_gemm():
    (row,) = kernel_table(changes([use(GEMM, 9_000)], [use(OTHER_GEMM, 8_000)])).rows
    assert row[:5] == ("config", GEMM, OTHER_GEMM, -1_000, 0)
    assert row[-1] == (
        "config tile 128x64x64 stages 8 cluster 1x2 -> tile 64x64x64 stages 8 cluster 1x2"
    )


def test_another_grid_or_more_shared_memory_is_another_configuration():
    before, after = use("k", 1_000), use("k", 1_000, grid=(264, 1, 1), shared_memory=4096)
    (row,) = kernel_table(changes([before], [after])).rows
    assert row[0] == "config"
    assert row[-1] == "grid 132x1x1 -> 264x1x1, shared memory 0 -> 4096"


def test_fewer_launches_of_a_kernel_are_launches_removed():
    assert rows([use("k", 1_000, count=3)], [use("k", 1_000, count=2)]) == [
        ("removed", "k", "k", -1_000, -1)
    ]


def test_two_kernels_nobody_knows_are_not_taken_for_each_other():
    assert [row[0] for row in rows([use("mine", 1_000)], [use("yours", 1_000)])] == [
        "removed",
        "added",
    ]


def test_elementwise_kernels_of_different_ops_are_not_taken_for_each_other():
    add = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, X>"
    mul = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_mul<float>, X>"
    assert sorted(row[0] for row in rows([use(add, 1_000)], [use(mul, 1_000)])) == [
        "added",
        "removed",
    ]


def test_between_sides_that_are_not_comparable_no_kernel_got_slower():
    (found,) = changes([use("k", 1_000)], [use("k", 9_000)], comparable=False)
    assert (found.change, found.delta_ns) == ("same", None)
