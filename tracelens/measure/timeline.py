"""One session of torch.profiler, written as a Chrome trace."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from tracelens.errors import RunFolderError


class TorchTimeline:
    """A torch.profiler session in progress."""

    opened: ClassVar[int] = 0
    """How many sessions this process has opened here."""

    def __init__(self, session: profile) -> None:
        self._session = session

    def window(self, name: str) -> AbstractContextManager[object]:
        """Annotate the stretch of host time that the context lasts for."""
        return record_function(name)

    def write(self, path: Path) -> None:
        """Write the trace, compressed where the name ends in `.gz`. Raises RunFolderError."""
        try:
            self._session.export_chrome_trace(str(path))
        except (OSError, RuntimeError) as error:
            raise RunFolderError(
                f"The trace cannot be written to {path}: {error}.",
                "Check that the folder can be written and the disk has room.",
            ) from error


@contextmanager
def torch_timeline(*, cuda: bool) -> Iterator[TorchTimeline]:
    """Record host and device until the context ends.

    Only one session a process is to be trusted: later ones lose or misplace kernel records.
    """
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
    TorchTimeline.opened += 1
    # acc_events changes nothing for one cycle, but without it torch warns of it.
    session = profile(activities=activities, record_shapes=True, acc_events=True)
    with ExitStack() as running:
        with _without_inductor():
            running.enter_context(session)
        yield TorchTimeline(session)


@contextmanager
def _without_inductor() -> Iterator[None]:
    """Keep torch's profiler from importing torch._inductor, which took 4 s on one machine.

    It only asks whether inductor's CUDA graphs are on, by `hasattr(torch, "_inductor")`, which
    imports it. A process that has not imported it cannot have turned them on.
    """
    lazy = getattr(torch, "_lazy_modules", None)
    if not isinstance(lazy, set) or "_inductor" not in lazy or "torch._inductor" in sys.modules:
        yield
        return
    lazy.discard("_inductor")
    try:
        yield
    finally:
        lazy.add("_inductor")
