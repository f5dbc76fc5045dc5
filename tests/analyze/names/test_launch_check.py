import pytest

from tracelens.analyze.names import decode
from tracelens.analyze.names.launch_check import Gemm, Launch, LaunchCheck, check_launch

REDUCE = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)"
CUTLASS = "cutlass_80_tensorop_s1688gemm_{}_nn_align4"


def check(name, grid, block=(384, 1, 1), **more):
    return check_launch(decode(name), Launch(grid=grid, block=block, **more))


@pytest.mark.parametrize(
    ("name", "grid", "gemm", "multiprocessors", "wanted"),
    [
        (  # recorded: a vector times a matrix on an H200
            "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT",
            (2, 64, 1),
            Gemm(m=1, k=4096, n=4096),
            132,
            LaunchCheck("consistent", "128 blocks are 64 tiles x 2", 2),
        ),
        (  # recorded: a square product on an H200
            "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
            (2, 66, 1),
            Gemm(m=4096, k=4096, n=4096),
            132,
            LaunchCheck(
                "persistent-capped", "132 persistent blocks on 132 multiprocessors take 512 tiles"
            ),
        ),
        (  # recorded: addmm on a B200
            "nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT",
            (112, 1, 1),
            Gemm(m=888, k=2880, n=128),
            148,
            LaunchCheck("consistent", "112 blocks are 112 tiles x 1", 1),
        ),
        (  # public: 192 tiles in clusters of 4 leave 12 multiprocessors idle
            "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
            (120, 1, 1),
            Gemm(m=1, k=4096, n=12288),
            132,
            LaunchCheck(
                "persistent-capped", "120 persistent blocks on 132 multiprocessors take 192 tiles"
            ),
        ),
        (
            "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
            (120, 1, 1),
            Gemm(m=1, k=4096, n=12288),
            None,
            LaunchCheck("not checkable", "120 blocks for 192 tiles may be persistent"),
        ),
        (
            "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
            (36, 1, 1),
            Gemm(m=1, k=4096, n=12288),
            132,
            LaunchCheck("contradiction", "36 blocks for 192 tiles of 64x8"),
        ),
        (
            "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_NNT",
            (2, 64, 1),
            Gemm(m=1, k=4096, n=4096),
            132,
            LaunchCheck("contradiction", "128 blocks for 64 tiles of 64x8"),
        ),
    ],
)
def test_the_grid_of_nvjet_follows_from_tile_cluster_and_sizes(
    name, grid, gemm, multiprocessors, wanted
):
    assert check(name, grid, gemm=gemm, multiprocessors=multiprocessors) == wanted


@pytest.mark.parametrize(
    ("grid", "gemm", "verdict"),
    [
        ((128, 1, 1), Gemm(m=1, k=4096, n=4096), "consistent"),  # recorded on an H200
        ((80, 8, 1), Gemm(m=128, k=9216, n=2560), "consistent"),
        ((32, 16, 1), Gemm(m=2048, k=64000, n=1024), "not checkable"),  # recorded: 128 strips
        ((64, 1, 1), Gemm(m=1, k=4096, n=4096), "contradiction"),
    ],
)
def test_the_sum_of_a_split_k_has_a_block_per_tile_until_there_are_many_rows(grid, gemm, verdict):
    assert check(REDUCE, grid, (32, 16, 1), gemm=gemm).verdict == verdict


@pytest.mark.parametrize(
    ("tile", "grid", "gemm", "split_k"),
    [
        # grids of a public A100 recording, whose batch is 2048 by its batched kernels
        ("256x64_16x4", (256, 9, 1), Gemm(m=2048, k=64, n=72 * 256), 1),
        ("256x128_32x3", (128, 19, 1), Gemm(m=2048, k=64, n=152 * 256), 1),
        ("128x256_32x3", (64, 2, 1), Gemm(m=2048, k=64, n=16 * 128), 1),
        ("64x128_32x3", (64, 2, 1), Gemm(m=2048, k=64, n=5 * 64), 1),
        # m and n known from the kernel that sums the split: grid 3x10 and 10x8 of 32x16
        ("64x64_16x6", (6, 1, 16), Gemm(m=160, k=4096, n=96), 16),
        ("64x64_32x6", (8, 2, 9), Gemm(m=128, k=4096, n=320), 9),
    ],
)
def test_the_grid_of_cutlass_inside_cublas_is_swizzled_and_its_z_is_the_split(
    tile, grid, gemm, split_k
):
    checked = check(CUTLASS.format(tile), grid, gemm=gemm)
    assert (checked.verdict, checked.split_k) == ("consistent", split_k)


