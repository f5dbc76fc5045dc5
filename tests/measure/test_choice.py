from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tracelens.errors import UsageError
from tracelens.measure import choice
from tracelens.measure.choice import choose_device


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let torch see two CUDA devices, the first one current."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(choice, "Cuda", lambda index: SimpleNamespace(name=f"cuda:{index}"))
    monkeypatch.setattr(choice, "tensors", lambda value: value)


def on(*devices: int | None) -> list[Any]:
    """Return a tensor on each of those devices; None is the CPU."""
    return [
        SimpleNamespace(is_cuda=d is not None, device=torch.device("cuda", d or 0)) for d in devices
    ]


@pytest.mark.usefixtures("cards")
@pytest.mark.parametrize(
    ("tensors", "wanted", "settled", "chosen"),
    [
        ([], None, False, "cuda:0"),
        ([], None, True, "cpu"),
        (on(None), None, False, "cuda:0"),
        (on(None), None, True, "cpu"),
        (on(None, 1), None, False, "cuda:1"),
        (on(None, 1), None, True, "cuda:1"),
        ([], "cuda", True, "cuda:0"),
        ([], "cuda:1", True, "cuda:1"),
        (on(1), "cuda:1", True, "cuda:1"),
        (on(None), "cuda", True, "cuda:0"),
        (on(None), "cpu", False, "cpu"),
    ],
)
def test_the_device_is_the_one_asked_for_or_where_the_tensors_are(
    tensors: list[Any], wanted: str | None, settled: bool, chosen: str
) -> None:
    assert choose_device(tensors, wanted=wanted, settled=settled).name == chosen


@pytest.mark.usefixtures("cards")
@pytest.mark.parametrize(
    ("tensors", "wanted", "fact"),
    [
        ([], "cuda:2", "The device cuda:2 was asked for; torch sees 2 CUDA devices."),
        (on(1), "cpu", "The device cpu was asked for; the op's tensors are on cuda:1."),
        (on(1), "cuda:0", "The device cuda:0 was asked for; the op's tensors are on cuda:1."),
        ([], "gpu", "'gpu' is no device."),
        ([], "cuda:", "'cuda:' is no device."),
        ([], "cuda:one", "'cuda:one' is no device."),
        ([], "cpu:1", "'cpu:1' is no device."),
        ([], "", "'' is no device."),
    ],
)
def test_a_device_that_is_not_there_or_contradicts_the_tensors_is_said(
    tensors: list[Any], wanted: str, fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        choose_device(tensors, wanted=wanted, settled=True)

    assert caught.value.fact == fact


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_without_a_card_everything_is_on_the_cpu() -> None:
    assert choose_device((torch.ones(1),), wanted=None, settled=False).name == "cpu"
    with pytest.raises(UsageError, match="torch sees 0 CUDA devices"):
        choose_device((), wanted="cuda", settled=False)
