"""What a kernel does, by the words in its function's name.

For libraries whose kernels do many things. The first line that fits decides, so a normalization
that also quantizes is a normalization.
"""

from __future__ import annotations

import re

from tracelens.model.kernel_name import Role

_WORDS: tuple[tuple[Role, str], ...] = (
    ("routing", r"[rR]outing|[tT]op_?[kK]|moe_align|bitmatrix"),
    ("copy", r"and_cache|copy|Copy|kvcache"),
    ("layout", r"transpose_|nchwTo|nhwcTo|[iI]m2d?2?[cC]ol|Col2Im"),
    (
        "convolution",
        r"[cC]onv(?!er[ts]|ersion)|[wd]grad|bwd_weight|bwd_data|[wW]inograd|\bfft|Sp3Asm",
    ),
    ("gemm", r"gemm|Gemm|GEMM|[mM]arlin|gptq|awq|bmk_bnk|matmul"),
    ("normalization", r"[nN]orm|\bbn_"),
    ("collective", r"all_?reduce|AllReduce|cross_device_reduce|[aA]ll_?[gG]ather"),
    ("attention", r"[aA]ttention|[aA]ttn|[fF]mha|mla|MLA|flash|KVCache|mqa_logits"),
    ("auxiliary", r"[oO]ffsets|finalize|permute|scalePacked|metadata|init"),
    ("gemm", r"moe|MoE"),
    ("quantization", r"[qQ]uant|[fF][pP]8|hfp8"),
    ("softmax", r"[sS]oftmax|SoftMax"),
    ("sort", r"[sS]ort"),
    ("scan", r"[sS]can"),
    ("reduction", r"[rR]educe|[hH]istogram|[sS]um\b"),
    ("elementwise", r"rotary|[rR]ope|RoPE"),
    ("embedding", r"[eE]mbedding|embs_"),
    ("random", r"(?<![uU]p)(?<!down)(?<!grid_)[sS]ampl|[dD]ropout|(?<![a-z])rand|Rand"),
    ("elementwise", r"act_and|[aA]ctiv|silu|gelu|Op[0-9A-Z]\w{0,64}Tensor|[tT]ransform"),
    ("elementwise", r"SubTensorOp|[fF]or_?[eE]ach|parallel_for"),
    ("indexing", r"[gG]ather|[sS]catter|[iI]nd(?:ex|ices)|[sS]elect|[pP]artition|[cC]ompact"),
)
_PATTERNS = tuple((role, re.compile(words)) for role, words in _WORDS)


def read_role(name: str) -> Role:
    """Return what a function of this name does, or `other` where no word says it.

    The outermost namespace is the library's name and says nothing: `fbgemm_gpu` is no GEMM.
    """
    said = name.partition("::")[2] or name
    return next((role for role, words in _PATTERNS if words.search(said)), "other")
