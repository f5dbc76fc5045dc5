"""Inductor: Triton kernels that torch.compile generated. A name lists the fused framework ops.

It holds no tile and no warps, not even for the templates: those are in the compiled kernel.
"""

from __future__ import annotations

import re

from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    INFERRED,
    Family,
    Fields,
    Spelling,
    Words,
)
from tracelens.model.kernel_name import KernelName, Role, Status

_CATEGORIES: dict[str, tuple[str, Role, Status]] = {
    "poi": ("pointwise", "fused", INFERRED),
    "red": ("reduction", "fused", INFERRED),
    "per": ("persistent reduction", "fused", INFERRED),
    "spl": ("split scan", "fused", INFERRED),
    "for": ("foreach", "fused", INFERRED),
    "tem": ("template", "gemm", DOCUMENTED),
    "unk": ("unknown", "fused", INFERRED),  # where Inductor itself does not tell
}
_INDUCTOR = re.compile(
    r"triton_([a-z]{3})_fused_(\w*?)_?([0-9]{1,6})(?:_(0[cde][0-9cde]{0,255}))?", re.ASCII
)

_JOINED_OPS = """
    _to_copy _unsafe_view _softmax_backward_data _log_softmax _log_softmax_backward_data
    _flash_attention _scaled_mm _fused_rms_norm _unsafe_index _unsafe_index_put
    _native_batch_norm_legit native_layer_norm native_layer_norm_backward native_group_norm
    native_batch_norm native_batch_norm_backward native_dropout native_dropout_backward batch_norm
    layer_norm rms_norm bitwise_and bitwise_or bitwise_xor bitwise_not logical_and logical_or
    logical_not constant_pad_nd reflection_pad2d empty_like zeros_like ones_like full_like rand_like
    new_zeros new_ones new_empty index_put index_select index_add index_copy masked_fill
    masked_scatter select_scatter slice_scatter select_backward slice_backward scatter_add
    embedding_dense_backward leaky_relu hardtanh_backward gelu_backward silu_backward tanh_backward
    sigmoid_backward threshold_backward max_pool2d_with_indices max_pool2d_with_indices_backward
    avg_pool2d convolution_backward cross_entropy nll_loss nll_loss_forward nll_loss_backward
    mse_loss mse_loss_backward binary_cross_entropy binary_cross_entropy_with_logits
    smooth_l1_loss huber_loss view_as_real view_as_complex grid_sampler_2d upsample_nearest2d
    upsample_bilinear2d pixel_shuffle convert_element_type prims_convert_element_type
    split_with_sizes scalar_tensor lift_fresh linalg_vector_norm var_mean std_mean floor_divide
    repeat_interleave moe_forward fmha_v3_fwd flex_attention flex_attention_backward
    scaled_dot_product_attention inductor_random inductor_seeds
""".split()  # noqa: SIM905  # a list of words reads better than a column of quotes
_OP_TREE = frozenset(tuple(op.removeprefix("_").split("_")) for op in _JOINED_OPS)
_MOST_WORDS = 256
_LONGEST_OP = max(len(op) for op in _OP_TREE)


def split_ops(joined: str) -> tuple[str, ...]:
    """Split `add_native_layer_norm__to_copy` into ops, which themselves hold underscores.

    Ops of more than one word are known by a list; any other word stands for itself.
    """
    words = joined.split("_", _MOST_WORDS)[:_MOST_WORDS]
    ops, at = [], 0
    while at < len(words):
        private = "_" if words[at] == "" else ""
        at += len(private)
        length = next(
            (n for n in range(_LONGEST_OP, 1, -1) if tuple(words[at : at + n]) in _OP_TREE), 1
        )
        if op := "_".join(words[at : at + length]):
            ops.append(private + op)
        at += length
    return tuple(ops)


def decode(spelling: Spelling) -> KernelName | None:
    """Read `triton_poi_fused_add_addmm_silu_21`: category, fused ops, index in its graph.

    An external op in a pointwise name, such as `addmm`, means its epilogue and not the GEMM.
    """
    name = _INDUCTOR.fullmatch(spelling.flat)
    if name is None or name[1] not in _CATEGORIES:
        return None
    category, role, status = _CATEGORIES[name[1]]
    fields: Fields = {"category": category, "index": int(name[3])}
    if name[4]:  # Triton before 3 appended what it knew of the arguments
        fields["specialization"] = name[4]
    if ops := split_ops(name[2]):
        fields["ops"] = ops
        if name[1] == "tem" and "attention" in name[2]:
            role = "attention"
    return Family("inductor", "Inductor", role, status).reading(spelling, fields)


OLD = Words(
    Family("triton_old_inductor", "Inductor", "fused", DOCUMENTED),
    head=r"triton__ (?P<specialization>[0-9][0-9cde]{0,255}) $",
    words=r"(?!)",
)
