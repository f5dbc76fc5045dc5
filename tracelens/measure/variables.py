"""Environment variables that change what is measured: listed ones, never the whole environment."""

from __future__ import annotations

from collections.abc import Mapping

from tracelens.model.cut import cut

_NAMES = frozenset(
    {
        "CUBLAS_WORKSPACE_CONFIG",
        "CUDA_DEVICE_MAX_CONNECTIONS",
        "CUDA_DEVICE_ORDER",
        "CUDA_FORCE_PTX_JIT",
        "CUDA_LAUNCH_BLOCKING",
        "CUDA_MODULE_LOADING",
        "CUDA_VISIBLE_DEVICES",
        "KMP_AFFINITY",
        "MKL_NUM_THREADS",
        "NVIDIA_TF32_OVERRIDE",
        "OMP_NUM_THREADS",
        "PYTHONHASHSEED",
        "PYTHONOPTIMIZE",
        "PYTORCH_ALLOC_CONF",
        "PYTORCH_CUDA_ALLOC_CONF",
        "PYTORCH_HIP_ALLOC_CONF",
        "PYTORCH_NO_CUDA_MEMORY_CACHING",
        "TORCHINDUCTOR_COMPILE_THREADS",
        "TORCHINDUCTOR_COORDINATE_DESCENT_TUNING",
        "TORCHINDUCTOR_CUDAGRAPHS",
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES",
        "TORCHINDUCTOR_FREEZING",
        "TORCHINDUCTOR_MAX_AUTOTUNE",
        "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM",
        "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
        "TORCH_BLAS_PREFER_CUBLASLT",
        "TORCH_COMPILE_DISABLE",
        "TRITON_ALWAYS_COMPILE",
        "TRITON_CACHE_AUTOTUNING",
        "TRITON_DEBUG",
        "TRITON_DISABLE_LINE_INFO",
        "TRITON_ENABLE_ASAN",
        "TRITON_INTERPRET",
        "TRITON_KERNEL_OVERRIDE",
        "TRITON_PRINT_AUTOTUNING",
    }
)
"""Names that hold a choice, and none that holds a path, a host or a key: runs are shared."""

_LONGEST = 200


def telling_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the listed variables that are set, by name, each value cut to 200 characters."""
    return {name: cut(environment[name], _LONGEST) for name in sorted(_NAMES & environment.keys())}
