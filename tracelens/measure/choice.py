"""Which device is measured: the one asked for, or the one where the op's tensors are."""

from __future__ import annotations

import re
from typing import Any

import torch

from tracelens.errors import UsageError
from tracelens.measure.cpu import Cpu
from tracelens.measure.cuda import Cuda
from tracelens.measure.device import Device
from tracelens.measure.values import tensors


def choose_device(values: Any, *, wanted: str | None, settled: bool) -> Device:
    """Return the wanted device, or that of the first CUDA tensor in nested `values`.

    Where there is none, it is the CPU once that is `settled`; until then the op may still turn to
    a CUDA device, so it is that where the machine has one. Raises UsageError where the wanted
    device does not exist or the tensors contradict it.
    """
    index = next((t.device.index for t in tensors(values) if t.is_cuda), None)
    if wanted is not None:
        return _wanted(wanted, index)
    if index is not None:
        return Cuda(index)
    if torch.cuda.is_available() and not settled:
        return Cuda(torch.cuda.current_device())
    return Cpu()


def _wanted(wanted: str, found: int | None) -> Device:
    match = re.fullmatch("cpu|cuda(?::([0-9]+))?", wanted)
    if match is None:
        raise UsageError(f"{wanted!r} is no device.", "Say cpu, cuda or cuda:1.")
    if wanted == "cpu":
        if found is not None:
            raise UsageError(
                f"The device cpu was asked for; the op's tensors are on cuda:{found}.",
                "Let the op file put its tensors on a CUDA device only where that is wanted.",
            )
        return Cpu()
    count = torch.cuda.device_count()
    if count <= int(match.group(1) or 0):
        raise UsageError(
            f"The device {wanted} was asked for; torch sees {count} CUDA devices.",
            "Choose another device, or run on a machine that has it.",
        )
    index = int(match.group(1)) if match.group(1) else torch.cuda.current_device()
    if found is not None and found != index:
        raise UsageError(
            f"The device cuda:{index} was asked for; the op's tensors are on cuda:{found}.",
            'Let the op file say "cuda" without a number: it then follows the device asked for.',
        )
    return Cuda(index)
