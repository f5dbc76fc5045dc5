"""DeepGEMM: every template argument counts, and the list changed with nearly every release."""

from __future__ import annotations

import re
from dataclasses import replace

from tracelens.analyze.names.cxx import last_identifier
from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    Family,
    Spelling,
    read_arguments,
)
from tracelens.model.kernel_name import Field, KernelName

_FAMILY = Family("deep_gemm", "DeepGEMM", "other", DOCUMENTED)
_ARCH = re.compile(r"(sm[0-9]{2,3})_", re.ASCII)

_MOST_STAGES = 32
"""More do not fit into shared memory: then the order of the arguments is another release's."""

_SHAPE = "shape_M:int shape_N:int shape_K:int"
_TILE = "tile_M:int tile_N:int tile_K:int"
_GROUPED = f"{_SHAPE} groups:int {_TILE}"
_TILED = f"{_SHAPE} {_TILE} groups:int"

_VERSIONS: dict[tuple[str, int], str] = {
    ("sm90_fp8_gemm_1d2d_impl", 15): f"{_GROUPED} _ stages:int",
    ("sm90_fp8_gemm_1d2d_impl", 16): f"{_GROUPED} _ stages:int",
    ("sm90_fp8_gemm_1d2d_impl", 17): f"{_GROUPED} _ stages:int",
    ("sm90_fp8_gemm_1d2d_impl", 19): f"_ {_GROUPED} _ _ _ stages:int _ _ multicast:int _ sms:int",
    ("sm90_fp8_gemm_1d2d_impl", 20): f"_ {_GROUPED} _ _ _ stages:int",
    ("sm90_fp8_gemm_1d1d_impl", 17): f"{_GROUPED} _ _ stages:int _ _ multicast:int _ sms:int",
    ("sm90_bf16_gemm_impl", 18): f"_ _ {_GROUPED} _ stages:int _ _ _ multicast:int _ sms:int",
    ("sm90_bf16_gemm_impl", 21): f"_ _ {_GROUPED} _ _ _ stages:int _ _ multicast:int _ sms:int",
    ("sm100_fp8_gemm_1d1d_impl", 22): f"_ _ {_TILED} _ _ _ stages:int",
    ("sm100_fp8_gemm_1d1d_impl", 26): f"_ _ _ _ {_TILED} _ _ _ stages:int",
    ("sm100_fp8_fp4_gemm_1d1d_impl", 27): f"_ _ _ _ {_TILED} _ _ _ stages:int",
    ("sm100_fp8_fp4_gemm_1d1d_impl", 28): f"_ _ _ _ {_TILED} _ _ _ stages:int",
    ("sm100_fp8_gemm_1d2d_impl", 20): f"_ _ {_TILED} _ _ _ stages:int",
    ("sm100_bf16_gemm_impl", 23): f"_ _ {_TILED} _ _ _ stages:int",
    ("sm100_bf16_gemm_impl", 25): f"_ _ {_TILED} _ _ _ stages:int",
    (
        "sm90_tf32_hc_prenorm_gemm_impl",
        10,
    ): f"shape_N:int shape_K:int {_TILE} split_k:int _ stages:int",
    ("fp8_gemm_kernel", 11): f"shape_N:int shape_K:int {_TILE} groups:int stages:int",
    ("fp8_gemm_kernel", 12): f"shape_N:int shape_K:int {_TILE} groups:int stages:int",
    ("fp8_gemm_kernel", 14): f"shape_N:int shape_K:int {_TILE} _ _ groups:int stages:int",
    ("fp8_gemm_kernel_swapAB", 12): f"shape_M:int shape_K:int {_TILE} groups:int stages:int",
}
"""The releases whose source was read, by function and number of arguments."""


def decode(spelling: Spelling) -> KernelName | None:
    """Read `deep_gemm::sm90_fp8_gemm_1d2d_impl<...>`; a shape of 0 is not fixed at compile time."""
    if not spelling.signature.path.startswith("deep_gemm::"):
        return None
    function = last_identifier(spelling.signature.path) or ""
    arguments = spelling.signature.arguments
    version = _VERSIONS.get((function, len(arguments)), "")
    fields = read_arguments(arguments, version)
    stages = fields.get("stages")
    if isinstance(stages, int) and not 0 < stages <= _MOST_STAGES:
        fields = {}
    if arch := _ARCH.match(function):
        fields["arch"] = arch[1]
    for shape in ("shape_M", "shape_N", "shape_K"):
        if fields.get(shape) == 0:
            del fields[shape]
    read = _FAMILY.reading(spelling, fields)
    if arguments and "tile_M" not in fields:
        unread = Field(f"{len(arguments)} in an unknown order", "unknown")
        return replace(read, fields={**read.fields, "template_arguments": unread})
    return read
