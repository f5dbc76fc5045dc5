"""An op file for `verdicts.py`: `add` and `sigmoid` of torch and of FlagGems, at many sizes.

    tracelens diff benchmarks/verdict_gems.py --variant torch --variant gems --case "add 4096"

Needs a CUDA device and FlagGems.
"""

import flag_gems
import torch

SIZES = tuple(4**power for power in range(4, 13))
cases = {
    f"{name} {size}": {"name": name, "size": size} for name in ("add", "sigmoid") for size in SIZES
}
tolerance = {"atol": 1e-2, "rtol": 1e-2}


def inputs(name, size):
    tensors = torch.randn(2, size, dtype=torch.float16, device="cuda")
    return name, *tensors[: 2 if name == "add" else 1]


def of(library):
    called = {"add": library.add, "sigmoid": library.sigmoid}
    return lambda name, *tensors: called[name](*tensors)


variants = {"torch": of(torch), "gems": of(flag_gems)}
