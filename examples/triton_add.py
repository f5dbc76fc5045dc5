"""Add two vectors with a Triton kernel. It needs a CUDA device, and triton beside torch."""

import torch

tolerance = {"atol": 0.0, "rtol": 0.0}

if torch.cuda.is_available():
    import triton
    import triton.language as tl

    @triton.jit
    def add_kernel(x_ptr, y_ptr, sum_ptr, size, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < size
        x = tl.load(x_ptr + at, mask=inside)
        y = tl.load(y_ptr + at, mask=inside)
        tl.store(sum_ptr + at, x + y, mask=inside)


def inputs():
    if not torch.cuda.is_available():
        raise RuntimeError("a Triton kernel needs a CUDA device, and torch sees none")
    x, y = torch.randn(2, 1 << 20, device="cuda")
    return x, y


def op(x, y):
    sums = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, sums, x.numel(), BLOCK=1024)
    return sums


def reference(x, y):
    return x + y
