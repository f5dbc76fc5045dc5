"""MIOpen: AMD's convolutions, norms and changes of memory format."""

from tracelens.analyze.names.decoder import INFERRED, Family, Fields, Template, Words

_ARCH = {"gtcx": "gfx908", "gtcx2": "gfx90a", "gtcx3": "gfx942"}


def _derive(fields: Fields) -> Fields:
    arch = _ARCH.get(str(fields["generation"]))
    return {"arch": arch} if arch else {}


IGEMM = Words(
    Family("miopen_igemm", "MIOpen", "convolution", INFERRED),
    head=r"igemm_(?P<direction>fwd|bwd|wrw)_(?P<generation>gtcx?[0-9]?) (?=_)",
    words=r"""
          (?P<tensor_layout>nhwc|nchw)
        | (?P<dtype>bf16|fp16|fp32|int8)
        | bt(?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)
        | wt(?P<wave_tile>%x%x%)
        | ws(?P<wave_step>%x%)
        | wr(?P<wave_repeat>%x%)
        | ta(?P<thread_A>%x%x%x%_%x%x%x%)
        | tb(?P<thread_B>%x%x%x%_%x%x%x%)
    """,
    derive=_derive,
)

TRANSPOSE = Words(
    Family("miopen", "MIOpen", "layout", INFERRED),
    head=r"batched_transpose_(?P<tile_M>%)x(?P<tile_N>%)(?=_)",
    words=r"""
          pack_(?P<pack>%x%)
        | ediv_(?P<ediv>%x%)
        | (?P<element>half|dword|byte)
    """,
)
"""`half` is any type of two bytes: bfloat16 is moved by the same kernels."""

OTHER = Template(
    Family("miopen", "MIOpen", "other", INFERRED),
    r"(?:miopen|MIOpen|mlo[A-Z])\w+|batched_transpose_\w+|transpose_[A-Z]+2[A-Z]\w*"
    r"|Im2d?2?Col\w*|Col2Im\w*"
    r"|(?:SubTensor)?Op(?=\w*Tensor)\w+|SubTensorOp\w+|naive_conv_\w+|gridwise_\w+",
)
