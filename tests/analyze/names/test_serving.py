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
