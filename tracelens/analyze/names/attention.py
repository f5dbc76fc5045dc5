"""Attention: FlashAttention 2 and 3, and PyTorch's memory-efficient one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracelens.analyze.names.cutlass import name_tile, read_shape
from tracelens.analyze.names.cxx import arguments_of, last_identifier, read_boolean, read_integer
from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    INFERRED,
    Family,
    Fields,
    Spelling,
    Words,
    read_arguments,
)
from tracelens.analyze.names.dtypes import read_dtype
from tracelens.model.kernel_name import KernelName

_FLASH_2 = Family("flash_attention2", "FlashAttention", "attention", DOCUMENTED)
_FLASH_3 = Family("flash_attention3", "FlashAttention", "attention", DOCUMENTED)
_FLASH_3_HELPER = Family("flash_attention3", "FlashAttention", "auxiliary", DOCUMENTED)

_COMBINE = "flash_fwd_splitkv_combine_kernel"

_FIRST_BOOLEANS = {
    "flash_fwd_kernel": ("dropout", "causal"),
    "flash_fwd_splitkv_kernel": ("causal", "local"),
    "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel": ("dropout", "causal"),
}
"""What follows the traits in every release. What comes after these was reordered and added to."""

_MAINLOOP = re.compile(r"CollectiveMainloop(?:Fwd|Bwd)Sm[0-9]{2}(?=<)")
_FORWARD = "CollectiveMainloopFwdSm90"
_MAINLOOPS: dict[str, tuple[str, ...]] = {
    _FORWARD: ("stages", "cluster", "tile", "head_dim_v", "element"),
    "CollectiveMainloopBwdSm90": ("stages", "", "", "cluster", "tile", "element"),
    "CollectiveMainloopFwdSm80": ("warps", "stages", "", "tile", "head_dim_v", "element"),
    "CollectiveMainloopBwdSm80": ("stages", "", "tile", "element"),
}
"""The first template arguments of FlashAttention 3's loops: in the backward pass the stages are
those of the queries, then of the gradients."""

_MAINLOOP_BOOLEANS = (
    *("causal", "local", "softcap", "varlen", "paged_kv_non_tma", "append_kv", "has_qv"),
    *("mma_pv_rs", "intra_warpgroup_overlap", "pack_gqa", "split", "v_column_major"),
)
"""Of FlashAttention 3's own mainloop, in order. Forks add one, no one says where."""


def decode_flash_2(spelling: Spelling) -> KernelName | None:
    """Read `flash::flash_fwd_kernel<Flash_fwd_kernel_traits<head, M, N, warps, ...>, ...>`."""
    function = last_identifier(spelling.signature.path) or ""
    if not function.startswith(("flash_fwd_", "flash_bwd_")):
        return None
    fields: Fields = {}
    traits = arguments_of(spelling.text, "_kernel_traits")
    sizes = [read_integer(a) for a in traits[:4]]
    for name, size in zip(("head_dim", "tile_M", "tile_N", "warps"), sizes, strict=False):
        if size is not None:
            fields[name] = size
    if function == _COMBINE:  # the traits are the split kernel's, its own tile stands behind them
        fields.pop("tile_N", None)
        fields |= read_arguments(spelling.signature.arguments, "_ tile_M:int")
    if dtype := next((d for a in traits[4:] if (d := read_dtype(a))), None):
        fields["dtype"] = dtype
    flags = [read_boolean(a) for a in spelling.signature.arguments[1:]]
    fields |= _name_flags(_FIRST_BOOLEANS.get(function, ()), flags)
    return _FLASH_2.reading(spelling, fields)


def decode_flash_3(spelling: Spelling) -> KernelName | None:
    """Read `FlashAttnFwdSm90<CollectiveMainloopFwdSm90<stages, cluster, tile, ...>, ...>`.

    The backward pass has three numbers of stages; before Hopper there is no cluster.
    """
    path, text = spelling.signature.path, spelling.text
    if path.startswith(("flash::prepare_varlen", "flash::FlashAttnFwdCombine")):
        return _FLASH_3_HELPER.reading(spelling, {})
    if path != "cutlass::device_kernel" or "flash::FlashAttn" not in text:
        return None
    if "FlashAttnFwdCombine" in text:
        return _FLASH_3_HELPER.reading(spelling, {})
    mainloop = _MAINLOOP.search(text)
    return _FLASH_3.reading(spelling, _read_mainloop(mainloop[0], text) if mainloop else {})


def _read_mainloop(mainloop: str, text: str) -> Fields:
    columns, arguments = _MAINLOOPS.get(mainloop, ()), arguments_of(text, mainloop)
    said = dict(zip(columns, arguments, strict=False))
    fields: Fields = {"arch": mainloop[-4:].lower()}
    fields |= name_tile(read_shape(said.get("tile", "")))
    if "tile_K" in fields:
        fields["head_dim"] = fields["tile_K"]
    for name in ("stages", "warps", "head_dim_v"):
        if (number := read_integer(said.get(name, ""))) is not None:
            fields[name] = number
    if len(extents := read_shape(said.get("cluster", ""))) == 3:
        fields["cluster"] = "x".join(map(str, extents))
    if dtype := read_dtype(said.get("element", "")):
        fields["dtype"] = dtype
    flags = [flag for a in arguments[len(columns) :] if (flag := read_boolean(a)) is not None]
    if mainloop == _FORWARD and len(flags) == len(_MAINLOOP_BOOLEANS):
        fields |= _name_flags(_MAINLOOP_BOOLEANS, flags)
    return fields


def _name_flags(names: tuple[str, ...], flags: Sequence[bool | None]) -> Fields:
    return {n: f for n, f in zip(names, flags, strict=False) if f is not None}


MEMORY_EFFICIENT = Words(
    Family("mem_eff_attention", "PyTorch", "attention", INFERRED),
    head=r"fmha_cutlass(?P<direction>[FB])_(?P<dtype>[a-z]+[0-9]+) (?=_)",
    words=r"""
          (?P<tile_M>%)x(?P<tile_N>%)
        | (?P<alignment>aligned|notaligned)
        | k(?P<largest_head_dim>%)
        | (?P<accumulator>rf|gmem)
        | (?P<dropout_flag>dropout)
        | (?P<sequence_aligned_flag>seqaligned)
        | (?P<arch>sm[0-9]{2,3})
    """,
)
