"""A problem as KernelBench states them: a model, and another that computes the same."""

import torch
from torch import nn

rows = 8_192 if torch.cuda.is_available() else 32


class Model(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


class ModelNew(Model):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.rms_norm(x, self.weight.shape, self.weight, eps=self.eps)


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(rows, 4_096)]


def get_init_inputs() -> list[float]:
    return [4_096, 1e-6]
