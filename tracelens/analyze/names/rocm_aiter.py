"""AITER: AMD's kernels for inference, templates and assembler."""

from __future__ import annotations

from tracelens.analyze.names.decoder import INFERRED, Family, Template, Words, first_of

DECODER = first_of(
    Words(
        Family("aiter", "AITER", "attention", INFERRED),
        head=r"aiter::fmha_(?P<direction>fwd|bwd)",
        words=r"""
              hd(?P<head_dim>%)(?:x(?P<head_dim_v>%))?
            | (?P<dtype>bf16|fp16|fp8)
            | (?P<rounding>rtz|rtne|rtna)
            | (?P<causal_flag>causal)
            | (?P<grouped_flag>group)
        """,
    ),
    Words(
        Family("aiter", "AITER", "attention", INFERRED),
        head=r"aiter::(?P<op>mla|pa)_",
        words=r"(?P<dtype>bf16|fp16|fp8)",
    ),
    Words(
        Family("aiter", "AITER", "gemm", INFERRED),
        head=r"aiter::(?P<op>\w{0,16}?gemm|fmoe) (?=_)",
        words=r"(?P<tile_M>%)x(?P<tile_N>%) | (?P<layout>[nt]{2}) | (?P<split_k_flag>splitk)",
    ),
    Template(
        Family("aiter", "AITER", "other", INFERRED),
        r"aiter::(?=\w*(?:norm|quant))\w+",
        ("dtype:dtype dtype_out:dtype threads:int elements_per_thread:int", "dtype:dtype"),
    ),
    Template(
        Family("aiter", "AITER", "normalization", INFERRED),
        r"groupnorm_kernel_dispatch\w*",
        ("dtype:dtype threads:int",),
    ),
    Template(Family("aiter", "AITER", "other", INFERRED), r"aiter::.*", ("dtype:dtype",)),
)
