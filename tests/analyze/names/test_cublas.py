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
