import pytest

from tests.analyze.names.reading import fields_of, kind_of


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (
            "__nv_bfloat16, __nv_bfloat16, 128, 16, 128, (vllm::Fp8KVCacheDataType)0, false",
            {
                "dtype": "bf16",
                "dtype_kv": "bf16",
                "head_dim": 128,
                "page_size": 16,
                "threads": 128,
            },
        ),
        ("float, 64, 32, 128", {"dtype": "fp32", "head_dim": 64, "page_size": 32, "threads": 128}),
        ("float, mine::Policy", {}),
    ],
)
def test_paged_attention_states_its_page_in_the_order_of_two_releases(arguments, fields):
    name = f"void vllm::paged_attention_v1_kernel<{arguments}>(float*)"
    assert kind_of(name) == ("vllm", "vLLM", "attention", "inferred")
    assert fields_of(name) == fields


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("vllm::rms_norm_kernel<c10::BFloat16, 8>", {"dtype": "bf16", "vec_size": 8}),
        ("vllm::moe::moe_sum_kernel<c10::BFloat16, 8>", {"dtype": "bf16"}),
        ("marlin::Marlin<half, 32, 256>", {"dtype": "fp16"}),
        (
            "vllm::paged_attention_v2_reduce_kernel<__half, 128, 256, 512>",
            {"dtype": "fp16", "head_dim": 128, "threads": 256, "partition": 512},
        ),
        ("flashinfer::norm::RMSNormKernel<8u, __half>", {"vec_size": 8, "dtype": "fp16"}),
        ("flashinfer::RopeKernel<8u, __half>", {}),
        ("aiter::cross_device_reduce_1stage<__half, 8>", {"dtype": "fp16"}),
        (
            "aiter::add_rmsnorm_quant_kernel<__half, __half, 512, 32>",
            {"dtype": "fp16", "dtype_out": "fp16", "threads": 512, "elements_per_thread": 32},
        ),
    ],
)
def test_a_number_behind_a_type_means_what_its_function_says_and_else_nothing(name, fields):
    assert fields_of(f"void {name}(float*)") == fields


@pytest.mark.parametrize(
    ("name", "role", "fields"),
    [
        (
            "aiter::bf16gemm_fp32bf16_tn_64x32_splitk",
            "gemm",
            {
                "op": "bf16gemm",
                "layout": "tn",
                "tile_M": 64,
                "tile_N": 32,
                "split_k": True,
                "unexplained": ("fp32bf16",),
            },
        ),
        (
            "aiter::fmoe_g1u1_32x256",
            "gemm",
            {"op": "fmoe", "tile_M": 32, "tile_N": 256, "unexplained": ("g1u1",)},
        ),
        (
            "aiter::pa_bf16_gqa8",
            "attention",
            {"op": "pa", "dtype": "bf16", "unexplained": ("gqa8",)},
        ),
    ],
)
def test_aiters_assembler_kernels_state_their_tile(name, role, fields):
    assert kind_of(name) == ("aiter", "AITER", role, "inferred")
    assert fields_of(name) == fields


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (
            "codegen_forward_weighted_kernel<c10::Half, c10::Half, float, false, long, 2ul, 32ul>",
            {"dtype": "fp16", "dtype_out": "fp32", "vecs_per_thread": 2, "thread_group": 32},
        ),
        (
            "codegen_forward_unweighted_kernel<float, float, float, long, 5ul>",
            {"dtype": "fp32", "dtype_out": "fp32", "vecs_per_thread": 5},
        ),
        (
            "backward_codegen_sgd_weighted_kernel_warp_per_row_1<c10::Half, float, float, 2ul, 32>",
            {"dtype": "fp16", "vecs_per_thread": 2, "thread_group": 32},
        ),
        (
            "backward_codegen_sgd_weighted_kernel_cta_per_row_1<float, float, float, 1ul>",
            {"dtype": "fp32", "vecs_per_thread": 1},
        ),
        ("codegen_forward_kernel_of_tomorrow<float, 7>", {"dtype": "fp32"}),
    ],
)
def test_fbgemms_embeddings_state_the_vectors_and_the_group_of_a_thread(function, fields):
    name = f"void split_embedding_{function}(float*)"
    assert kind_of(name) == ("fbgemm", "FBGEMM", "embedding", "inferred")
    assert fields_of(name) == fields
