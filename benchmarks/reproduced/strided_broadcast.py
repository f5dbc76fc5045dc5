"""Inputs that are no plain blocks of memory: every other column, a transpose, broadcast rows."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
size = 8_192 if device == "cuda" else 64


def inputs():
    every_other = torch.randn(size, 2 * size, device=device)[:, ::2]
    transposed = torch.randn(size, size, device=device).t()
    broadcast = torch.randn(1, size, device=device).expand(size, size)
    return every_other, transposed, broadcast


def op(x, y, bias):
    return x * y + bias


def reference(x, y, bias):
    return (x.double() * y.double() + bias.double()).float()
