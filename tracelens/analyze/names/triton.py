"""Triton kernels that well-known libraries ship, by the names of their functions.

A name says nothing of num_warps, num_stages or constexprs: those are in the compiled kernel.
"""

from __future__ import annotations

from tracelens.analyze.names.decoder import (
    INFERRED,
    Family,
    Fields,
    Template,
    Words,
    first_of,
)

_MATMUL_WORDS = r"""
      (?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)x(?P<split_k>%)
    | (?P<dtype_out>[a-z0-9]+?)x(?P<dtype>(?:bf|fp|mxfp)[0-9a-z]+?)x(?P<dtype_B>[a-z0-9]+)
    | (?P<epilogue>swiglu|gelu|relu)
"""


def _derive_matmul(fields: Fields) -> Fields:
    return {"layout": str(fields.pop("layout_letters")).lower()}


TRITON_KERNELS = first_of(
    Words(
        Family("triton_kernels", "triton_kernels", "gemm", INFERRED),
        head=r"(?P<persistent_flag>_p)?_matmul_ogs_(?P<layout_letters>[NT]{3}) (?=_)",
        words=_MATMUL_WORDS,
        derive=_derive_matmul,
    ),
    Template(
        Family("triton_kernels", "triton_kernels", "routing", INFERRED),
        r"_topk_(?:forward|backward)|_sum_bitmatrix_rows|_routing_compute\w*|_combined_routing\w*"
        r"|_compute_writeback_idx|_expt_data_\w+|_matmul_metadata\w*|_finalize_scatter"
        r"|_reduce_grouped|_swiglu",
    ),
)

VLLM = first_of(
    Template(
        Family("triton_vllm", "vLLM", "attention", INFERRED),
        r"kernel_unified_attention_(?P<variant>2d|3d)|kernel_paged_attention_2d"
        r"|_fwd_\w*kernel_stage[12]",
    ),
    Template(Family("triton_vllm", "vLLM", "reduction", INFERRED), r"reduce_segments"),
    Template(Family("triton_vllm", "vLLM", "gemm", INFERRED), r"fused_moe_kernel\w*|_w8a8_\w+"),
    Template(Family("triton_vllm", "vLLM", "copy", INFERRED), r"_copy_page_indices_kernel"),
)

ATTENTION = Template(
    Family("triton_attention", "Triton", "attention", INFERRED),
    r"attn_fwd|attn_bwd|bwd_kernel_d[kq]\w*|sage_fwd\w*|_sage_fwd\w*|_attn_fwd\w*|_attn_bwd\w*",
)

FLAG_GEMS = Template(
    Family("flag_gems", "FlagGems", "elementwise", INFERRED),
    r"(?P<op>\w+)_kernel_rank_(?P<rank>[0-9]{1,2})",
)

LIGER = first_of(
    Template(
        Family("liger", "Liger", "normalization", INFERRED),
        r"_(?:rms_norm|layer_norm|group_norm)_(?:forward|backward)_kernel(?:_no_tiling)?",
    ),
    Template(
        Family("liger", "Liger", "elementwise", INFERRED),
        r"_(?:swiglu|geglu_tanh)_(?:forward|backward)_kernel",
    ),
    Template(Family("liger", "Liger", "reduction", INFERRED), r"liger_cross_entropy_kernel"),
)
