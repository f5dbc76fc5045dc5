"""Record a large trace: training steps of a Llama-shaped model of 16 layers.

    python benchmarks/record_training.py OUT.json.gz [--steps 24]

Needs a CUDA device with some 10 GB to spare; without one it records the same steps on the CPU, at
sizes that a CPU can bear. A step of 16 layers gives about 20,000 events.
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile

LAYERS = 16
VOCABULARY = 32_000
HEAD_WIDTH = 64


def rotated(heads: Tensor) -> Tensor:
    """Apply rotary position embedding to `(batch, head, position, width)`."""
    half = HEAD_WIDTH // 2
    rates = 10_000 ** (-torch.arange(half, device=heads.device) / half)
    angles = torch.arange(heads.shape[2], device=heads.device)[:, None] * rates
    cos, sin = angles.cos().to(heads.dtype), angles.sin().to(heads.dtype)
    left, right = heads.chunk(2, dim=-1)
    return torch.cat((left * cos - right * sin, left * sin + right * cos), dim=-1)


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention, self.before_mlp = nn.RMSNorm(width), nn.RMSNorm(width)
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.gate, self.up = (nn.Linear(width, 3 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(3 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.before_attention(x)
        query, key, value = (
            project(normed).unflatten(-1, (-1, HEAD_WIDTH)).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        attended = functional.scaled_dot_product_attention(
            rotated(query), rotated(key), value, is_causal=True
        )
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        normed = self.before_mlp(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=24)
    chosen = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    device, width, tokens = ("cuda", 1024, 512) if on_gpu else ("cpu", 128, 32)
    model = nn.Sequential(
        nn.Embedding(VOCABULARY, width),
        *(Layer(width) for _ in range(LAYERS)),
        nn.RMSNorm(width),
        nn.Linear(width, VOCABULARY, bias=False),
    ).to(device, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    text = torch.randint(VOCABULARY, (4, tokens + 1), device=device)

    def step() -> None:
        logits = model(text[:, :-1]).float().flatten(0, 1)
        functional.cross_entropy(logits, text[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(3):
        step()
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    with profile(activities=activities, record_shapes=True) as recording:
        for _ in range(chosen.steps):
            step()
        if on_gpu:
            torch.cuda.synchronize()
    recording.export_chrome_trace(chosen.out)


if __name__ == "__main__":
    main()
