"""cuDNN's own kernels: convolutions before xmma, changes of memory format, norms, attention."""

from tracelens.analyze.names.cublas import name_generation
from tracelens.analyze.names.decoder import INFERRED, Family, Template, Words

LEGACY = Words(
    Family("cudnn_legacy", "cuDNN", "convolution", INFERRED),
    head=r"(?:cudnn_(?:infer_|train_)?)? (?P<generation>maxwell|pascal|volta|turing|ampere)_"
    r"(?:(?P<dtype>[a-z]+[0-9]+)_)? (?P<math>[a-z][0-9]{0,6})cudnn (?=_)",
    words=r"""
          (?P<tile_M>%)x(?P<tile_N>%)
        | stages_(?P<tile_K>%)x(?P<stages>%)
        | sliced(?P<sliced>%x%)
        | ldg(?P<load_elements>%)
        | (?P<algorithm>winograd)
        | (?P<epilogue>relu)
        | (?P<size_class>interior|small|medium|large)
        | (?P<tensor_layout>nhwc|nchw)
        | (?P<layout>[nt]{2})
        | (?P<split_k_flag>splitK)
        | (?P<strided_B_flag>stridedB)
        | (?P<dtype_out>(?:fp|bf|int)[0-9]{1,2})
        | v(?P<version>%)
    """,
    derive=name_generation,
)

LAYOUT = Template(
    Family("cudnn_layout", "cuDNN", "layout", INFERRED),
    r"(?:cudnn::(?:\w+::)*)?(?P<change>(?:nchw|nhwc)To\w+?)(?:Kernel)?",
    ("dtype:dtype dtype_out:dtype",),
)

SDPA = Words(
    Family("cudnn_sdpa", "cuDNN", "attention", INFERRED),
    head=r"cudnn_generated_fort_native_sdpa_ (?P<arch>sm[0-9]{2,3})_flash_ (?P<direction>[fb]prop)",
    words=r"""
          (?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%)_(?P<warps>%x%x%)
        | cga(?P<cluster>%x%x%)
        | (?P<dtype>f16|bf16|f32|e4m3|e5m2)
        | (?P<instruction>wgmma|wmma|utcmma)
        | knob_(?P<knob>%)
        | kernel0 | 0
    """,
)

OTHER = Template(
    Family("cudnn", "cuDNN", "other", INFERRED),
    r"(?:cudnn|cask_cudnn\w*|xmma_new)::.*|cudnn_\w+|fft[12]d_\w+|[wd]grad(?:2d)?_(?:alg|grouped)\w+"
    r"|(?=\w*convolve(?:Nd)?_)\w+|(?:conv|[wd]grad)2d_(?:grouped_direct|c1_k1)_\w+"
    r"|(?:nchw|nhwc)AddPaddingKernel|op_(?:generic_)?tensor_kernel\w*|calc_bias_diff"
    r"|(?:LSTM|GRU)_elementWise_\w+|RNN_block\w+",
)
