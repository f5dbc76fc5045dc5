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


@pytest.mark.parametrize(
    "arguments",
    [
        "int, int, float, float, float, float, 128, 16, 4, 4, false",
        "int, int, float, float, float, int=128, int=4, int=4, int=4, int=11",
        "float, float, float, 128, 16, 2, 4, false",
    ],
)
def test_a_product_with_a_vector_states_its_threads_behind_the_types(arguments):
    name = f"void gemv2N_kernel<{arguments}, cublasGemvParams<float> >(float)"
    assert fields_of(name) == {"dtype": "fp32", "threads": 128}


def test_an_integer_gemm_of_turing_has_its_instruction_too():
    read = fields_of("turing_int8_i8816gemm_int8_128x128_ldg16_stages_64x1_tn")
    assert (read["mma"], read["dtype_acc"]) == ("8x8x16", "int32")


def test_a_convolution_of_cudnn_says_which_card_it_was_written_for():
    assert fields_of(
        "cudnn_infer_turing_fp16_h1688cudnn_fp16_256x64_ldg8_relu_small_nhwc_tn_v1"
    ) == {
        "generation": "turing",
        "dtype": "fp16",
        "math": "h1688",
        "dtype_out": "fp16",
        "tile_M": 256,
        "tile_N": 64,
        "load_elements": 8,
        "epilogue": "relu",
        "size_class": "small",
        "tensor_layout": "nhwc",
        "layout": "tn",
        "version": 1,
        "arch": "sm75",
        "dtype_acc": "fp16",
        "mma": "16x8x8",
    }


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("void conv2d_grouped_direct_kernel<false, true>(int)", "convolution"),
        ("void conv2d_c1_k1_nhwc_kernel_specialized<__half>(int)", "convolution"),
        ("void wgrad2d_grouped_direct_kernel<float>(int)", "convolution"),
        ("void implicit_convolveNd_sgemm<float, 3>(int)", "convolution"),
        ("void nhwcAddPaddingKernel<__half>(int)", "other"),
        ("void op_generic_tensor_kernel<2, float>(int)", "other"),
        ("void LSTM_elementWise_fp<float>(int)", "other"),
        ("void xmma_new::gemm::kernel<int>(int)", "gemm"),
    ],
)
def test_kernels_of_cudnn_without_its_namespace_are_known_by_their_names(name, role):
    assert kind_of(name) == ("cudnn", "cuDNN", role, "inferred")


def test_tensorrts_generator_makes_convolutions_too():
    name = "sm86_xmma_fprop_implicit_gemm_i8i8_i8i32_f32_tilesize96x64x64_stage3_execute_kernel_trt"
    assert kind_of(name) == ("xmma_tensorrt", "TensorRT", "convolution", "inferred")
    gemm = "sm80_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize64x64x64_stage3_fused_trt"
    assert kind_of(gemm) == ("xmma_tensorrt", "TensorRT", "gemm", "inferred")
