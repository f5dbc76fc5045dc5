"""FlagGems' sigmoid of 4096 numbers beside torch's. It needs a CUDA device and flag_gems."""

import flag_gems
import torch

variants = {"torch": torch.sigmoid, "flag_gems": flag_gems.ops.sigmoid}
baseline = "torch"
tolerance = {"atol": 1e-3, "rtol": 1e-3}


def inputs():
    return (torch.randn(4_096, dtype=torch.float16, device="cuda"),)


def reference(x):
    return torch.sigmoid(x.float()).half()


def bytes_moved(x):
    return 2 * x.nbytes
