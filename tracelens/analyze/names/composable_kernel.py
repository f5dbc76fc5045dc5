"""Composable Kernel, the older `ck` and the newer `ck_tile`: AMD's counterpart of CUTLASS."""

from __future__ import annotations

import re

from tracelens.analyze.names.cutlass import name_tile
from tracelens.analyze.names.cxx import arguments_of, last_identifier, read_integer
from tracelens.analyze.names.decoder import INFERRED, Family, Fields, Spelling
from tracelens.analyze.names.roles import read_role
from tracelens.model.kernel_name import KernelName

_CK = Family("composable_kernel", "Composable Kernel", "other", INFERRED)

_TARGET = re.compile(r"(gfx[0-9a-f]{1,5})_t", re.ASCII)

_XDL = ("threads", "tile_M", "tile_N", "tile_K", "k1_A", "k1_B", "mma_M", "mma_N", "", "")
_XDL_K0 = ("threads", "tile_M", "tile_N", "k0", "mma_M", "mma_N", "k1", "", "")
_LAYOUTS: dict[int, tuple[str, ...]] = {9: _XDL_K0, 10: _XDL, 11: ("", *_XDL)}
"""What the numbers of a gridwise GEMM mean that stand before its first Sequence, by their count.

The kernels that split K into K0 and K1 state nine; where a count of prefetch stages comes first,
there are eleven.
"""


def decode_ck(spelling: Spelling) -> KernelName | None:
    """Read `ck::...::kernel_gemm_xdl<GridwiseGemm...<types, ..., block, M, N, K, ...>, ...>`."""
    path, arguments = spelling.signature.path, spelling.signature.arguments
    if not path.startswith("ck::"):
        return None
    gridwise = arguments[0] if arguments else ""
    numbers = _numbers_before_sequences(arguments_of(gridwise, gridwise.partition("<")[0]))
    said = dict(zip(_LAYOUTS.get(len(numbers), ()), numbers, strict=False))
    fields: Fields = {n: said[n] for n in ("threads", "tile_M", "tile_N", "tile_K") if n in said}
    if "k0" in said:
        fields["tile_K"] = said["k0"] * said["k1"]
    if "mma_M" in said:
        fields["mma"] = f"{said['mma_M']}x{said['mma_N']}"
    return _CK.reading(spelling, fields)


def _numbers_before_sequences(arguments: tuple[str, ...]) -> list[int]:
    numbers: list[int] = []
    for argument in arguments:
        if argument.startswith("ck::Sequence"):
            break
        if not argument.startswith("("):  # an enumerator
            number = read_integer(argument)
            numbers += [] if number is None else [number]
    return numbers


def decode_ck_tile(spelling: Spelling) -> KernelName | None:
    """Read `ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<...>, ...>`: the kernel is an argument.

    Newer releases put what it was compiled for in front, as `ck_tile::gfx950_t`.
    """
    if not spelling.signature.path.startswith("ck_tile::"):
        return None
    fields: Fields = {}
    named = (last_identifier(a.partition("<")[0]) for a in spelling.signature.arguments)
    kernels = [name for name in named if name and name != "void"]
    if kernels and (target := _TARGET.fullmatch(kernels[0])):
        fields["arch"] = target[1]
        kernels = kernels[1:]
    kernel = kernels[0] if kernels else None
    if kernel is not None:
        fields["op"] = kernel
    fields |= _read_tile_shape(spelling.text)
    role = read_role(kernel or "")
    return Family("ck_tile", "Composable Kernel", role, INFERRED).reading(spelling, fields)


def _read_tile_shape(text: str) -> Fields:
    """Read `Generic2dBlockShape<block tile, threads, vector>`, or a tile of a GEMM or attention.

    Each of the three is a `sequence`: of attention the tile is along queries, keys, and their head.
    """
    shape = _sequences(text, "Generic2dBlockShape")
    if [len(sizes) for sizes in shape] == [2, 2, 2]:
        (tile_m, tile_n), (threads_m, threads_n), (_, vector) = shape
        threads = threads_m * threads_n
        return {"tile_M": tile_m, "tile_N": tile_n, "vec_size": vector, "threads": threads}
    tile = [*_sequences(text, "TileGemmShape"), *_sequences(text, "TileFmhaShape"), ()][0][:3]
    return name_tile(tile)


def _sequences(text: str, template: str) -> list[tuple[int, ...]]:
    return [
        tuple(n for n in map(read_integer, arguments_of(a, "sequence")) if n is not None)
        for a in arguments_of(text, template)
    ]
