"""PyTorch's own kernels: pointwise, reductions, norms, indexing and the rest of ATen."""

from __future__ import annotations

import re
from dataclasses import replace

from tracelens.analyze.names.cxx import arguments_of, last_identifier, parse_signature
from tracelens.analyze.names.decoder import (
    DOCUMENTED,
    INFERRED,
    Family,
    Fields,
    Spelling,
    Template,
    first_of,
    read_arguments,
)
from tracelens.analyze.names.dtypes import read_dtype
from tracelens.model.kernel_name import KernelName, Role

_POINTWISE = Family("aten_elementwise", "PyTorch", "elementwise", DOCUMENTED)
_REDUCE = Family("aten_reduce", "PyTorch", "reduction", DOCUMENTED)

_POINTWISE_ARGUMENTS = {
    "vectorized_elementwise_kernel": "vec_size:int _",
    "vectorized_templated_elementwise_kernel": "vec_size:int _",
    "unrolled_elementwise_kernel": "_",
    "elementwise_kernel": "threads:int elements_per_thread:int _",
    "legacy_elementwise_kernel": "threads:int elements_per_thread:int _",
    "elementwise_kernel_manual_unroll": "threads:int elements_per_thread:int _",
    "elementwise_kernel_with_index": "_ _",
    "unrolled_elementwise_kernel_for_multi_outputs": "outputs:int _",
}
"""The arguments up to the functor, which is the last of each."""

_WRAPPERS = {
    *("gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel", "func_wrapper_t"),
    *("BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor", "ReduceOp"),
}
_DEEPEST_WRAPPING = 8
_LAMBDA = re.compile(r"[{\[]lambda\(([^()]{1,64})\)", re.ASCII)
_AFFIXES = re.compile(
    r"^(?:CUDAFunctor(?:OnSelf|OnOther)?_|launch_)"
    r"|(?:_kernel_cuda|_cuda_kernel|_kernel_impl|_cuda_out|_kernel|CUDAKernelImpl|KernelImpl"
    r"|_functor|Functor|Ops)$"
)
_OP_ROLES: dict[str, Role] = {
    "Fill": "fill",
    "copy": "copy",
    "direct_copy": "copy",
    "bfloat16_copy": "copy",
    "float16_copy": "copy",
    "bfloat16tofloat32_copy": "copy",
}


def read_op(functor: str) -> Fields:
    """Name the op and the element type that a functor type stands for.

    `BinaryFunctor<float, float, float, MulFunctor<float> >` is `Mul` of fp32. Functors that wrap
    another are looked through; a lambda is named by the function that holds it.
    """
    dtype = None
    for _ in range(_DEEPEST_WRAPPING):
        signature = parse_signature(functor)
        dtype = dtype or next((d for a in signature.arguments if (d := read_dtype(a))), None)
        name = last_identifier(signature.path.removesuffix("::operator()")) or ""
        inner = signature.arguments[1:2] if name == "ReduceOp" else signature.arguments[-1:]
        if name not in _WRAPPERS or not inner:
            break
        functor = inner[0]
    fields: Fields = {"op": _AFFIXES.sub("", name) or name} if name else {}
    if element := _read_lambda(functor) or dtype:
        fields["dtype"] = element
    return fields


def _read_lambda(functor: str) -> str | None:
    """The element type of the innermost lambda: its first parameter that is no mask.

    Index kernels move bytes of any type: their lambdas take `char*`, which is no element.
    """
    innermost = _LAMBDA.findall(functor)[-1:]
    if "*" in "".join(innermost):
        return None
    dtypes = [d for found in innermost for p in found.split(",") if (d := read_dtype(p))]
    return next((d for d in dtypes if d != "bool"), dtypes[0] if dtypes else None)


def decode_pointwise(spelling: Spelling) -> KernelName | None:
    """Read `vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, ...>` and its kin."""
    function = last_identifier(spelling.signature.path) or ""
    version = _POINTWISE_ARGUMENTS.get(function)
    if version is None or "at::native::" not in spelling.text:
        return None
    arguments = spelling.signature.arguments
    fields = read_arguments(arguments, version)
    functor = len(version.split())
    if len(arguments) >= functor:
        fields |= read_op(arguments[functor - 1])
    if function == "unrolled_elementwise_kernel":
        fields |= read_arguments(arguments, "_ _ elements_per_thread:int")
    if "LoadWithCast" in spelling.text or "StoreWithCast" in spelling.text:
        fields["cast"] = True
    read = _POINTWISE.reading(spelling, fields)
    return replace(read, role=_OP_ROLES.get(str(fields.get("op")), read.role))


