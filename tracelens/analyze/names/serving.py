"""Kernels of inference engines and training libraries, by their namespaces."""

from tracelens.analyze.names.decoder import INFERRED, Family, Template, Words, first_of

VLLM = first_of(
    Template(
        Family("vllm", "vLLM", "collective", INFERRED),
        r"vllm::cross_device_reduce_(?P<variant>[12]stage)",
        ("dtype:dtype ranks:int",),
    ),
    Template(
        Family("vllm", "vLLM", "attention", INFERRED),
        r"vllm::paged_attention_v[12]_kernel",
        (
            "dtype:dtype dtype_kv:dtype head_dim:int page_size:int threads:int",
            "dtype:dtype head_dim:int page_size:int threads:int",
        ),
    ),
    Template(
        Family("vllm", "vLLM", "reduction", INFERRED),
        r"vllm::paged_attention_v2_reduce_kernel",
        ("dtype:dtype head_dim:int threads:int partition:int",),
    ),
    Template(
        Family("vllm", "vLLM", "normalization", INFERRED),
        r"vllm::(?:\w+::)*(?=\w*norm)\w+",
        ("dtype:dtype vec_size:int", "dtype:dtype"),
    ),
    Template(
        Family("vllm", "vLLM", "other", INFERRED),
        r"vllm::.*|rotary_embedding_kernel|(?:marlin\w*::)?Marlin",
        ("dtype:dtype",),
    ),
)

_VLLM_ROCM = "vllm_rocm"
VLLM_ROCM = first_of(
    Words(
        Family(_VLLM_ROCM, "vLLM", "gemm", INFERRED),
        head=r"wvSpli?tK\w*?_(?P<dtype>hf|bf)_m(?P<shape_M>%) $",
        words=r"(?!)",
    ),
    Template(
        Family(_VLLM_ROCM, "vLLM", "gemm", INFERRED), r"wvSpli?tK\w*|LLGemm1\w*", ("dtype:dtype",)
    ),
    Template(
        Family(_VLLM_ROCM, "vLLM", "attention", INFERRED),
        r"paged_attention_ll4mi_QKV_\w+",
        (
            "dtype:dtype dtype_kv:dtype _ _ page_size:int head_dim:int threads:int",
            "_ dtype:dtype dtype_kv:dtype _ page_size:int head_dim:int threads:int",
        ),
    ),
    Template(
        Family(_VLLM_ROCM, "vLLM", "reduction", INFERRED),
        r"paged_attention_ll4mi_reduce_\w+",
        ("dtype:dtype dtype_out:dtype head_dim:int threads:int partition:int",),
    ),
)

SGLANG = first_of(
    Template(
        Family("sglang", "SGLang", "copy", INFERRED),
        r"store_kvcache",
        ("bytes_per_row:int split:int programmatic_launch:bool index_dtype:dtype",),
    ),
    Template(
        Family("sglang", "SGLang", "indexing", INFERRED),
        r"clamp_position_kernel|resolve_future_token_ids_kernel|create_flashinfer_kv_indices_triton"
        r"|write_req_to_token_pool_triton|compute_position_kernel|alloc_(?:extend|decode)_kernel",
    ),
    Template(
        Family("sglang", "SGLang", "other", INFERRED),
        r"(?:sgl_hip|sgl_kernel|sglang)::.*",
        ("dtype:dtype",),
    ),
)

FLASHINFER = first_of(
    Template(
        Family("flashinfer", "FlashInfer", "normalization", INFERRED),
        r"flashinfer::norm::\w+",
        ("vec_size:int dtype:dtype",),
    ),
    Template(
        Family("flashinfer", "FlashInfer", "other", INFERRED), r"flashinfer::.*", ("dtype:dtype",)
    ),
)

_FORWARD, _BACKWARD = "dtype:dtype _:dtype dtype_out:dtype", "dtype:dtype _:dtype _:dtype"
_PER_THREAD = "vecs_per_thread:int"

FBGEMM = first_of(
    Template(
        Family("fbgemm", "FBGEMM", "embedding", INFERRED),
        r"split_embedding_\w+",
        (
            f"{_FORWARD} _:bool _:dtype {_PER_THREAD} thread_group:int",
            f"{_FORWARD} _:dtype {_PER_THREAD}",
            f"{_BACKWARD} {_PER_THREAD} thread_group:int",
            f"{_BACKWARD} {_PER_THREAD}",
            "dtype:dtype",
        ),
    ),
    Template(
        Family("fbgemm", "FBGEMM", "embedding", INFERRED),
        r"bounds_check_indices_kernel\w*|linearize_index_kernel\w*",
        ("dtype:dtype",),
    ),
    Template(
        Family("fbgemm", "FBGEMM", "copy", INFERRED),
        r"permute_pooled_embs_kernel|recat_copy_async_kernel",
        ("dtype:dtype",),
    ),
    Template(Family("fbgemm", "FBGEMM", "other", INFERRED), r"fbgemm_gpu::.*", ("dtype:dtype",)),
)

TRANSFORMER_ENGINE = Template(
    Family("transformer_engine", "Transformer Engine", "other", INFERRED),
    r"transformer_engine::.*",
    ("dtype:dtype",),
)

CUTE_DSL = Template(Family("cute_dsl", "CuTe DSL", "other", INFERRED), r"kernel_cutlass_\w+")
