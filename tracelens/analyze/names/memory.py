"""Copies and sets, as profilers name them."""

from __future__ import annotations

import re

from tracelens.analyze.names.decoder import DOCUMENTED, Family, Fields, Spelling
from tracelens.model.kernel_name import KernelName

_COPIES = Family("memop", "CUDA", "copy", DOCUMENTED)
_SETS = Family("memop", "CUDA", "fill", DOCUMENTED)
_HIP_COPIES = Family("memop", "HIP", "copy", DOCUMENTED)
_HIP_SETS = Family("memop", "HIP", "fill", DOCUMENTED)
_COPY = re.compile(
    r"Memcpy (?P<direction>\w{1,8})(?: \((?P<source>\w{1,16}) -> (?P<destination>\w{1,16})\))?",
    re.ASCII,
)
_SET = re.compile(r"Memset \((?P<destination>\w{1,16})\)", re.ASCII)
_NSIGHT_COPY = re.compile(r"\[CUDA memcpy (?P<direction>[\w -]{1,32})\]", re.ASCII)
_NSIGHT_SET = re.compile(r"\[CUDA memset\]")
_ROCM_COPY = re.compile(r"Copy(?P<source>Host|Device)To(?P<destination>Host|Device)")

_SPELLINGS = (
    (_COPIES, _COPY),
    (_SETS, _SET),
    (_COPIES, _NSIGHT_COPY),
    (_SETS, _NSIGHT_SET),
    (_HIP_COPIES, _ROCM_COPY),
)


def decode(spelling: Spelling) -> KernelName | None:
    """Read `Memcpy HtoD (Pageable -> Device)`, `Memset (Device)` and ROCm's copy kernels."""
    for family, pattern in _SPELLINGS:
        if match := pattern.fullmatch(spelling.raw):
            stated: Fields = {name: text for name, text in match.groupdict().items() if text}
            return family.reading(spelling, stated)
    for family, kernel in ((_HIP_COPIES, "__amd_rocclr_copy"), (_HIP_SETS, "__amd_rocclr_fill")):
        if spelling.flat.startswith(kernel):
            return family.reading(spelling, {})
    return None
