"""On a CUDA device: the configuration that a profile shows is the one that ran."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.configurations import CHECKS
from tracelens.api import profile_file

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

OPS = Path(__file__).parent / "ops"


@pytest.mark.parametrize("op", CHECKS)
def test_a_profile_shows_the_configuration_that_ran(op: str, tmp_path: Path) -> None:
    profiled = profile_file(OPS / f"{op}.py", output=tmp_path / f"{op}.run")

    assert profiled.failure is None
    CHECKS[op](profiled.folder)