def test_a_grid_that_no_swizzle_gives_is_a_contradiction():
    checked = check(CUTLASS.format("128x128_32x3"), (17, 1, 1), gemm=Gemm(m=2048, k=64, n=128))
    assert checked == LaunchCheck("contradiction", "grid 17x1x1, 16x1 tiles swizzled 1 wide")


XMMA = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize{}_stage3_ffma_{}kernel__5x_cublas"


@pytest.mark.parametrize(
    ("tile", "grid", "gemm", "split_k"),
    [  # all recorded on an H200
        ("64x128x8", (1, 32, 8), Gemm(m=64, k=4096, n=4096), 8),
        ("128x64x8", (8, 16, 1), Gemm(m=1024, k=1024, n=1024), 1),
        ("64x256x8", (1, 16, 8), Gemm(m=64, k=4096, n=4096), 8),
        ("32x32x8", (4, 4, 8), Gemm(m=128, k=8192, n=128, batch=8), 1),
        ("32x32x8", (4, 10, 8), Gemm(m=104, k=704, n=304, batch=1), 8),
    ],
)
def test_the_grid_of_xmma_tiles_rows_then_columns_and_its_z_is_the_split(tile, grid, gemm, split_k):
    checked = check(XMMA.format(tile, "execute_"), grid, gemm=gemm)
    assert (checked.verdict, checked.split_k) == ("consistent", split_k)


def test_the_kernel_of_xmma_that_sums_a_split_has_no_factor_of_its_own():
    name = XMMA.format("64x64x8", "execute_split_k_")
    checked = check(name, (8, 8, 2), gemm=Gemm(m=512, k=512, n=512))
    assert checked == LaunchCheck("consistent", "grid 8x8x2, 8x8 tiles", None)


def test_a_grid_of_xmma_that_its_tile_does_not_give_is_a_contradiction():
    checked = check(XMMA.format("128x64x8", ""), (16, 8, 1), gemm=Gemm(m=1024, k=1024, n=1024))
    assert checked == LaunchCheck("contradiction", "grid 16x8x1, 8x16 tiles")


def test_nobody_knows_the_rule_of_xmma_from_hopper_on():
    name = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x32_warpgroupsize1x1x1_kernel"
    checked = check(name, (10, 7, 1), gemm=Gemm(m=64, k=4096, n=4096))
    assert checked.verdict == "not checkable"


def test_the_stages_of_cutlass_hold_operands_not_results():
    name = "cutlass_80_tensorop_s16816gemm_bf16_64x64_64x6_nn_align8"  # recorded on an H200
    checked = check(
        name,
        (1, 1, 128),
        (128, 1, 1),
        shared_memory=98304,
        gemm=Gemm(m=32, k=262144, n=32),
    )
    assert (checked.verdict, checked.split_k) == ("consistent", 128)


def test_the_shared_memory_of_cutlass_holds_the_tiles_of_every_stage():
    name = CUTLASS.format("128x128_16x4")
    assert check(name, (128, 7, 1), shared_memory=65536) == LaunchCheck(
        "consistent", "65536 B of shared memory, the stages need 65536 B"
    )
    assert check(name, (128, 7, 1), shared_memory=49152).verdict == "contradiction"


def test_the_block_is_what_the_name_says():
    name = "void at::native::elementwise_kernel<128, 4, F>(int)"
    assert check(name, (8, 1, 1), (128, 1, 1)) == LaunchCheck(
        "consistent", "128 threads in a block, the name says 128"
    )
    assert check(name, (8, 1, 1), (256, 1, 1)).verdict == "contradiction"
    reduce = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(int)"
    assert check(reduce, (8, 1, 1), (32, 16, 1)).verdict == "consistent"
    assert check(reduce, (8, 1, 1), (1024, 1, 1)).verdict == "contradiction"


def test_a_persistent_kernel_was_compiled_for_a_number_of_multiprocessors():
    arguments = "0u, 4096u, 1024u, 1u, 256u, 128u, 128u, 128u, 128u, 128u, 3u, 128u, 256u, 2u"
    name = (
        f"void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, {arguments}, true, 132u, "
        "(deep_gemm::GemmType)0, deep_gemm::EpilogueIdentity>(int)"
    )
    assert check(name, (132, 1, 1)) == LaunchCheck(
        "consistent", "132 blocks, compiled for 132 multiprocessors"
    )


def test_most_names_say_nothing_of_their_launch():
    assert check("add_kernel", (1, 1, 1)) == LaunchCheck(
        "not checkable", "nothing in the launch follows from the name"
    )
    assert check("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", (1, 1, 1)).verdict == "not checkable"
