"""Add two vectors of any size: host-bound while they are short, device-bound when they are long.

tracelens profile examples/add_sizes.py --sweep n=256..16777216
"""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
tolerance = {"atol": 0.0, "rtol": 0.0}


def inputs(n=4096):
    x, y = torch.randn(2, n, device=device)
    return x, y


def op(x, y):
    return torch.add(x, y)


def reference(x, y):
    return x + y
