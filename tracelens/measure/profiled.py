"""The profiled pass: a few calls under the profiler, for diagnosis and never for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tracelens.measure.device import Timeline
from tracelens.measure.timing import FEWEST_SAMPLES, Instants, Timed, timed_stretch

HEAD_WINDOW = "tracelens::head"
CALL_WINDOW = "tracelens::call"
REPLAY_WINDOW = "tracelens::replay"
COLD_WINDOW = "tracelens::cold_call"
COLD_REPLAY_WINDOW = "tracelens::cold_replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What is profiled of one variant: its calls, its replays, both again with a cold cache."""

    subject: Timed
    replay: Callable[[], object] | None = None
    cold: Timed | None = None
    variant: str | None = None

    def window(self, name: str) -> str:
        """Return the name of its annotations; variants share a trace, but no window."""
        if self.variant is None:
            return name
        # Kineto writes every name that is not ASCII as "unknown".
        spelled = self.variant.encode("ascii", "xmlcharrefreplace").decode("ascii")
        return f"{name}[{spelled}]"


def profile_calls(
    passes: Sequence[Pass],
    *,
    head_calls: int,
    calls: int,
    replays: int,
    budget_ns: int,
    path: Path,
) -> list[Instants]:
    """Profile head calls that nothing reads, then calls, then replays; write the trace.

    All variants are in one session: a second one in a process is not to be trusted. Where there is
    a `cold` subject, calls and replays of it follow. Each is inside an annotation; what makes ready
    for it, such as a flush, and the wait behind it are outside. Returns for each variant the
    instants of the calls that count, read inside their annotations.
    """
    device = passes[0].subject.device
    device.synchronize()
    found = []
    with device.timeline() as timeline:
        for one in passes:
            with timed_stretch(grad=one.subject.grad):
                annotate = partial(_annotated, timeline, budget_ns=budget_ns)
                annotate(one.subject, HEAD_WINDOW, calls=head_calls)
                found.append(annotate(one.subject, one.window(CALL_WINDOW), calls=calls))
                for subject, name in _others(one):
                    is_replay = name in (REPLAY_WINDOW, COLD_REPLAY_WINDOW)
                    annotate(subject, one.window(name), calls=replays if is_replay else calls)
    timeline.write(path)
    return found


def _others(one: Pass) -> Iterator[tuple[Timed, str]]:
    if one.replay is not None:
        yield replace(one.subject, call=one.replay), REPLAY_WINDOW
    if one.cold is not None:
        yield one.cold, COLD_WINDOW
    if one.cold is not None and one.replay is not None:
        yield replace(one.cold, call=one.replay), COLD_REPLAY_WINDOW


def _annotated(
    timeline: Timeline, subject: Timed, name: str, *, calls: int, budget_ns: int
) -> Instants:
    call, now, synchronize = subject.call, subject.device.now_ns, subject.device.synchronize
    instants = Instants()
    end_ns = now() + budget_ns
    for _ in range(calls):
        subject.begin()
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
