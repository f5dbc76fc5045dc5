"""The profiled pass: a few calls under the profiler, for diagnosis and never for comparison."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tracelens.measure.device import Device, Timeline
from tracelens.measure.timing import FEWEST_SAMPLES, Instants, Subject, timed_stretch

HEAD_WINDOW = "tracelens::head"
CALL_WINDOW = "tracelens::call"
REPLAY_WINDOW = "tracelens::replay"


def profile_calls(
    subject: Subject,
    *,
    replay: Callable[[], object] | None,
    head_calls: int,
    calls: int,
    replays: int,
    budget_ns: int,
    path: Path,
) -> Instants:
    """Profile head calls that nothing reads, then calls, then replays; write the trace.

    Each is inside an annotation and followed by a wait outside it. Returns the instants of the
    calls that count, read inside their annotations.
    """
    with timed_stretch(grad=subject.grad):
        subject.device.synchronize()
        with subject.device.timeline() as timeline:
            annotate = partial(_annotated, subject.device, timeline, budget_ns=budget_ns)
            annotate(subject.call, HEAD_WINDOW, calls=head_calls)
            instants = annotate(subject.call, CALL_WINDOW, calls=calls)
            if replay is not None:
                annotate(replay, REPLAY_WINDOW, calls=replays)
    timeline.write(path)
    return instants


def _annotated(
    device: Device,
    timeline: Timeline,
    call: Callable[[], object],
    name: str,
    *,
    calls: int,
    budget_ns: int,
) -> Instants:
    now, synchronize = device.now_ns, device.synchronize
    instants = Instants()
    end_ns = now() + budget_ns
    for _ in range(calls):
        with timeline.window(name):
            begun_ns = now()
            result = call()
            returned_ns = now()
        synchronize()
        done_ns = now()
        del result
        instants.add(begun_ns, returned_ns, done_ns)
        if done_ns >= end_ns and len(instants) >= FEWEST_SAMPLES:
            break
    return instants
