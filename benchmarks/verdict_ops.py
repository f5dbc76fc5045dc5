"""An op file for `verdicts.py`: five ops in which nothing changes, and two in which one thing does.

Needs a CUDA device; the case `sigmoid` needs FlagGems.
"""

from functools import partial

import torch

from tracelens.measure.truth import CardTruth, spin_host

LENGTHS_NS = {
    "spin": (50_000, 50_000),
    "spin, 2 % longer": (50_000, 51_000),
    "host spin, 2 us longer": (50_000, 52_000),
}
"""How long the kernel or the host spins, in the variant `before` and in `after`."""
cases = {name: {"name": name} for name in ("add", "softmax", "matmul", "sigmoid", *LENGTHS_NS)}


def inputs(name):
    sizes = {"softmax": (16, 1024, 1024), "matmul": (4096, 4096), "sigmoid": (4096,)}
    tensors = torch.randn(2, *sizes.get(name, (1024,)), dtype=torch.bfloat16, device="cuda")
    return calls(name), *tensors


def calls(name):
    """Return what a case calls, by variant."""
    if name == "sigmoid":
        import flag_gems  # noqa: PLC0415  # slow to import, and in one case only

        return (lambda x, y: flag_gems.sigmoid(x),) * 2
    if name.startswith("spin"):
        return tuple(map(spin, LENGTHS_NS[name]))
    if name.startswith("host spin"):
        return tuple(map(host_spin, LENGTHS_NS[name]))
    call = {
        "add": torch.add,
        "softmax": lambda x, y: torch.softmax(x, dim=-1),
        "matmul": torch.matmul,
    }[name]
    return call, call


def spin(length_ns):
    launch = CardTruth(torch.cuda.current_device()).spin(length_ns)

    def call(x, y):
        launch()
        return x

    return call


def host_spin(length_ns):
    def call(x, y):
        spin_host(length_ns)
        return torch.add(x, y)

    return call


def run(variant, called, x, y):
    return called[variant](x, y)


variants = {"before": partial(run, 0), "after": partial(run, 1)}
