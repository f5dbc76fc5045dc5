import pytest

from tests.analyze.names.reading import fields_of, kind_of
from tracelens.analyze.names import decode
from tracelens.analyze.names.config import spell_config


def test_a_name_inside_cublas_is_read_wrapped_or_bare():
    bare = "cutlass_80_tensorop_i16832gemm_s8_128x64_128x3_tn_align16"
    wrapped = f"void cutlass::Kernel2<{bare}>({bare}::Params)"
    assert (
        fields_of(bare)
        == fields_of(wrapped)
        == {
            "arch": "sm80",
            "operator": "tensorop",
            "math": "i16832",
            "dtype": "int8",
            "dtype_out": "int32",
            "tile_M": 128,
            "tile_N": 64,
            "tile_K": 128,
            "stages": 3,
            "layout": "tn",
            "align": 16,
            "dtype_acc": "int32",
            "mma": "16x8x32",
        }
    )


def test_a_cutlass_3_name_gives_types_tile_cluster_and_schedule():
    name = (
        "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_void_bf16_128x256x64_2x1x1_4_tnn_align8"
        "_warpspecialized_cooperative_epi_tma"
    )
    assert fields_of(name) == {
        "arch": "sm90",
        "operator": "tensorop",
        "math": "s",
        "mma": "64x256x16",
        "dtype": "fp16",
        "dtype_B": "fp16",
        "dtype_acc": "fp32",
        "dtype_C": "void",
        "dtype_out": "bf16",
        "tile_M": 128,
        "tile_N": 256,
        "tile_K": 64,
        "cluster": "2x1x1",
        "stages": 4,
        "layout": "tnn",
        "align": 8,
        "schedule": "warpspecialized_cooperative",
        "epilogue_schedule": "epi_tma",
    }
    assert kind_of(name) == ("cutlass3", "CUTLASS", "gemm", "documented")


def test_the_epilogue_tells_cublas_own_builds_from_cutlass():
    name = (
        "cutlass3x_sm100_bstensorop_s256x128x64gemm_block_scaled_ue4m3xf4_ue4m3xf4_f32_f16_f16"
        "_256x128x256_0_tnn_align32_o_vs16_2sm_bias_f16_relu"
    )
    read = fields_of(name)
    assert kind_of(name)[:2] == ("cutlass3_via_cublas", "cuBLAS")
    assert (read["tile_M"], read["tile_N"], read["tile_K"], read["stages"]) == (
        256,
        128,
        256,
        "auto",
    )
    assert read["unexplained"] == ("o", "vs16")


def test_the_types_of_a_cutlass_3_kernel_hold_its_configuration():
    name = (
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
        "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmma"
        "WarpSpecialized<7, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >, "
        "cutlass::gemm::KernelTmaWarpSpecializedPingpong>, cute::tuple<cute::C<64>, cute::C<128>, "
        "cute::C<64> >, cutlass::bfloat16_t, cute::tuple<long, cute::C<1> > >, void> >(int)"
    )
    assert fields_of(name) == {
        "stages": 7,
        "cluster": "2x1x1",
        "tile_M": 64,
        "tile_N": 128,
        "tile_K": 64,
        "dtype": "bf16",
    }


def test_the_types_of_a_cutlass_2_kernel_hold_its_configuration():
    name = (
        "void cutlass::Kernel2<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::"
        "MmaMultistage<cutlass::gemm::GemmShape<128, 64, 32>, A, B, (cutlass::arch::Kind)0, C, D, "
        "(cutlass::arch::Kind)1, float, L, P, 4, (cutlass::gemm::SharedMemoryClearOption)0, "
        "bool>, cutlass::arch::Sm80> >(int)"
    )
    assert fields_of(name) == {
        "tile_M": 128,
        "tile_N": 64,
        "tile_K": 32,
        "stages": 4,
        "arch": "sm80",
    }


