"""Where a call waits for the device, by the framework's own account."""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.model.functions import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncLine:
    """A line of Python from which one call makes the host wait for the device, `count` times."""

    frame: Frame
    count: int
