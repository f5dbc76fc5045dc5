"""TensorRT-LLM: kernels of its generator `trtllm-gen`, also shipped by FlashInfer, and its own."""

from tracelens.analyze.names.decoder import INFERRED, Family, Fields, Template, Words

_TYPE = r"(?:Mx)?(?:E[0-9]m[0-9]|Bfloat16|Fp16|Fp32|Int4|Int8)"


def _derive_attention(fields: Fields) -> Fields:
    derived: Fields = {"arch": f"sm{fields['arch']}"}
    if "head_dim_qk" in fields:
        derived["head_dim"] = fields["head_dim_qk"]
    return derived


ATTENTION = Words(
    Family("trtllm_gen_fmha", "TensorRT-LLM", "attention", INFERRED),
    head=rf"fmhaSm(?P<arch>[0-9]{{2,3}})[af]?Kernel_"
    rf"(?:Qkv(?P<dtype>{_TYPE}) | Q(?P<dtype_Q>{_TYPE})Kv(?P<dtype_KV>{_TYPE})"
    rf"| Qk(?P<dtype_QK>{_TYPE})V(?P<dtype_V>{_TYPE})) O(?P<dtype_out>{_TYPE})",
    words=r"""
          HQk(?P<head_dim_qk>%)HV(?P<head_dim_v>%)
        | HVPerCta(?P<head_dim_v_per_cta>%)
        | H(?P<head_dim>%)
        | (?P<kv_layout>PackedQkv|ContiguousKv|PagedKv|SeparateQkv)
        | (?P<sparsity>StaticTokenSparse)
        | (?P<mask>Dense|Causal|SlidingOrChunkedCausal|Custom)
        | P(?P<page_size>%)
        | (?P<multi_cta_kv_flag>MultiCtasKv)
        | (?P<variable_length_flag>VarSeq)
        | Q(?P<tile_M>%)Kv(?P<tile_N>%)
        | (?P<scheduler>Persistent|Static)
        | (?P<phase>Context|SwapsAbForGen|KeepsAbForGen)
    """,
    derive=_derive_attention,
    camel=True,
)


def _derive_gemm(fields: Fields) -> Fields:
    derived: Fields = {}
    if "layout_letters" in fields:
        derived["layout"] = str(fields.pop("layout_letters")).lower()
    return derived


GEMM = Words(
    Family("trtllm_gen_gemm", "TensorRT-LLM", "gemm", INFERRED),
    head=rf"(?:bmm|gemm|Bmm|Gemm)_(?P<dtype_out>{_TYPE})_(?P<dtype>{_TYPE})(?P<dtype_B>{_TYPE})?"
    r"(?=_)",
    words=r"""
          t(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%) (?:u(?P<unroll>%))?
        | s(?P<stages>%)
        | et(?P<epilogue_tile>%x%)
        | m(?P<mma>%x%x%)
        | (?:cga|c)(?P<cluster>%x%x%)
        | (?P<dtype_acc>Fp32|Fp16)
        | splitK(?P<split_k>%)
        | (?P<layout_letters>[NT]{2})
        | (?P<epilogue>swiGlu|relu2)
        | (?P<arch>sm[0-9]{2,3}) [af]?
    """,
    derive=_derive_gemm,
)

OTHER = Template(
    Family("tensorrt_llm", "TensorRT-LLM", "other", INFERRED), r"(?:tensorrt_llm|moe::dev)::.*"
)
