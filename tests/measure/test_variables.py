from __future__ import annotations

from tracelens.measure.variables import telling_variables


def test_only_listed_variables_are_told_and_long_ones_are_cut() -> None:
    environment = {
        "TRITON_DEBUG": "1",
        "CUDA_VISIBLE_DEVICES": "0",
        "PYTORCH_CUDA_ALLOC_CONF": "x" * 300,
        "TRITON_CACHE_DIR": "/home/somebody",
        "SECRET_TOKEN": "do not tell",
    }

    assert telling_variables(environment) == {
        "CUDA_VISIBLE_DEVICES": "0",
        "PYTORCH_CUDA_ALLOC_CONF": "x" * 199 + "…",
        "TRITON_DEBUG": "1",
    }
