"""What ran in the calls of one subject: the ground of the case table and of expectations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.integrity import kernels_known, whole_windows
from tracelens.analyze.kernel_use import KernelUse, kernel_uses
from tracelens.analyze.readings import Known
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows, choose
from tracelens.model.measurement import SubjectRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A subject and the kernels of its eager calls, the longest per call first.

    `kernels` is None where no profiled pass tells of them, `complete` False where it lacks records
    of some calls. `memory_ns` is what copies and sets add to a call: their plain sum, divided by
    the calls.
    """

    found: SubjectRun
    kernels: tuple[KernelUse, ...] | None = None
    memory_ns: int = 0
    complete: bool = True

    @classmethod
    def of(cls, found: SubjectRun, timeline: Timeline | None) -> Ran:
        """Read what ran off a subject's profiled pass, None where there is none.

        Raises UsageError where the timeline lacks the windows that the run says it has.
        """
        if timeline is None or found.capture is None or not kernels_known(timeline):
            return cls(found=found)
        calls = choose(timeline, window=found.capture.window)
        uses = kernel_uses(timeline, calls, known=Known.of(found))
        return cls(
            found=found,
            kernels=tuple(sorted(uses, key=lambda use: (-(use.per_call_ns or 0), use.order))),
            memory_ns=_memory_ns(timeline, calls),
            complete=bool(whole_windows(timeline, calls).all()),
        )

    @property
    def device_ns(self) -> int:
        """Device time of a call: the plain sum of its kernels, copies and sets."""
        return self.memory_ns + sum(use.per_call_ns or 0 for use in self.kernels or ())


def _memory_ns(timeline: Timeline, calls: Windows) -> int:
    owned = np.unique(calls.piece)
    rows = owned[~timeline.kernels[owned] & timeline.sound.summed[owned]]
    total = int(timeline.trace.device_work.duration_ns[rows].sum())
    return round(total / len(calls)) if len(calls) else 0
