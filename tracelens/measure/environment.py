"""The machine that the numbers come from."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from tracelens.measure.device import Unavailable
from tracelens.measure.power import card_id, open_card
from tracelens.measure.variables import telling_variables
from tracelens.model.report import Environment
from tracelens.version import __version__


def read_environment(device: str, *, packages: Mapping[str, str] | None = None) -> Environment:
    """Describe the machine and the device of that name, `cuda:0` or `cpu`, and an op's packages.

    What cannot be read is None. This starts CUDA where the device is a CUDA device.
    """
    card = torch.cuda.get_device_properties(device) if device.startswith("cuda") else None
    return Environment(
        tracelens=__version__,
        device=card.name if card else None,
        device_count=torch.cuda.device_count(),
        compute_capability=f"{card.major}.{card.minor}" if card else None,
        multiprocessors=card.multi_processor_count if card else None,
        driver=_driver() if card else None,
        cuda=torch.version.cuda,
        torch=str(torch.__version__),  # a str of its own kind, which a writer may not know
        triton=_version("triton"),
        packages=None if packages is None else dict(packages),
        python=platform.python_version(),
        cpu=_cpu(),
        os=platform.platform(),
        variables=telling_variables(os.environ),
        **_limits(device) if card else {},
    )


def _limits(device: str) -> dict[str, Any]:
    """Return what NVML knows of the card, or nothing: why, the card's own readings say."""
    try:
        return open_card(card_id(device)).limits
    except Unavailable:
        return {}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu() -> str | None:
    match = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or None


def _driver() -> str | None:
    """Return the kernel module's version: the one that nvidia-smi calls the driver version."""
    match = re.search(r"Kernel Module.*?(\d+\.\d+(?:\.\d+)?)", _text("/proc/driver/nvidia/version"))
    return match.group(1) if match else None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
