"""Inputs of integers and booleans, which must be equal to the last bit."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
size = 1 << 25 if device == "cuda" else 1 << 12


def inputs():
    ids = torch.randint(0, 50_000, (size,), device=device)
    small = torch.randint(-128, 128, (size,), device=device).to(torch.int8)
    return ids, small, torch.rand(size, device=device) > 0.5


def op(ids, small, mask):
    return torch.where(mask, ids << 1, ids + small)


def reference(ids, small, mask):
    return mask * (2 * ids) + ~mask * (ids + small)
