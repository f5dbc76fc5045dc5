"""RMS norm in two ways over two sizes: a formula of six kernels, and torch's own fused one."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
cases = {
    "decode": {"rows": 8, "width": 4096},
    "prefill": {"rows": 2048, "width": 4096},
}
tolerance = {"bfloat16": {"atol": 2e-2, "rtol": 2e-2}}


def inputs(rows, width):
    x = torch.randn(rows, width, dtype=torch.bfloat16, device=device)
    return x, torch.ones(width, dtype=torch.bfloat16, device=device)


def formula(x, weight):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight


def fused(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, eps=1e-6)


variants = {"formula": formula, "fused": fused}
baseline = "formula"


def reference(x, weight):
    return formula(x.float(), weight.float()).bfloat16()


def bytes_moved(x, weight):
    return 2 * x.nbytes + weight.nbytes
