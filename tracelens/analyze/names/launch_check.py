"""A name's configuration against the launch: does the grid follow from the tile and the sizes?

Where it does, the reading is verified and the factor of a split-K recovered. Where it cannot, the
contradiction is reported: either the reading or what we believe about the family is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, prod
from typing import Literal

from tracelens.analyze.names.dtypes import ELEMENT_BYTES
from tracelens.model.kernel_name import KernelName

Verdict = Literal["consistent", "contradiction", "persistent-capped", "not checkable"]
Extent = tuple[int, int, int]

NEEDS_SIZES = frozenset({"nvjet", "cublasLt_aux", "cutlass2_via_cublas", "xmma_cublas"})
"""Families whose grid follows from the sizes of the product."""

_STRONGEST_FIRST: tuple[Verdict, ...] = (
    "contradiction",
    "persistent-capped",
    "consistent",
    "not checkable",
)

_LEAST_PERSISTENT_SHARE = 0.75
"""Of the multiprocessors. A persistent grid fills the card, but for what a cluster cannot use: 120
blocks in clusters of 4 were seen on 132 multiprocessors."""

_MATH_BYTES = {"s": 4, "d": 8}
"""Bytes of an operand where a name states no type: `sgemm`, `s1688gemm` (TF32), `d884gemm`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemm:
    """Sizes of a matrix product as torch says them: (m, k) times (k, n), `batch` of them."""

    m: int
    n: int
    k: int
    batch: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a kernel was launched. `shared_memory` is in bytes per block; None is not recorded."""

    grid: Extent
    block: Extent
    shared_memory: int | None = None
    gemm: Gemm | None = None
    multiprocessors: int | None = None


@dataclass(frozen=True, slots=True)
class LaunchCheck:
    """What a launch says of a name. `fact` has the numbers; `split_k` is None where unknown."""

    verdict: Verdict
    fact: str
    split_k: int | None = None


def check_launch(kernel: KernelName, launch: Launch) -> LaunchCheck:
    """Check a reading by everything in its launch that follows from it.

    One contradiction outweighs all that agrees. `not checkable` where nothing follows.
    """
    checks = [c for check in _CHECKS if (c := check(kernel, launch)) is not None]
    for verdict in _STRONGEST_FIRST:
        found = [c for c in checks if c.verdict == verdict]
        if found:
            factor = next((c.split_k for c in found if c.split_k is not None), None)
            return LaunchCheck(verdict, "; ".join(c.fact for c in found), factor)
    return LaunchCheck("not checkable", "nothing in the launch follows from the name")


def _check_nvjet(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """cuBLASLt's nvjet: tiles rounded up to whole clusters, times split-K, capped when persistent.

    The first number of the tile lies on torch's N.
    """
    tile = _numbers(kernel, "tile_M", "tile_N")
    cluster = _extents(kernel, "cluster", 2)
    if kernel.family != "nvjet" or tile is None or cluster is None or launch.gemm is None:
        return None
    gemm, blocks = launch.gemm, prod(launch.grid)
    columns = _round_up(ceil(gemm.n / tile[0]), cluster[0])
    rows = _round_up(ceil(gemm.m / tile[1]), cluster[1])
    tiles = columns * rows * gemm.batch
    split = kernel.value("split_k") is True
    factor, rest = divmod(blocks, tiles)
    if rest == 0 and (factor > 1) == split:
        return LaunchCheck("consistent", f"{blocks} blocks are {tiles} tiles x {factor}", factor)
    if split or blocks < tiles:
        capped = _check_persistent(blocks, prod(cluster), tiles, launch.multiprocessors)
        if capped is not None:
            return capped
    return LaunchCheck("contradiction", f"{blocks} blocks for {tiles} tiles of {tile[0]}x{tile[1]}")


def _check_persistent(
    blocks: int, cluster: int, tiles: int, multiprocessors: int | None
) -> LaunchCheck | None:
    if multiprocessors is None:
        return LaunchCheck("not checkable", f"{blocks} blocks for {tiles} tiles may be persistent")
    fills = _LEAST_PERSISTENT_SHARE * multiprocessors <= blocks <= multiprocessors
    if not fills or blocks % cluster:
        return None
    fact = f"{blocks} persistent blocks on {multiprocessors} multiprocessors take {tiles} tiles"
    return LaunchCheck("persistent-capped", fact)


def _check_split_k_reduce(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """cuBLASLt's splitKreduce_kernel<32, 16, ...>: a block per 32 columns and 16 rows of torch.

    With many rows fewer blocks were seen, 16 for 128 strips: then each takes several.
    """
    tile = _numbers(kernel, "tile_M", "tile_N")
    if kernel.family != "cublasLt_aux" or tile is None or launch.gemm is None:
        return None
    gemm, grid = launch.gemm, launch.grid
    columns, rows = ceil(gemm.n / tile[0]), ceil(gemm.m / tile[1])
    fact = f"grid {grid[0]}x{grid[1]}x{grid[2]}, {columns}x{rows} tiles of {tile[0]}x{tile[1]}"
    if grid == (columns, rows, gemm.batch):
        return LaunchCheck("consistent", fact)
    fewer = grid[0] == columns and grid[1] < rows
    return LaunchCheck("not checkable" if fewer else "contradiction", fact)


def _check_cutlass_grid(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """CUTLASS 2 inside cuBLAS: the identity swizzle of CUTLASS, at most 8 wide.

    cuBLAS is column-major, CUTLASS row-major with the operands exchanged: so the first number of
    the tile lies on torch's N, while the grid's x runs over torch's M. z is split-K, or the batch.
    """
    tile = _numbers(kernel, "tile_M", "tile_N")
    if not _is_plain_cutlass(kernel) or tile is None or launch.gemm is None:
        return None
    gemm, grid = launch.gemm, launch.grid
    rows, columns = ceil(gemm.m / tile[1]), ceil(gemm.n / tile[0])
    width = 8 if columns >= 6 else 4 if columns >= 3 else 2 if columns >= 2 else 1
    wanted = (rows * width, ceil(columns / width))
    factor, rest = divmod(grid[2], gemm.batch)
    fact = f"grid {grid[0]}x{grid[1]}x{grid[2]}, {rows}x{columns} tiles swizzled {width} wide"
    if grid[:2] != wanted or rest:
        return LaunchCheck("contradiction", fact)
    return LaunchCheck("consistent", fact, factor)


def _check_xmma_grid(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """xmma inside cuBLAS, before Hopper: x tiles torch's M by the first number, y its N.

    z is split-K times the batch: so in all of 63 different launches on one H200. From Hopper on it
    is persistent, and no rule is known; `execute_split_k` is the name of the kernel that sums.
    """
    tile = _numbers(kernel, "tile_M", "tile_N")
    if kernel.family != "xmma_cublas" or tile is None or launch.gemm is None:
        return None
    if str(kernel.value("arch")) >= "sm90":
        return None
    gemm, grid = launch.gemm, launch.grid
    wanted = ceil(gemm.m / tile[0]), ceil(gemm.n / tile[1])
    factor, rest = divmod(grid[2], gemm.batch)
    sums = kernel.value("split_k") is True
    fact = f"grid {grid[0]}x{grid[1]}x{grid[2]}, {wanted[0]}x{wanted[1]} tiles"
    if grid[:2] != wanted or (rest and not sums):
        return LaunchCheck("contradiction", fact)
    return LaunchCheck("consistent", fact, None if sums else factor)


def _check_cutlass_memory(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """CUTLASS 2: the operands' tiles of all stages, (M + N) x K elements each."""
    sizes = _numbers(kernel, "tile_M", "tile_N", "tile_K", "stages")
    math = str(kernel.value("math") or "")
    element = ELEMENT_BYTES.get(str(kernel.value("dtype")), _MATH_BYTES.get(math[:1]))
    known = sizes is not None and element is not None and launch.shared_memory is not None
    if not known or not _is_plain_cutlass(kernel) or sizes is None or element is None:
        return None
    wanted = (sizes[0] + sizes[1]) * sizes[2] * sizes[3] * element
    fact = f"{launch.shared_memory} B of shared memory, the stages need {wanted} B"
    return LaunchCheck("consistent" if launch.shared_memory == wanted else "contradiction", fact)


