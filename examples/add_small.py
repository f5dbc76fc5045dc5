"""Add two vectors of 1024 bfloat16 numbers: a call that is nearly all host time."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
tolerance = {"atol": 0.0, "rtol": 0.0}


def inputs():
    x, y = torch.randn(2, 1024, dtype=torch.bfloat16, device=device)
    return x, y


def op(x, y):
    return torch.add(x, y)


def reference(x, y):
    return (x.float() + y.float()).bfloat16()
