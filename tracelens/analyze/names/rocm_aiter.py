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
    Template(
        Family("aiter", "AITER", "other", INFERRED),
        r"aiter::.*|groupnorm_kernel_dispatch\w*",
        (
            "dtype:dtype dtype_out:dtype threads:int elements_per_thread:int",
            "dtype:dtype threads:int",
            "dtype:dtype",
        ),
    ),
)
