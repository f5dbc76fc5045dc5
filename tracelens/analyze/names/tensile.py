"""Tensile: the GEMMs of rocBLAS and hipBLASLt. A name is the solution's parameters, abbreviated.

`Cijk_Alik_Bljk`: the index written first is the contiguous one, and `l` runs over K, so `Alik` is
a transposed A. `MT` is the tile with its depth in K, `MI` the matrix instruction, `WG` the threads.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

from tracelens.analyze.names.decoder import DOCUMENTED, Family, Fields, Spelling, Words
from tracelens.model.kernel_name import KernelName

_ELEMENT = {
    "B": "bf16",
    "H": "fp16",
    "S": "fp32",
    "D": "fp64",
    "C": "complex64",
    "Z": "complex128",
    "F8": "fp8_e4m3",
    "B8": "fp8_e5m2",
    "I8": "int8",
    "4xi8": "int8",
    "I": "int32",
}
_TYPE = "(?:F8|B8|I8|4xi8|[BHSDCZI])"
_THREE = re.compile(f"({_TYPE})({_TYPE})?({_TYPE})(S|(?<=I)I)", re.ASCII)
_ONE = re.compile(f"({_TYPE})B?H?R?I?(?:Ic)?", re.ASCII)

_LAYOUTS = {"ilk": "n", "lik": "t", "ljk": "n", "jlk": "t", "likC": "c", "jlkC": "c"}


def _name_types(types: str, mixed: str | None) -> Fields:
    """`F8BS` is operands, result, computation; `SB` is fp32 and a flag, `HBH` fp16 and two.

    Where the operands differ, both are written: `F8B8BS`, or before the rest, `HF8_HHS`.
    """
    three = _THREE.fullmatch(types)
    if three is None:
        one = _ONE.fullmatch(types)
        return {} if one is None or mixed else {"dtype": _ELEMENT[one[1]]}
    first, second, result, computation = three.groups()
    if mixed and (operands := re.fullmatch(f"({_TYPE})({_TYPE})", mixed, re.ASCII)):
        first, second = operands.groups()
    fields: Fields = {
        "dtype": _ELEMENT[first],
        "dtype_out": _ELEMENT[result],
        "dtype_acc": _ELEMENT[computation],
    }
    return fields | ({"dtype_B": _ELEMENT[second]} if second else {})


def _derive(fields: Fields) -> Fields:
    a, b = (_LAYOUTS.get(str(fields.pop(side))) for side in "AB")
    derived = _name_types(str(fields.pop("types")), str(fields.pop("mixed", "")))
    if a and b:
        derived["layout"] = a + b
    if "gfx" in fields:
        derived["arch"] = f"gfx{fields.pop('gfx')}"
    if "workgroup" in fields:
        derived["threads"] = prod(int(n) for n in str(fields.pop("workgroup")).split("_"))
    return derived


_GEMM = Words(
    Family("tensile_hipblaslt", "hipBLASLt", "gemm", DOCUMENTED),
    head=r"(?:Custom_)?Cijk_A(?P<A>(?:ilk|lik)C?)_B(?P<B>(?:ljk|jlk)C?)_"
    rf"(?:(?P<mixed>{_TYPE}{_TYPE})_(?=[A-Z0-9]{{3}}_))? (?P<types>[A-Za-z0-9]{{1,10}}) (?=_)",
    words=r"""
          MT(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)
        | MI(?P<mma>%x%x%)(?:x%)?
        | (?:ISA|gfx)(?P<gfx>[0-9a-f]{3,4})
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


_SUM = Words(
    Family("tensile_hipblaslt", "hipBLASLt", "reduction", DOCUMENTED),
    head=r"Cijk_(?:D[a-z]{3}_)?(?=[A-Z0-9])(?=\w*_PostGSU)",
    words=r"(?P<split_k_flag>PostGSU)(?:%)? | VW(?P<vec_size>%)",  # the number is rounded up
    keep_unexplained=False,  # the types and the epilogue, as of the GEMM before it
)


def decode(spelling: Spelling) -> KernelName | None:
    """Read `Cijk_Alik_Bljk_..._MT128x192x64_...`, and what sums the parts of a split along K.

    hipBLASLt's GEMMs alone take `UserArgs`.
    """
    if summing := _SUM(spelling):
        return summing
    read = _GEMM(spelling)
    if read is None or "_UserArgs_" in spelling.flat:
        return read
    return replace(read, library="rocBLAS")
