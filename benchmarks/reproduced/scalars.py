"""Arguments that are no tensors: numbers, a word and nothing."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def inputs():
    x = torch.randn(4_096, 64, dtype=torch.float16, device=device)
    return x, 0.5, -3, "tanh", None


def op(x, scale, least, approximate, most):
    return torch.nn.functional.gelu(x * scale, approximate=approximate).clamp(min=least, max=most)


def reference(x, scale, least, approximate, most):
    return op(x.float(), scale, least, approximate, most).half()
