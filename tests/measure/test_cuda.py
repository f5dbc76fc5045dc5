"""What the CUDA device decides without one; the rest is in test_gpu.py."""

from __future__ import annotations

import sys

import pytest
import torch

from tracelens.measure.cuda import Cuda
from tracelens.measure.device import Unavailable
from tracelens.measure.timeline import TorchTimeline


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Cuda:
    monkeypatch.setattr(torch.cuda, "set_device", lambda index: None)
    return Cuda(1)


def test_a_device_is_named_by_its_number(card: Cuda) -> None:
    assert (card.name, card.asynchronous) == ("cuda:1", True)


def test_after_a_profiler_session_kernel_records_are_not_trusted(
    card: Cuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TorchTimeline, "opened", 1)

    with pytest.raises(Unavailable, match="kernel records follow its clock"):
        card.work_records()


def test_without_cupti_the_extra_is_named(card: Cuda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TorchTimeline, "opened", 0)
    monkeypatch.setitem(sys.modules, "cupti", None)

    with pytest.raises(Unavailable) as caught, card.work_records():
        pass

    assert (caught.value.reason, caught.value.advice) == (
        "The package cupti-python is not installed.",
        "Install it with `pip install 'tracelens-gpu[cupti]'`.",
    )
