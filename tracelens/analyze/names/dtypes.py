"""Element types, in the many spellings of their makers."""

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "bf16": (
        *("bf16", "bf", "Bfloat16", "c10::BFloat16", "__nv_bfloat16", "nv_bfloat16", "__bf16"),
        *("__hip_bfloat16", "hip_bfloat16", "cutlass::bfloat16_t", "std::bfloat16_t"),
    ),
    "fp16": (
        *("fp16", "f16", "hf", "Fp16", "half", "__half", "_Float16"),
        *("c10::Half", "cutlass::half_t"),
    ),
    "tf32": ("tf32", "cutlass::tfloat32_t"),
    "fp32": ("fp32", "f32", "Fp32", "float"),
    "fp64": ("fp64", "f64", "double"),
    "fp8_e4m3": (
        *("e4m3", "E4m3", "f8e4m3", "fp8e4nv", "__nv_fp8_e4m3", "cutlass::float_e4m3_t"),
        *("c10::Float8_e4m3fn", "c10::Float8_e4m3fnuz"),
    ),
    "fp8_e5m2": (
        *("e5m2", "E5m2", "f8e5m2", "fp8e5", "__nv_fp8_e5m2", "cutlass::float_e5m2_t"),
        *("c10::Float8_e5m2", "c10::Float8_e5m2fnuz"),
    ),
    "fp4_e2m1": ("e2m1", "E2m1", "cutlass::float_e2m1_t"),
    "mxfp8_e4m3": ("MxE4m3",),
    "mxfp4": ("mxfp4", "MxE2m1"),
    "int64": ("int64", "i64", "int64_t", "long", "long long"),
    "int32": ("int32", "i32", "s32", "int32_t", "int"),
    "int16": ("int16", "short"),
    "int8": ("int8", "i8", "s8", "Int8", "int8_t", "signed char", "char"),
    "int4": ("int4", "s4", "Int4"),
    "uint64": ("uint64", "u64", "uint64_t", "unsigned long", "unsigned long long"),
    "uint32": ("uint32", "u32", "uint32_t", "unsigned int"),
    "uint16": ("unsigned short",),
    "uint8": ("uint8", "u8", "uint8_t", "unsigned char"),
    "bool": ("bool",),
    "complex64": ("c10::complex<float>",),
    "complex128": ("c10::complex<double>",),
}
ELEMENT_BYTES = {
    "fp64": 8,
    "int64": 8,
    "complex64": 8,
    "fp32": 4,
    "tf32": 4,
    "int32": 4,
    "bf16": 2,
    "fp16": 2,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
}
"""Bytes that one element takes in memory; TF32 is fp32 there."""

_DTYPE = {spelling: dtype for dtype, spellings in _SPELLINGS.items() for spelling in spellings}


def read_dtype(text: str) -> str | None:
    """Read an element type, qualified or a pointer to it or not: `__nv_bfloat16 const*` is `bf16`.

    None for what is no element type.
    """
    return _DTYPE.get(text.replace("const", "").strip(" *&"))
