"""FlagGems' add below torch's dispatcher, layer by layer down to the launch of a kernel.

    tracelens profile benchmarks/dispatch/gems_add.py

Needs a CUDA device and FlagGems.
"""

from importlib import import_module

import flag_gems
import torch
import triton
import triton.language as tl

pointwise = import_module("flag_gems.ops.add").add_func  # flag_gems.ops.add is the function
wrapper = pointwise.instantiate(1)
flag_gems.only_enable(include=["add"])
tolerance = {"atol": 0.0, "rtol": 0.0}


@triton.jit
def add_kernel(x_ptr, y_ptr, sum_ptr, alpha, size, block: tl.constexpr):  # noqa: PLR0917  # a kernel
    at = tl.program_id(0) * block + tl.arange(0, block)
    inside = at < size
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(sum_ptr + at, x + y * alpha, mask=inside)


def inputs():
    x, y = torch.randn(2, 4096, dtype=torch.float16, device="cuda")
    return x, y


def op(x, y):
    return torch.add(x, y)


def gems(x, y):
    return flag_gems.add(x, y)


def dynamic(x, y):
    return pointwise(x, y, 1)


def generated(x, y):
    return wrapper(x, y, 1, out0=torch.empty_like(x))


def launch_new(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, 1, x.numel(), block=1024)
    return out


held = torch.empty(4096, dtype=torch.float16, device="cuda")


def launch(x, y):
    add_kernel[(4,)](x, y, held, 1, 4096, block=1024)


layers = {
    "flag_gems.add": gems,
    "pointwise_dynamic": dynamic,
    "generated wrapper": generated,
    "kernel and its output": launch_new,
    "kernel alone": launch,
}


def reference(x, y):
    return (x.float() + y.float()).half()