def decode_reduce(spelling: Spelling) -> KernelName | None:
    """Read `reduce_kernel<512, 1, ReduceOp<float, MeanOps<...>, ...> >`; 512 / 1 is its block."""
    if spelling.signature.path != "at::native::reduce_kernel":
        return None
    arguments = spelling.signature.arguments
    fields = read_arguments(arguments, "largest_block:int output_vec_size:int _")
    if len(arguments) > 2:
        fields |= read_op(arguments[2])
        element = arguments_of(arguments[2], "ReduceOp")[:1]
        if dtype := read_dtype("".join(element)):
            fields["dtype"] = dtype  # and not the accumulator, which the lambda takes
    return _REDUCE.reading(spelling, fields)


def decode_index(spelling: Spelling) -> KernelName | None:
    """Read `index_elementwise_kernel<threads, elements, functor>` and the selects."""
    read = _INDEX(spelling)
    arguments = spelling.signature.arguments
    if read is None or not spelling.signature.path.endswith("_elementwise_kernel"):
        return read
    fields = read_arguments(arguments, "threads:int elements_per_thread:int _")
    if len(arguments) > 2:
        fields |= {n: v for n, v in read_op(arguments[2]).items() if n == "op"}
    return _FAMILY_INDEX.reading(spelling, fields)


_FAMILY_INDEX = Family("aten_index", "PyTorch", "indexing", INFERRED)
_INDEX = Template(
    _FAMILY_INDEX,
    r"at::native::index\w*|at::native::vectorized_gather_kernel|indexing_backward\w*",
    ("align_bytes:int _:dtype",),
)

_SOFTMAX = Family("aten_softmax", "PyTorch", "softmax", INFERRED)
SOFTMAX = first_of(
    Template(
        _SOFTMAX,
        r"(?:at::native::)?softmax_warp_\w+",
        (
            "dtype:dtype dtype_out:dtype dtype_acc:dtype log2_elements:int log_softmax:bool "
            "masked:bool",
        ),
    ),
    Template(
        _SOFTMAX,
        r"(?:at::native::)?cunn_S(?=\w*oft[mM]ax)\w+",
        (
            "vec_size:int dtype:dtype dtype_acc:dtype dtype_out:dtype",
            "dtype:dtype dtype_acc:dtype dtype_out:dtype _ _ elements_per_thread:int",
            "dtype:dtype dtype_acc:dtype",
        ),
    ),
)


def _named(*words: str) -> str:
    return rf"at::native::(?:\w+::)*(?=\w*(?:{'|'.join(words)}))\w+"


def _row(family: str, role: Role, function: str, *arguments: str) -> Template:
    return Template(Family(family, "PyTorch", role, INFERRED), function, arguments)


_NORMS = _named(
    *("layer_norm", "LayerNorm", "batch_norm", "group_norm", "GroupNorm", "rms_norm"),
    *("GammaBeta", "RowwiseMoments", "ComputeInternalGradients", "weight_norm"),
)

_CAT = "_ _ dims:int batch:int _"
_CAT_ARGUMENTS = (f"{_CAT} align_bytes:int vec_size:int", f"{_CAT} align_bytes:int", _CAT)

FAMILIES = first_of(
    _row("aten_norm", "normalization", _NORMS, "dtype:dtype dtype_acc:dtype", "_ dtype:dtype"),
    _row("aten_cat", "copy", _named("CatArrayBatchedCopy"), *_CAT_ARGUMENTS),
    _row("aten_foreach", "elementwise", r"at::native::multi_tensor_apply_kernel", "_ op:functor"),
    _row(
        "aten_rng",
        "random",
        _named("distribution_", "dropout", "randperm", "bernoulli"),
        "dtype:dtype unroll:int _",
        "dtype:dtype _:dtype _:dtype _ vec_size:int _",
        "dtype:dtype",
    ),
    _row(
        "aten_sort",
        "sort",
        r"at::native::radixSortKVInPlace",
        "_ _ threads:int elements_per_thread:int",
    ),
    _row("aten_sort", "sort", _named("[sS]ort", "fill_reverse_indices", "[tT]op_?K", "kthvalue")),
    _row("aten_sort", "sort", r"at::native::[sm]btopk::\w+"),
    _row(
        "aten_scatter",
        "indexing",
        _named("_scatter_gather", "scatter", "gather"),
        "threads:int elements_per_thread:int",
    ),
    _row("aten_scan", "scan", _named("scan")),
    _row("aten_pool", "other", _named("pool"), "dtype:dtype"),
    _row("aten_upsample", "other", _named("upsample"), "dtype:dtype"),
    _row("aten_embedding", "embedding", _named("[eE]mbedding")),
    _row("aten_loss", "reduction", _named("loss") + r"|cunn_(?=\w+Criterion)\w+"),
    _row("aten_conv", "convolution", _named("conv_", "im2col", "vol2col")),
    _row("aten_misc", "wait", r"at::cuda::spin_kernel"),
    _row("aten_misc", "other", r"at::(?:native|cuda)::.*|compute_cuda_kernel"),
)
