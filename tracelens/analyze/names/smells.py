"""What the reading of a kernel gives away: kernels that should not run as they ran."""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.analyze.names.dtypes import ELEMENT_BYTES
from tracelens.model.kernel_name import KernelName

_TENSOR_CORES_FOR_FP32 = (8, 0)
"""The first compute capability whose tensor cores take fp32 operands, as TF32."""

_WIDEST_ACCESS_BYTES = 16


@dataclass(frozen=True, slots=True)
class Smell:
    """A sign of a slow path: `fact` is what the name says, `advice` what to look at."""

    tag: str
    fact: str
    advice: str


def smells(kernel: KernelName, *, compute_capability: str | None) -> tuple[Smell, ...]:
    """Return what a name gives away, on a card of a compute capability such as `9.0`.

    None where the card is unknown: what depends on it is then left out. How much a smell matters
    is for the caller to say: the kernel's share of the time.
    """
    capability = _read_capability(compute_capability)
    found = (
        _narrow_alignment(kernel),
        _old_code(kernel, capability),
        _fp32_without_tensor_cores(kernel, capability),
        _changed_layout(kernel),
        _narrow_access(kernel),
        _spills(kernel),
        _setup(kernel),
        _split_k_reduce(kernel),
    )
    return tuple(smell for smell in found if smell is not None)


def _read_capability(text: str | None) -> tuple[int, int] | None:
    major, _, minor = (text or "").partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def _narrow_alignment(kernel: KernelName) -> Smell | None:
    align = kernel.value("align")
    if kernel.role != "gemm" or align not in (1, 2) or kernel.value("operator") == "simt":
        return None
    return Smell(
        "kernel/smell/alignment",
        f"align{align}: an operand's pointer or leading dimension is not aligned to 16 bytes",
        "pad the inner dimension or the row stride to a multiple of 16 bytes",
    )


def _old_code(kernel: KernelName, capability: tuple[int, int] | None) -> Smell | None:
    arch = str(kernel.value("arch") or "")
    if capability is None or not arch.startswith("sm") or not arch[2:].isdecimal():
        return None
    written_for = divmod(int(arch[2:]), 10)
    if written_for >= (8, 0) or capability < (8, 0):
        return None
    return Smell(
        "kernel/smell/old-code",
        f"code for sm_{arch[2:]} runs on a card of compute capability "
        f"{capability[0]}.{capability[1]}",
        "look at the alignment and the layout of the operands: newer kernels refused them",
    )


def _fp32_without_tensor_cores(
    kernel: KernelName, capability: tuple[int, int] | None
) -> Smell | None:
    operator = kernel.value("operator")
    by_type = kernel.family == "cublas_simt_gemm" and kernel.value("dtype") == "fp32"
    single = (by_type or kernel.value("math") == "s") and operator in (None, "simt")
    if kernel.role != "gemm" or not (single or operator == "ffma"):
        return None
    if capability is None or capability < _TENSOR_CORES_FOR_FP32:
        return None
    return Smell(
        "kernel/smell/fp32-without-tensor-cores",
        "an fp32 matrix product runs without tensor cores",
        'if TF32 is precise enough, torch.set_float32_matmul_precision("high")',
    )


def _changed_layout(kernel: KernelName) -> Smell | None:
    if kernel.role != "layout":
        return None
    return Smell(
        "kernel/smell/layout-copy",
        "a copy changes the memory format between two kernels",
        "keep the tensors in the format that the next kernel wants, such as channels_last",
    )


def _narrow_access(kernel: KernelName) -> Smell | None:
    if kernel.family != "aten_elementwise":
        return None
    width, size = kernel.value("vec_size"), ELEMENT_BYTES.get(str(kernel.value("dtype")))
    unrolled = "unrolled_elementwise_kernel" in kernel.name
    if width in (1, 2) and size is not None and int(width) * size < _WIDEST_ACCESS_BYTES:
        return Smell(
            "kernel/smell/narrow-access",
            f"{width} elements per access where {_WIDEST_ACCESS_BYTES // size} would fit",
            "look at the alignment of the pointers: a view that begins at an odd element",
        )
    if unrolled or kernel.value("cast") is True:
        why = "a type is converted on the way" if kernel.value("cast") else "no vector access fits"
        return Smell(
            "kernel/smell/unrolled",
            f"a pointwise kernel runs unrolled: {why}",
            "make the operands of one type, contiguous and aligned",
        )
    return None


def _spills(kernel: KernelName) -> Smell | None:
    spilled = kernel.value("spills")
    if not isinstance(spilled, int) or spilled < 1:
        return None
    return Smell(
        "kernel/smell/spills",
        f"{spilled} registers of each thread have no room and lie in memory",
        "try a smaller tile, fewer stages or more warps",
    )


def _setup(kernel: KernelName) -> Smell | None:
    if kernel.role == "random":
        what, tag = "random numbers are generated", "kernel/smell/random"
    elif kernel.role == "wait":
        what, tag = "a kernel waits on purpose", "kernel/smell/wait"
    elif kernel.role == "copy" and kernel.family in ("memop", "aten_elementwise", "aten_cat"):
        what, tag = "a copy runs", "kernel/smell/copy"
    else:
        return None
    return Smell(
        tag, f"{what} inside the timed window", "prepare inputs outside, if the op does not need it"
    )


def _split_k_reduce(kernel: KernelName) -> Smell | None:
    if "splitKreduce" not in kernel.name or kernel.family != "cublasLt_aux":
        return None
    return Smell(
        "kernel/smell/split-k-reduce",
        "a matrix product is split along K and summed by a second kernel",
        "another build or another size may choose no split: compare the kernels, not the times",
    )
