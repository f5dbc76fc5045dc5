"""Tensile: the GEMMs of rocBLAS and hipBLASLt. A name is the solution's parameters, abbreviated.

`Cijk_Alik_Bljk`: the index written first is the contiguous one, and `l` runs over K, so `Alik` is
a transposed A. `MT` is the tile with its depth in K, `MI` the matrix instruction, `WG` the threads.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tracelens.analyze.names.decoder import DOCUMENTED, Family, Fields, Spelling, Words
from tracelens.model.kernel_name import KernelName

_ELEMENT = {"B": "bf16", "H": "fp16", "S": "fp32", "D": "fp64"}


def _derive(fields: Fields) -> Fields:
    derived: Fields = {
        "layout": ("n" if fields.pop("A") == "ilk" else "t")
        + ("n" if fields.pop("B") == "ljk" else "t"),
    }
    types = str(fields.pop("types"))
    if len(types) == 3 and set(types) <= _ELEMENT.keys():  # operands, result, computation
        names = ("dtype", "dtype_out", "dtype_acc")
        derived |= {name: _ELEMENT[letter] for name, letter in zip(names, types, strict=True)}
    if "gfx" in fields:
        derived["arch"] = f"gfx{fields.pop('gfx')}"
    if "workgroup" in fields:
        derived["threads"] = prod(int(n) for n in str(fields.pop("workgroup")).split("_"))
    return derived


_GEMM = Words(
    Family("tensile_hipblaslt", "hipBLASLt", "gemm", DOCUMENTED),
    head=r"(?:Custom_)?Cijk_A(?P<A>ilk|lik)_B(?P<B>ljk|jlk)_(?P<types>[A-Z0-9]{1,5}) (?=_)",
    words=r"""
          MT(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)
        | MI(?P<mma>%x%x%)(?:x%)?
        | ISA(?P<gfx>[0-9a-f]{3,4})
        | WG(?P<workgroup>%_%_%)
        | WS(?P<wave_size>%)
        | GSU(?P<split_k>%)
        | SK(?P<stream_k>%)
        | PGR(?P<prefetch_global>%)
        | PLR(?P<prefetch_local>%)
        | GRVWA(?P<vec_size_A>%) | GRVWB(?P<vec_size_B>%)
        | (?P<bias_flag>Bias)
    """,
    derive=_derive,
    keep_unexplained=False,  # a hundred more parameters, documented and of no use in a table
)


def decode(spelling: Spelling) -> KernelName | None:
    """Read `Cijk_Alik_Bljk_..._MT128x192x64_...`. hipBLASLt's kernels alone take `UserArgs`."""
    read = _GEMM(spelling)
    if read is None or "_UserArgs_" in spelling.flat:
        return read
    return replace(read, library="rocBLAS")
