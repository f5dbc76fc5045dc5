import pytest

from tracelens.analyze.names import decode
from tracelens.analyze.names.smells import smells

CUTLASS = "void cutlass::Kernel2<{0}>({0}::Params)"
FILL = "void at::native::vectorized_elementwise_kernel<2, at::native::FillFunctor<{}>, A>(int)"


def facts(name, compute_capability="9.0"):
    return [(s.tag, s.fact) for s in smells(decode(name), compute_capability=compute_capability)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            CUTLASS.format("cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1"),
            [
                (
                    "kernel/smell/alignment",
                    "align1: an operand's pointer or leading dimension is not aligned to 16 bytes",
                ),
                (
                    "kernel/smell/old-code",
                    "code for sm_75 runs on a card of compute capability 9.0",
                ),
            ],
        ),
        (
            "cutlass_80_simt_sgemm_64x64_8x5_nn_align1",
            [
                (
                    "kernel/smell/fp32-without-tensor-cores",
                    "an fp32 matrix product runs without tensor cores",
                )
            ],
        ),
        (
            "batched_transpose_32x32_half",
            [
                (
                    "kernel/smell/layout-copy",
                    "a copy changes the memory format between two kernels",
                )
            ],
        ),
        (
            FILL.format("float"),
            [("kernel/smell/narrow-access", "2 elements per access where 4 would fit")],
        ),
        (FILL.format("double"), []),
        (
            "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, A, "
            "4, at::native::memory::LoadWithCast<2> >(int)",
            [
                (
                    "kernel/smell/unrolled",
                    "a pointwise kernel runs unrolled: a type is converted on the way",
                )
            ],
        ),
        (
            "void at::native::distribution_elementwise_grid_stride_kernel<float, 4>(int)",
            [("kernel/smell/random", "random numbers are generated inside the timed window")],
        ),
        (
            "Memcpy HtoD (Pageable -> Device)",
            [("kernel/smell/copy", "a copy runs inside the timed window")],
        ),
        (
            "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)",
            [
                (
                    "kernel/smell/split-k-reduce",
                    "a matrix product is split along K and summed by a second kernel",
                )
            ],
        ),
        (
            "void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float>(int)",
            [
                (
                    "kernel/smell/layout-copy",
                    "a copy changes the memory format between two kernels",
                )
            ],
        ),
        (
            "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
            "at::native::direct_copy_kernel_cuda(int)::{lambda(float)#1}>(int)::{lambda(int)#1}>(x)",
            [("kernel/smell/copy", "a copy runs inside the timed window")],
        ),
        (
            "void gemmSN_TN_kernel<float, 128, 16>(int)",
            [
                (
                    "kernel/smell/fp32-without-tensor-cores",
                    "an fp32 matrix product runs without tensor cores",
                )
            ],
        ),
        ("void gemmSN_NN_kernel<double, 256, 4>(int)", []),
        ("void dgemm_largek_lds64<true, true, 6>(int)", []),
        ("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", []),
        (CUTLASS.format("cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4"), []),
    ],
)
def test_a_name_gives_itself_away(name, found):
    assert facts(name) == found


def test_what_depends_on_the_card_is_left_out_where_the_card_is_unknown():
    assert facts("volta_sgemm_128x64_nn", None) == []
    assert facts("volta_sgemm_128x64_nn", "7.0") == []
    assert [tag for tag, _ in facts("volta_sgemm_128x64_nn", "8.0")] == [
        "kernel/smell/old-code",
        "kernel/smell/fp32-without-tensor-cores",
    ]
