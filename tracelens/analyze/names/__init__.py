"""From a kernel's name to its family, library, role and configuration.

`DECODERS` is the whole of it: asked in order, the first that knows the name answers. To add a
family, write its decoder in a file of its own and add one line here.

Fields share one vocabulary: `tile_M`, `tile_N`, `tile_K` (elements per thread block, in the
library's own M and N), `stages`, `cluster`, `arch`, `layout`, `align`, `vec_size` (elements per
access), `threads` (per block), `elements_per_thread`, `warps`, `head_dim`, `split_k` (the factor,
or True where the name does not hold it), `dtype` of the operands, `dtype_acc`, `dtype_out`,
`epilogue`, `op` and `ops`; `unexplained` holds the words that nobody has explained, as they
stand. What a run adds keeps the words of the compiler: a kernel's own constants, `num_warps`,
`num_stages`, `num_ctas`, `maxnreg`, `spills`, `target`, and `original_aten`, the ops fused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tracelens.analyze.names import (
    aten,
    attention,
    collective,
    composable_kernel,
    cublas,
    cudnn,
    cutlass,
    deep_gemm,
    device_primitives,
    inductor,
    memory,
    miopen,
    nvjet,
    rocm_aiter,
    serving,
    tensile,
    triton,
    trtllm,
    xmma,
)
from tracelens.analyze.names.decoder import Decoder, spell
from tracelens.analyze.names.user_template import name_arguments
from tracelens.model.kernel_name import KernelName

LENGTH_READ = 65_536
"""Characters of a name that are read: ten times the longest seen, and a bound on the time."""

DECODERS: tuple[Decoder, ...] = (
    memory.decode,
    nvjet.DECODER,
    xmma.CUBLAS,
    xmma.CUDNN,
    xmma.TENSORRT,
    cublas.SASS_GEMM,
    cublas.GEMV,
    cublas.GEMM_K1,
    cublas.DOT,
    cublas.SIMT_GEMM,
    cublas.AUXILIARY,
    cublas.OTHER,
    cudnn.LEGACY,
    cudnn.LAYOUT,
    cudnn.SDPA,
    cudnn.OTHER,
    cutlass.GEMM_2,
    cutlass.CONVOLUTION_2,
    cutlass.decode_gemm_3,
    attention.decode_flash_2,
    attention.decode_flash_3,  # before the templates that wrap it
    cutlass.decode_template,
    attention.MEMORY_EFFICIENT,
    trtllm.ATTENTION,
    trtllm.GEMM,
    trtllm.OTHER,
    aten.decode_pointwise,
    aten.decode_reduce,
    aten.decode_index,
    aten.SOFTMAX,
    aten.FAMILIES,
    device_primitives.decode,
    inductor.decode,
    inductor.OLD,
    triton.TRITON_KERNELS,
    triton.VLLM,
    triton.ATTENTION,
    triton.FLAG_GEMS,
    triton.LIGER,
    collective.NCCL,
    collective.RCCL,
    collective.SYMMETRIC_MEMORY,
    deep_gemm.decode,
    serving.VLLM,
    serving.VLLM_ROCM,
    serving.SGLANG,
    serving.FLASHINFER,
    serving.FBGEMM,
    serving.TRANSFORMER_ENGINE,
    serving.CUTE_DSL,
    tensile.decode,
    miopen.IGEMM,
    miopen.TRANSPOSE,
    miopen.OTHER,
    composable_kernel.decode_ck,
    composable_kernel.decode_ck_tile,
    rocm_aiter.DECODER,
)

Configs = Mapping[str, Sequence[str]]


def decode(name: str, *, configs: Configs | None = None) -> KernelName:
    """Read a kernel's name. Any text is accepted; an unknown name says so and nothing raises.

    `configs` names the template arguments of the user's own kernels, in order:
    `{"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}` reads `void gemvz_kernel<16, 1, 1, 2>(...)` as
    NW 16, UG 1, NB 1, PIPE 2, documented, since the user states it. The time is bounded: the first
    `LENGTH_READ` characters are read, each a fixed number of times.
    """
    if configs:
        stated = name_arguments(name[:LENGTH_READ], configs)
        if stated is not None:
            return replace(stated, name=name)
    if len(name) <= LENGTH_READ:
        return _decode(name)
    note = f"only the first {LENGTH_READ} of {len(name)} characters were read"
    return replace(_read(name[:LENGTH_READ]), name=name, notes=(note,))


def _read(name: str) -> KernelName:
    spelling = spell(name)
    for decoder in DECODERS:
        read = decoder(spelling)
        if read is not None:
            return read
    return KernelName(name=name)


_decode = lru_cache(maxsize=4096)(_read)
