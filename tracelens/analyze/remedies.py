"""What would make a call shorter, and by how much: only where it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tracelens.analyze.host_sampled import error_ns
from tracelens.analyze.owners import (
    CACHE_KEY,
    FLAG_GEMS,
    METADATA,
    OPTIONS,
    SPECIALISATION,
    TRITON_LAUNCHER,
    owner_of_stack,
)
from tracelens.analyze.split import split
from tracelens.analyze.statistics import HIGH, LOW, median, quantile
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.waiting import Wait, waiting
from tracelens.analyze.windows import Windows
from tracelens.model.functions import Frame, FunctionSamples
from tracelens.model.measurement import Measurement
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Finding, Section

TITLE = "What would help"

_LAUNCHERS = (TRITON_LAUNCHER, FLAG_GEMS)
_REPEATED = (SPECIALISATION, CACHE_KEY, METADATA, OPTIONS)
"""What a launcher works out in each call, and finds the same each time."""

_LEAST_SHARE = 0.01
"""Of the host time: less of it is not worth the reader's time."""


def remedies(
    taken: Mapping[str, Measurement],
    samples: FunctionSamples | None,
    timeline: Timeline,
    windows: Windows,
    *,
    lines: Sequence[Frame] = (),
) -> Section:
    """Say what would help an op that was measured, `lines` being those at which it waits."""
    return Section(
        title=TITLE,
        findings=(
            *_graph(taken),
            *(_cached_launcher(samples) if samples else ()),
            *_fewer_launches(timeline, windows),
            *_fewer_waits(waiting(timeline, windows), windows, lines),
        ),
    )


def remedies_of_trace(timeline: Timeline, windows: Windows) -> Section:
    """Say what would help the calls of a trace; nothing where its windows are no calls."""
    if windows.kind != "call":
        return Section(title=TITLE)
    return remedies({}, None, timeline, windows)


def _graph(taken: Mapping[str, Measurement]) -> Iterator[Finding]:
    """Say what a graph removes, where four of five calls are longer than four of five replays."""
    eager, graph = taken.get("full/eager"), taken.get("full/graph")
    if eager is None or graph is None:
        return
    usual, longest = quantile(eager.samples_ns, LOW), quantile(graph.samples_ns, HIGH)
    if usual is None or longest is None or usual <= longest:
        return
    eager_ns, graph_ns = median(eager.samples_ns) or 0, median(graph.samples_ns) or 0
    yield _finding(
        "graph",
        f"a CUDA Graph removes {spell_ns(eager_ns - graph_ns)} of the full call: "
        f"{spell_ns(eager_ns)} eager, {spell_ns(graph_ns)} replayed (medians, profiler off)",
        "capture with torch.cuda.graph where shapes and addresses stay the same, or compile with "
        "mode='reduce-overhead'",
    )


def _cached_launcher(samples: FunctionSamples) -> Iterator[Finding]:
    """Say what launchers repeat in each call."""
    found = dict.fromkeys(_REPEATED, 0)
    for stack in samples.stacks:
        owner = owner_of_stack([samples.frames[at] for at in stack.frames])
        if owner.group in _LAUNCHERS and owner.purpose in found:
            found[owner.purpose] += stack.count
    repeated, whole_ns = sum(found.values()), median(samples.plain_ns) or 0
    if repeated < _LEAST_SHARE * samples.samples:
        return
    share = repeated / samples.samples
    error = error_ns(whole_ns, repeated, samples.samples)
    parts = ", ".join(
        f"{purpose} {spell_ns(whole_ns * count / samples.samples)}"
        for purpose, count in sorted(found.items(), key=lambda item: -item[1])
        if count
    )
    yield _finding(
        "cached_launcher",
        f"launchers work out in each call what stays the same from call to call: "
        f"{spell_ns(whole_ns * share)} +/- {spell_ns(error)}, {spell_share(share)} of the host "
        f"time of a call ({parts}; sampled, profiler off)",
        "launch through a cache of your own: keep the compiled kernel and call its launcher, or "
        "let torch.compile write the wrapper",
    )


def _fewer_launches(timeline: Timeline, windows: Windows) -> Iterator[Finding]:
    """Say what launch calls cost a call that makes several, as the profiler saw it."""
    if not len(windows):
        return
    owning = timeline.launches.owns_kernel[windows.call]
    launches = median(np.bincount(windows.call_window[owning], minlength=len(windows))) or 0
    exposed_ns = median(split(timeline, windows).launch_in_call_ns) or 0
    if launches < 2 or exposed_ns == 0:
        return
    yield _finding(
        "fewer_launches",
        f"a call makes {launches} launches: with the device idle it is inside launch calls for "
        f"{spell_ns(exposed_ns)}, {spell_ns(exposed_ns / launches)} for each launch (medians, "
        "profiler on)",
        "fuse kernels: each launch less saves about that, and the dispatch in front of it",
    )


def _fewer_waits(
    waits: Sequence[Wait], windows: Windows, lines: Sequence[Frame]
) -> Iterator[Finding]:
    """Say which calls wait, where, and from which lines."""
    for wait in waits:
        inside = f", in {' > '.join(wait.inside)}" if wait.inside else ""
        yield _finding(
            "fewer_waits",
            f"{wait.windows} of {len(windows)} calls wait for the device before they return, "
            f"{spell_ns(wait.median_ns)} in {wait.name}{inside} (median, profiler on)"
            f"{_at(lines)}",
            "keep the value on the device, or read it once, later: until then nothing is launched",
        )


def _at(lines: Sequence[Frame]) -> str:
    said = [f"{f.file}:{f.line}{f': {f.text.strip()}' if f.text.strip() else ''}" for f in lines]
    return f"; torch waits at {', '.join(dict.fromkeys(said))}" if said else ""


def _finding(kind: str, fact: str, advice: str) -> Finding:
    return Finding(tag=f"help/{kind}", severity="info", fact=fact, advice=advice)
