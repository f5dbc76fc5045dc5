"""A function under torch.compile, for what a change of its inputs costs.

tracelens profile benchmarks/dispatch/compiled.py --variations
"""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def inputs():
    x, y = torch.randn(2, 4096, device=device)
    return x, y, 0.5


@torch.compile
def op(x, y, scale):
    return torch.nn.functional.gelu(x * scale + y)
