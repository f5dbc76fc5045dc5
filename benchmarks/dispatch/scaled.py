"""A Triton kernel with a size and a scalar among its arguments, for what a change of them costs.

    tracelens profile benchmarks/dispatch/scaled.py --variations

Needs a CUDA device, and triton beside torch.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, scale, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    inside = at < size
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=inside) * scale, mask=inside)


def inputs():
    return torch.randn(4096, device="cuda"), 2


def op(x, scale):
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, scale, x.numel(), block=1024)
    return out


def reference(x, scale):
    return x * scale
