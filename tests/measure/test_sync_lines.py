"""The lines from which an op waits, as torch's warnings name them."""

import warnings

import pytest
import torch

from tracelens.measure.cpu import Cpu
from tracelens.measure.sync_lines import watch_syncs
from tracelens.model.functions import Frame
from tracelens.model.sync_line import SyncLine


class Queueing(Cpu):
    """The CPU, were it to queue its work."""

    asynchronous = True


@pytest.fixture
def modes(monkeypatch) -> list:
    """Keep torch's mode in a list, for the CPU build has none."""
    set_to = [0]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: set_to[-1])
    monkeypatch.setattr(torch.cuda, "set_sync_debug_mode", set_to.append)
    return set_to


def wait() -> None:
    warnings.warn("called a synchronizing CUDA operation (Triggered ...)", stacklevel=2)


def op() -> None:
    wait()
    wait(), wait()
    warnings.warn("something else", stacklevel=1)


def test_each_line_that_waits_is_named_once_with_how_often(modes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the user's own filter plays no part
        found = list(watch_syncs(op, Queueing(), (__file__,)))
    line = op.__code__.co_firstlineno
    assert found == [
        SyncLine(
            frame=Frame(function="op", file="<op file>", line=line + at, defined=line), count=n
        )
        for at, n in ((1, 1), (2, 2))
    ]
    assert modes == [0, "warn", 0]


def test_the_mode_is_put_back_where_the_op_raises(modes):
    with pytest.raises(ZeroDivisionError):
        list(watch_syncs(lambda: 1 // 0, Queueing(), ()))
    assert modes == [0, "warn", 0]


def test_on_a_device_that_does_not_queue_nothing_is_called():
    assert list(watch_syncs(lambda: 1 // 0, Cpu(), ())) == []
