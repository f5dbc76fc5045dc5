"""A function that torch.compile makes two Triton kernels of, around a matrix product of cuBLAS."""

import torch

tolerance = {"atol": 0.25, "rtol": 5e-2}


def plain(x, residual, weight):
    h = torch.nn.functional.gelu(x + residual)
    h = h * torch.rsqrt(h.float().square().mean(-1, keepdim=True) + 1e-6).to(h.dtype)
    return torch.relu(h @ weight) * 2


op = torch.compile(plain, options={"max_autotune_pointwise": True})
reference = plain


def inputs():
    x, residual = torch.randn(2, 2048, 4096, dtype=torch.bfloat16, device="cuda")
    return x, residual, torch.randn(4096, 1024, dtype=torch.bfloat16, device="cuda") / 64
