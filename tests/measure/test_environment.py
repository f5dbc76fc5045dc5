from __future__ import annotations

import platform

import pytest
import torch

from tracelens.measure import environment
from tracelens.measure.environment import read_environment
from tracelens.version import __version__

DRIVER = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"
    "GCC version:  gcc version 15.3.0 (GCC)\n"
)


def test_the_cpu_has_versions_and_no_card() -> None:
    found = read_environment("cpu")

    assert (found.tracelens, found.python) == (__version__, platform.python_version())
    assert found.torch == torch.__version__
    assert (found.device, found.driver, found.multiprocessors) == (None, None, None)


@pytest.mark.parametrize(
    ("path", "text", "driver"),
    [
        ("/proc/driver/nvidia/version", DRIVER, "580.159.04"),
        ("/proc/driver/nvidia/version", "Kernel Module  470.42  Release", "470.42"),
        ("/proc/driver/nvidia/version", "something else", None),
        ("/elsewhere", DRIVER, None),
    ],
)
def test_the_driver_is_what_the_kernel_module_says(
    monkeypatch: pytest.MonkeyPatch, path: str, text: str, driver: str | None
) -> None:
    files = {path: text}
    monkeypatch.setattr(environment, "_text", lambda name: files.get(name, ""))

    assert environment._driver() == driver


def test_a_package_that_is_not_there_has_no_version() -> None:
    assert environment._version("no-such-package-here") is None
