"""An op that changes its input, which is restored before each sample."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
size = 1 << 26 if device == "cuda" else 1 << 12


def inputs():
    return (torch.randn(size, device=device),)


def op(x):
    return x.mul_(0.5).add_(1.0)


def reference(x):
    return x * 0.5 + 1.0
