"""One Triton kernel under one name, launched in two configurations that share their block."""

import torch
import triton
import triton.language as tl

tolerance = {"atol": 1e-6, "rtol": 1e-6}


@triton.jit
def scale_kernel(x_ptr, y_ptr, size, factor, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    for step in tl.static_range(UNROLL):
        at = (tl.program_id(0) * UNROLL + step) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < size)
        tl.store(y_ptr + at, x * factor, mask=at < size)


def inputs():
    return (torch.randn(1 << 20, device="cuda"),)


def op(x):
    once, twice = torch.empty_like(x), torch.empty_like(x)
    scale_kernel[(x.numel() // 1024,)](x, once, x.numel(), 2.0, BLOCK=1024, UNROLL=1)
    scale_kernel[(x.numel() // 4096,)](once, twice, x.numel(), 2.0, BLOCK=1024, UNROLL=4)
    return twice


def reference(x):
    return 4 * x
