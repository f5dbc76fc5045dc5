"""An op file for `verdicts.py`: RMSNorm of whatever Liger-Kernel the interpreter has.

Needs a CUDA device and Liger-Kernel.
"""

import torch
from liger_kernel.ops.rms_norm import LigerRMSNormFunction


def inputs():
    x = torch.randn(2048, 4096, dtype=torch.bfloat16, device="cuda")
    return x, torch.ones(4096, dtype=torch.bfloat16, device="cuda")


def op(x, weight):
    return LigerRMSNormFunction.apply(x, weight, 1e-6, 0.0, "llama", False)


def reference(x, weight):
    scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
    return weight * (x.float() * scale).bfloat16()


tolerance = {"atol": 2e-2, "rtol": 2e-2}
