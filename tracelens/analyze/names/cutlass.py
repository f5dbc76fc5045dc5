"""CUTLASS: the names of its profiler's guide, inside cuBLAS and out, and its bare templates."""

from __future__ import annotations

import re
from dataclasses import replace

from tracelens.analyze.names.cublas import name_math
from tracelens.analyze.names.cxx import arguments_of, parse_signature, read_integer
from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    INFERRED,
    Family,
    Fields,
    Spelling,
    Words,
    first_of,
)
from tracelens.analyze.names.dtypes import read_dtype
from tracelens.analyze.names.roles import read_role
from tracelens.model.kernel_name import KernelName

_TYPE = r"(?:u?e[0-9]m[0-9]|[a-z]{1,2}[0-9]{1,2})"
_EPILOGUE = r"(?P<epilogue>(?:bias_[a-z]+[0-9]+(?:_relu|_gelu)?)|relu|gelu)"

_TILE_2 = rf"""
      (?P<tile_M>%)x(?P<tile_N>%) (?:_sliced(?P<sliced>%x%))? (?:_(?P<tile_K>%)x(?P<stages>%))?
    | (?P<layout>[ntch]{{2}})
    | (?P<tensor_layout>nhwc|nchw|ndhwc)
    | align(?P<align>%)
    | {_EPILOGUE}
    | (?P<split_k_flag>splitk|split_k)
    | (?P<dtype>{_TYPE})
"""


def _derive_2(fields: Fields) -> Fields:
    """Add what follows: the types are the output's before `gemm` and the operands' behind it.

    A type that is the accumulator's is left out (`extended_name` in CUTLASS's gemm_operation.py).
    """
    derived = name_math(fields)
    if "arch" in fields:
        derived["arch"] = f"sm{fields['arch']}"
    accumulator = derived.get("dtype_acc")
    if "dtype" in fields and "dtype_out" not in fields and accumulator is not None:
        derived["dtype_out"] = accumulator
    elif "dtype_out" in fields and "dtype" not in fields:
        derived["dtype"] = fields["dtype_out"]
    return derived


_MATH_2 = (
    rf"(?P<operator>(?:wmma_)?tensorop|simt)_ (?:(?P<dtype_out>{_TYPE}|tf32)_)?"
    r"(?P<math>[a-z]{1,2}[0-9]{0,6}) (?:tf32|bf16|f16)? gemm"
)

GEMM_2 = first_of(
    Words(
        Family("cutlass2_via_cublas", "cuBLAS", "gemm", DOCUMENTED),
        head=rf"cutlass_(?P<arch>[0-9]{{2,3}})_ {_MATH_2}",
        words=_TILE_2,
        derive=_derive_2,
    ),
    Words(  # as CUTLASS's own library names them
        Family("cutlass2", "CUTLASS", "gemm", DOCUMENTED),
        head=rf"cutlass_ {_MATH_2} (?=_)",
        words=_TILE_2,
        derive=_derive_2,
    ),
)

CONVOLUTION_2 = Words(
    Family("cutlass_cudnn", "cuDNN", "convolution", INFERRED),
    head=r"cutlass_(?:[0-9]{2,3}_)? (?P<operator>(?:wmma_)?tensorop|simt)_ (?:[a-z]+[0-9]+_)?"
    r"(?P<math>[a-z]{1,2}[0-9]{0,6}) (?P<direction>fprop|dgrad|wgrad) (?:[123]d)? (?=_)",
    words=r"(?P<iterator>optimized|analytic|few_channels|fixed_channels)"
    r"|(?P<stride>unity_stride)|" + _TILE_2,
    derive=name_math,
)

_GEMM_3 = Words(
    Family("cutlass3", "CUTLASS", "gemm", DOCUMENTED),
    head=r"cutlass3x_(?P<arch>sm[0-9]{2,3})_ (?P<operator>[a-z]*tensorop|simt)_"
    r"(?P<math>[a-z]{0,3}?) (?P<mma>%x%x%)? (?:[a-z]{1,2}[0-9]{1,2})? (?P<sparse_flag>sp)? gemm"
    r"(?=_)",
    words=rf"""
          (?:(?P<scale_A>%x%{_TYPE})x)? (?P<dtype>{_TYPE}(?:x{_TYPE})?)
          _(?:(?P<scale_B>%x%{_TYPE})x)? (?P<dtype_B>{_TYPE}(?:x{_TYPE})?)
          _(?P<dtype_acc>{_TYPE})
          _(?P<dtype_C>{_TYPE}|void)_(?P<dtype_out>{_TYPE}|void)
          _(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%) (?:_(?P<cluster>%x%x%))? _(?P<stages>%)
        | (?P<layout>[ntch]{{2}}[nt])
        | (?P<stream_k_flag>stream_k)
        | align(?P<align>%)
        | (?P<schedule>warpspecialized(?:_pingpong|_cooperative)?)
        | (?P<fast_accumulation_flag>fp8_fastaccum)
        | (?P<epilogue_schedule>epi_[a-z]+)
        | (?P<mma_sms>[12])sm
        | (?P<block_scaled_flag>block_scaled)
        | {_EPILOGUE}
    """,
    derive=lambda fields: {"stages": "auto"} if fields.get("stages") == 0 else {},
)


