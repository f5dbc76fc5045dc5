"""FlagGems' sigmoid of 4096 elements, through torch's dispatcher: where do its microseconds go?

It needs a CUDA device and `pip install flag_gems`.
"""

import torch

tolerance = {"atol": 1e-3, "rtol": 1e-3}

if torch.cuda.is_available():
    try:
        import flag_gems
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "this example measures FlagGems: pip install flag_gems"
        ) from error


def setup():
    if not torch.cuda.is_available():
        raise RuntimeError("FlagGems' kernels need a CUDA device, and torch sees none")
    flag_gems.only_enable(include=["sigmoid"])  # torch.sigmoid is FlagGems' from here on


def inputs():
    return (torch.randn(4096, dtype=torch.float16, device="cuda"),)


def op(x):
    return torch.sigmoid(x)


def direct(x):
    return flag_gems.sigmoid(x)


layers = {"flag_gems.sigmoid": direct}  # the same without torch's dispatcher


def reference(x):
    return torch.special.expit(x.cpu().float()).half().to(x.device)
