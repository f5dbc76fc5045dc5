"""xmma: NVIDIA's shared GEMM and convolution generator. It declined to document the names."""

from tracelens.analyze.names.decoder import INFERRED, Family, Fields, Words, first_of

_TYPE = r"(?:bf16|tf32|f16|f32|f64|e4m3|e5m2|i8|u8|s8|i32|s32)"

_WORDS = rf"""
      (?P<dtype>{_TYPE})(?P<dtype_out>{_TYPE})_(?P<dtype_B>{_TYPE})(?P<dtype_acc>{_TYPE})_{_TYPE}
    | tilesize(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)
    | stage(?P<stages>%)
    | cgasize(?P<cluster>%x%x%)
    | warpsize(?P<warps>%x%x%)
    | warpgroupsize(?P<warpgroups>%x%x%)
    | tensor(?P<mma>%x%x%)
    | (?P<layout_letters>[nt]{{2}}_[nt])
    | (?P<tensor_layout>nhwckrsc_[a-z]+|nchwkcrs_[a-z]+|ndhwckzyxc_[a-z]+)
    | (?P<algorithm>implicit_gemm(?:_indexed)?)
    | g(?P<groups>%)
    | align_?a(?P<align_A>%) | align_?b(?P<align_B>%) | align_?c(?P<align_C>%)
    | (?P<split_k_flag>split_k)
    | (?P<operator>ffma)
    | segment_k_(?P<segment_k>on|off)
    | (?P<epilogue>bias)_{_TYPE}
    | execute | kernel | 5x | cublas | cudnn | infer | train | trt
"""


def _derive(fields: Fields) -> Fields:
    letters = fields.pop("layout_letters", None)
    if fields.get("dtype") == fields.get("dtype_B"):
        fields.pop("dtype_B", None)
    return {} if letters is None else {"layout": str(letters).replace("_", "")}


CUBLAS = Words(
    Family("xmma_cublas", "cuBLAS", "gemm", INFERRED),
    head=r"(?P<arch>sm[0-9]{2,3})_xmma_gemm (?=_) (?!\w*(?:cudnn|trt))",
    words=_WORDS,
    derive=_derive,
)

CUDNN = Words(
    Family("xmma_cudnn", "cuDNN", "convolution", INFERRED),
    head=r"(?P<arch>sm[0-9]{2,3})_xmma_ (?:sparse_conv_)? (?P<direction>fprop|dgrad|wgrad|gemm)"
    r"(?=_) (?!\w*trt)",
    words=_WORDS,
    derive=_derive,
)

_TENSORRT = "xmma_tensorrt"
TENSORRT = first_of(
    Words(
        Family(_TENSORRT, "TensorRT", "gemm", INFERRED),
        head=r"(?P<arch>sm[0-9]{2,3})_xmma_gemm (?=_)",
        words=_WORDS,
        derive=_derive,
    ),
    Words(
        Family(_TENSORRT, "TensorRT", "convolution", INFERRED),
        head=r"(?P<arch>sm[0-9]{2,3})_xmma_ (?P<direction>fprop|dgrad|wgrad) (?=_)",
        words=_WORDS,
        derive=_derive,
    ),
)
