import pytest

from tests.analyze.names.reading import fields_of, kind_of


def test_an_assembler_gemm_gives_instruction_accumulator_tile_and_stages():
    assert fields_of(
        "turing_fp16_s1688gemm_fp16_64x128_sliced1x2_ldg8_relu_f2f_stages_64x2_nt"
    ) == {
        "generation": "turing",
        "dtype": "fp16",
        "math": "s1688",
        "dtype_out": "fp16",
        "tile_M": 64,
        "tile_N": 128,
        "sliced": "1x2",
        "load_elements": 8,
        "epilogue": "relu",
        "convert": "f2f",
        "tile_K": 64,
        "stages": 2,
        "layout": "nt",
        "dtype_acc": "fp32",
        "mma": "16x8x8",
        "arch": "sm75",
    }


def test_a_plain_fp32_gemm_states_tile_and_layout():
    assert fields_of("maxwell_sgemm_128x64_nn") == {
        "generation": "maxwell",
        "math": "s",
        "tile_M": 128,
        "tile_N": 64,
        "layout": "nn",
        "dtype_acc": "fp32",
        "arch": "sm50",
    }


def test_the_kernels_beside_a_gemm_have_their_own_families():
    assert kind_of("void gemv2T_kernel_val<int, int, float, cublasGemvParams<int> >(int)")[:3] == (
        "cublas_gemv",
        "cuBLAS",
        "gemv",
    )
    assert kind_of("void splitKreduce_kernel<float, float>(cublasSplitKParams<float>)")[:3] == (
        "cublasLt_aux",
        "cuBLASLt",
        "reduction",
    )
    name = "void dot_kernel<float, 128, 0, cublasDotParams<int> >(cublasDotParams<int>)"
    assert fields_of(name) == {"dtype": "fp32", "threads": 128}


def test_a_users_kernel_of_such_a_name_is_not_taken_for_nvidias():
    assert kind_of("void gemvz_kernel<16, 1>(float*)")[0] is None
    assert kind_of("void dot_kernel<float, 128>(float*)")[0] is None


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        (
            "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, "
            "cublasGemvTensorStridedBatched<float const> >(int)",
            {"dtype": "fp32", "threads": 128},
        ),
        (
            "void gemmSN_NN_kernel<double, (int)256, (int)4, (int)2, (bool)1>(T1)",
            {"dtype": "fp64", "threads": 256},
        ),
        ("void gemmSN_TN_kernel_64addr", {}),
        ("void sgemm_largek_lds64<true, false, 6, 3, 4, 5, 2, 66>(float*)", {"math": "s"}),
        ("void magma_lds128_dgemm_kernel<true, 6, 4>(int)", {"math": "d"}),
    ],
)
def test_a_gemm_without_tensor_cores_states_its_type(name, fields):
    assert kind_of(name) == ("cublas_simt_gemm", "cuBLAS", "gemm", "inferred")
    assert fields_of(name) == fields


def test_what_else_cublas_runs_is_of_it_by_its_parameters_alone():
    name = "void trsm_left_kernel<float, 256, 4, false>({})"
    assert kind_of(name.format("cublasTrsmParams<float>")) == (
        "cublas",
        "cuBLAS",
        "other",
        "inferred",
    )
    assert kind_of(name.format("float*"))[0] is None