def decode_gemm_3(spelling: Spelling) -> KernelName | None:
    """Read a CUTLASS 3 name. cuBLAS's own builds end in an epilogue `bias_<type>_relu`."""
    read = _GEMM_3(spelling)
    if read is not None and str(read.value("epilogue")).startswith("bias_"):
        return replace(read, family="cutlass3_via_cublas", library="cuBLAS")
    return read


_WRAPPER = re.compile(r"cutlass(?:_\w+)?::(?:Kernel2?|device_kernel)", re.ASCII)
_ROLE_WITHIN = 160
"""Characters of the first template argument that name the kernel's class."""

_CUDNN = Family("cutlass_cudnn", "cuDNN", "convolution", INFERRED)
_ARCH = re.compile(r"arch::Sm([0-9]{2,3})")
_EXTENT = re.compile(r"(?:cute::)?(?:C<(?:\(int\))?|_)([0-9]{1,9})>?", re.ASCII)
_NUMBER = re.compile(r"(?:\(int\))?([0-9]{1,9})", re.ASCII)


def decode_template(spelling: Spelling) -> KernelName | None:
    """Read a kernel that carries its whole CUTLASS type: `device_kernel<...CollectiveMma<...>>`."""
    path, text = spelling.signature.path, spelling.text
    if not _WRAPPER.fullmatch(path):
        return None
    if "cudnn" in path:
        return _CUDNN.reading(spelling, _read_threadblock(text))
    role = read_role("".join(spelling.signature.arguments[:1])[:_ROLE_WITHIN])
    role = "gemm" if role == "other" else role
    if "CollectiveMma<" in text or path.endswith("device_kernel"):
        family = Family("cutlass3", "CUTLASS", role, DOCUMENTED)
        return family.reading(spelling, _read_collective(text))
    family = Family("cutlass2", "CUTLASS", role, DOCUMENTED)
    return family.reading(spelling, _read_threadblock(text))


def read_shape(text: str) -> tuple[int, ...]:
    """Read `cute::tuple<cute::C<128>, cute::C<64> >` as its extents; () where one is not static."""
    extents = [_EXTENT.fullmatch(argument) for argument in arguments_of(text, "tuple")]
    return tuple(int(e[1]) for e in extents if e) if None not in extents else ()


def _read_collective(text: str) -> Fields:
    """`CollectiveMma<policy<stages, ..., cluster, ...>, tile, element A, stride A, ...>`."""
    arguments = arguments_of(text, "CollectiveMma")
    if len(arguments) < 3:
        return {}
    policy, tile, element = arguments[:3]
    fields: Fields = {}
    stages = [read_integer(a) for a in parse_signature(policy).arguments[:1]]
    if stages and stages[0] is not None:
        fields["stages"] = stages[0]
    if len(cluster := read_shape(policy)) == 3:
        fields["cluster"] = "x".join(map(str, cluster))
    fields |= name_tile(read_shape(tile))
    if dtype := read_dtype(element):
        fields["dtype"] = dtype
    return fields


def _read_threadblock(text: str) -> Fields:
    """The first GemmShape is the threadblock's; a multistage mainloop ends in its stages."""
    fields = name_tile(tuple(n for n in map(read_integer, arguments_of(text, "GemmShape")) if n))
    numbers = [_NUMBER.fullmatch(a) for a in arguments_of(text, "Multistage")]
    if stages := [int(n[1]) for n in numbers if n]:
        fields["stages"] = stages[-1]
    if arch := _ARCH.search(text):
        fields["arch"] = f"sm{arch[1]}"
    return fields


def name_tile(sizes: tuple[int, ...]) -> Fields:
    """Name the three sizes of a tile, M, N and K; any other number of sizes is no tile."""
    names = ("tile_M", "tile_N", "tile_K")
    return dict(zip(names, sizes, strict=True)) if len(sizes) == len(names) else {}
