"""Plain torch: a softmax that is bound by memory."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
rows = 32_768 if device == "cuda" else 64


def inputs():
    return (torch.randn(rows, 8_192, dtype=torch.bfloat16, device=device),)


def op(x):
    return torch.softmax(x, dim=-1)


def reference(x):
    return torch.softmax(x.float(), dim=-1).bfloat16()


def bytes_moved(x):
    return 2 * x.nbytes
