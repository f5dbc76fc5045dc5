"""cuBLAS without CUTLASS: assembler GEMMs, matrix times vector, and the kernels around a GEMM."""

from tracelens.analyze.names.decoder import (
    INFERRED,
    Family,
    Fields,
    Template,
    Words,
    first_of,
)

INSTRUCTION = {
    "884": "8x8x4",
    "8816": "8x8x16",
    "8832": "8x8x32",
    "1688": "16x8x8",
    "16816": "16x8x16",
    "16832": "16x8x32",
    "16864": "16x8x64",
    "161616": "16x16x16",
}
"""Tensor core instructions by their digits in a name: m16n8k16 is `16816`."""

ACCUMULATOR = {
    "s": "fp32",
    "h": "fp16",
    "d": "fp64",
    "i": "int32",
    "c": "complex64",
    "z": "complex128",
}
"""A GEMM's letter: the type that it accumulates in."""

_ARCH = {"maxwell": "sm50", "pascal": "sm60", "volta": "sm70", "turing": "sm75", "ampere": "sm80"}


def name_math(fields: Fields) -> Fields:
    """Spell out `s16816`: fp32 accumulation, instructions of 16x8x16; `s` alone has none."""
    math = str(fields.get("math", ""))
    letter, digits = math.rstrip("0123456789"), math.lstrip("abcdefghijklmnopqrstuvwxyz")
    derived: Fields = {}
    if letter in ACCUMULATOR:
        derived["dtype_acc"] = ACCUMULATOR[letter]
    if digits in INSTRUCTION:
        derived["mma"] = INSTRUCTION[digits]
    return derived


def name_generation(fields: Fields) -> Fields:
    """Name what follows from the card that a kernel was written for, and from its math."""
    return name_math(fields) | {"arch": _ARCH[str(fields["generation"])]}


SASS_GEMM = Words(
    Family("cublas_sass_gemm", "cuBLAS", "gemm", INFERRED),
    head=r"(?P<generation>maxwell|pascal|volta|turing|ampere)_ (?:(?P<dtype>[a-z]+[0-9]+)_)?"
    r"(?P<math>[a-z]{1,2}[0-9]{0,6})gemm (?=_)",
    words=r"""
          (?P<tile_M>%)x(?P<tile_N>%)
        | stages_(?P<tile_K>%)x(?P<stages>%)
        | sliced(?P<sliced>%x%)
        | ldg(?P<load_elements>%)
        | (?P<layout>[nt]{2})
        | (?P<epilogue>relu)
        | (?P<split_k_flag>splitK)
        | (?P<dtype_out>(?:fp|bf|int)[0-9]{1,2})
        | (?P<convert>f2f)
    """,
    derive=name_generation,
)

_GEMV = Family("cublas_gemv", "cuBLAS", "gemv", INFERRED)

GEMV = first_of(
    # The lane count is the block size at run time: equal names can be different reductions.
    Template(_GEMV, r"(?:internal::)?gemvx::\w+", ("_ _ dtype:dtype _ dtype_out:dtype",)),
    # The number behind the types was the block size in the one launch of one that is recorded.
    Template(
        _GEMV,
        r"gemv2[NT]_kernel\w*",
        (
            "_ _ dtype:dtype _:dtype _:dtype _:dtype threads:int",
            "_ _ dtype:dtype _:dtype _:dtype threads:int",
            "dtype:dtype _:dtype _:dtype threads:int",
            "_ _ dtype:dtype",
            "dtype:dtype",
        ),
        "cublas",
    ),
    Template(_GEMV, r"(?:\w+::)*gemv\w*", ("dtype:dtype",), "cublas"),
)

GEMM_K1 = Template(
    Family("cublas_gemmk1", "cuBLAS", "gemm", INFERRED),
    r"gemmk1_kernel",
    ("dtype_acc:dtype threads:int",),
)

DOT = Template(
    Family("cublas_dot", "cuBLAS", "reduction", INFERRED),
    r"dot_kernel|reduce_1Block_kernel",
    ("dtype:dtype threads:int",),
    "cublas",
)

_SIMT = Family("cublas_simt_gemm", "cuBLAS", "gemm", INFERRED)

SIMT_GEMM = first_of(
    # The number behind the type was the block size in all of four launches on one H200.
    Template(_SIMT, r"gemmSN_[NT]{2}_kernel\w*", ("dtype:dtype threads:int",)),
    Template(_SIMT, r"(?P<math>[sdcz])gemm_largek\w*"),
    Template(_SIMT, r"magma_(?:\w{1,32}_)?(?P<math>[sdcz])gemm\w*"),
)

AUXILIARY = first_of(
    Template(
        Family("cublasLt_aux", "cuBLASLt", "reduction", INFERRED),
        r"(?:cublasLt::)?splitKreduce_kernel",
        ("tile_M:int tile_N:int _ dtype_partial:dtype", "dtype_partial:dtype"),
    ),
    Template(
        Family("cublasLt_aux", "cuBLASLt", "auxiliary", INFERRED),
        r"cublasLt::.*|epilogue::impl::globalKernel|scal_kernel",
        within="cublas",
    ),
)

OTHER = Template(
    Family("cublas", "cuBLAS", "other", INFERRED),
    r"(?:batch_)?(?:trs[mv]|trmm|symv|syrk?|ger|asum|nrm2|axpy|iam(?:ax|in)|rot|scal|swap|copy)"
    r"(?=\w*_kernel)\w+",
    within="cublas",
)
