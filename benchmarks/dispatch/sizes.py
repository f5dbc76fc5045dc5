"""The size at which add and sigmoid become device-bound: torch's own, and FlagGems' sigmoid.

    tracelens profile benchmarks/dispatch/sizes.py --sweep n=256..16777216

Needs a CUDA device and FlagGems.
"""

import flag_gems
import torch

tolerance = {"atol": 1e-3, "rtol": 1e-3}


def inputs(n=4096):
    return (torch.randn(n, dtype=torch.float16, device="cuda"),)


variants = {"torch": torch.sigmoid, "gems": flag_gems.sigmoid}
baseline = "torch"


def reference(x):
    return torch.sigmoid(x.float()).half()
