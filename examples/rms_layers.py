"""RMS norm through a module, and the layers inside it: what does each of them cost a call?"""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
tolerance = {"atol": 1e-5, "rtol": 1e-5}
norm = torch.nn.RMSNorm(1024, eps=1e-6, device=device).requires_grad_(requires_grad=False)


def inputs():
    return (torch.randn(8, 1024, device=device),)


def op(x):
    return norm(x)


def functional(x):
    return torch.nn.functional.rms_norm(x, (1024,), norm.weight, 1e-6)


def binding(x):
    return torch.rms_norm(x, (1024,), norm.weight, 1e-6)


layers = {"functional": functional, "binding": binding}  # outermost first, each inside the last


def reference(x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * norm.weight