def test_a_convolution_inside_cudnn_is_no_gemm_of_cublas():
    name = "cutlass_tensorop_s1688wgrad_optimized_tf32_256x128_16x3_nhwc_align4"
    assert kind_of(f"void cutlass_cudnn_train::Kernel<{name}>({name}::Params)") == (
        "cutlass_cudnn",
        "cuDNN",
        "convolution",
        "inferred",
    )


def test_block_scales_of_blackwell_stand_before_the_types_and_hide_no_tile():
    read = fields_of(
        "cutlass3x_sm100_tensorop_gemm_64x128f32xe4m3_1x128f32xe4m3_f32_f16_f16_64x128x128_1x1x1_0"
        "_nnn_align16_1sm"
    )
    assert read == {
        "arch": "sm100",
        "operator": "tensorop",
        "scale_A": "64x128f32",
        "dtype": "fp8_e4m3",
        "scale_B": "1x128f32",
        "dtype_B": "fp8_e4m3",
        "dtype_acc": "fp32",
        "dtype_C": "fp16",
        "dtype_out": "fp16",
        "tile_M": 64,
        "tile_N": 128,
        "tile_K": 128,
        "cluster": "1x1x1",
        "stages": "auto",
        "layout": "nnn",
        "align": 16,
        "mma_sms": 1,
    }


@pytest.mark.parametrize(
    ("name", "config"),
    [
        (
            "cutlass3x_sm90_sptensorop_s64x128x32spgemm_f16_f16_f32_void_f16_128x128x128_1x2x1_0"
            "_tnt_align16_warpspecialized_cooperative_epi_tma",
            "tile 128x128x128 stages auto cluster 1x2x1 align 16 sparse",
        ),
        (
            "cutlass3x_sm100_tensorop_gemm_bf16_bf16_f32_void_bf16_256x256x64_2x2x1_0_ttn_align8"
            "_stream_k_2sm",
            "tile 256x256x64 stages auto cluster 2x2x1 align 8 stream-K",
        ),
    ],
)
def test_sparse_operands_and_stream_k_are_part_of_the_configuration(name, config):
    read = decode(name)
    assert (read.status, spell_config(read)) == ("documented", config)
    assert "unexplained" not in read.fields


def test_a_complex_gemm_states_conjugates_and_its_accumulator():
    read = fields_of("cutlass_80_tensorop_z884gemm_32x32_8x4_cn_align1")
    assert (read["layout"], read["dtype_acc"], "unexplained" in read) == (
        "cn",
        "complex128",
        False,
    )
    assert fields_of("cutlass_80_tensorop_c1688gemm_64x128_16x4_nh_align1")["layout"] == "nh"


def test_a_name_without_a_card_is_as_cutlass_itself_names_it():
    name = "cutlass_tensorop_f16_s16816gemm_f16_64x128_64x5_nt_align8"
    assert kind_of(name) == ("cutlass2", "CUTLASS", "gemm", "documented")
    assert fields_of(name) == {
        "operator": "tensorop",
        "dtype_out": "fp16",
        "math": "s16816",
        "dtype": "fp16",
        "tile_M": 64,
        "tile_N": 128,
        "tile_K": 64,
        "stages": 5,
        "layout": "nt",
        "align": 8,
        "dtype_acc": "fp32",
        "mma": "16x8x16",
    }


def test_a_sliced_tile_and_a_convolution_of_three_dimensions_keep_their_depth_and_stages():
    sliced = "cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_sliced1x2_64x6_tn_align8"
    assert spell_config(decode(sliced)) == "tile 64x64x64 stages 6 align 8 sliced 1x2"
    deep = "cutlass_tensorop_s16816fprop3d_optimized_f16_128x64_64x3_ndhwc_align8"
    assert kind_of(deep)[:3] == ("cutlass_cudnn", "cuDNN", "convolution")
    assert spell_config(decode(deep)) == "tile 128x64x64 stages 3 align 8"