def _check_persistent_grid(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """DeepGEMM: one block per multiprocessor that it was compiled for."""
    wanted = _numbers(kernel, "sms")
    if wanted is None:
        return None
    blocks = prod(launch.grid)
    fact = f"{blocks} blocks, compiled for {wanted[0]} multiprocessors"
    return LaunchCheck("consistent" if blocks == wanted[0] else "contradiction", fact)


def _check_block(kernel: KernelName, launch: Launch) -> LaunchCheck | None:
    """Any family whose name states its threads per block, or a bound on them."""
    threads = prod(launch.block)
    stated, bound = _numbers(kernel, "threads"), _numbers(kernel, "largest_block")
    if stated is not None:
        fact = f"{threads} threads in a block, the name says {stated[0]}"
        return LaunchCheck("consistent" if threads == stated[0] else "contradiction", fact)
    if bound is not None:
        fact = f"{threads} threads in a block, the name allows {bound[0]}"
        return LaunchCheck("consistent" if threads <= bound[0] else "contradiction", fact)
    return None


_CHECKS: tuple[Callable[[KernelName, Launch], LaunchCheck | None], ...] = (
    _check_nvjet,
    _check_split_k_reduce,
    _check_cutlass_grid,
    _check_xmma_grid,
    _check_cutlass_memory,
    _check_persistent_grid,
    _check_block,
)


def _is_plain_cutlass(kernel: KernelName) -> bool:
    # the warp matrix kernels pad their tiles, and no launch of one has confirmed a formula
    return kernel.family == "cutlass2_via_cublas" and kernel.value("operator") != "wmma_tensorop"


def _numbers(kernel: KernelName, *names: str) -> tuple[int, ...] | None:
    values = [kernel.value(name) for name in names]
    numbers = tuple(v for v in values if isinstance(v, int) and v > 0)
    return numbers if len(numbers) == len(names) else None


def _extents(kernel: KernelName, name: str, count: int) -> tuple[int, ...] | None:
    sizes = tuple(int(s) for s in str(kernel.value(name) or "").split("x") if s.isdecimal())
    return sizes if len(sizes) == count and min(sizes) > 0 else None


def _round_up(count: int, multiple: int) -> int:
    return ceil(count / multiple) * multiple
