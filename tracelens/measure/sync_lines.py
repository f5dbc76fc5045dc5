"""Which lines of an op make the host wait: torch warns of them in one untimed call.

Its `torch.cuda.set_sync_debug_mode` sees the operations that wait by themselves, such as `item`,
`nonzero` and blocking copies. It does not see what a user writes to wait, such as
`torch.cuda.synchronize`, nor what is run on other threads.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import FrameType

import torch

from tracelens.measure.device import Device
from tracelens.measure.sampling.frames import frame_of
from tracelens.model.functions import Frame
from tracelens.model.sync_line import SyncLine

_SAYS = "called a synchronizing"
"""How torch's warning begins (torch 1.10 to 2.13)."""


def watch_syncs(
    call: Callable[[], object], device: Device, own_files: Collection[str]
) -> Iterator[SyncLine]:
    """Call an op once, untimed, and yield the lines from which it waits, in order.

    On a device that does not queue work nothing waits, and the op is not called.
    """
    if not device.asynchronous or not torch.cuda.is_available():
        return
    found: Counter[Frame] = Counter()
    with _warned_of_syncs(found, own_files):
        call()
    for frame, count in found.items():
        yield SyncLine(frame=frame, count=count)


@contextmanager
def _warned_of_syncs(found: Counter[Frame], own_files: Collection[str]) -> Iterator[None]:
    def show(
        message: Warning | str, _category: object, filename: str, lineno: int, *_rest: object
    ) -> None:
        frame: FrameType | None = sys._getframe(1)  # between it and us are those of `warnings`
        while frame and (frame.f_code.co_filename, frame.f_lineno) != (filename, lineno):
            frame = frame.f_back
        if frame and str(message).startswith(_SAYS):
            found[frame_of(frame.f_code, frame.f_lasti, own_files=own_files)] += 1

    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show  # type: ignore[assignment]  # Python calls it by place
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode(before)
