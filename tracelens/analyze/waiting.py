"""Which calls inside a window wait for the device, and in which framework ops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import fold
from tracelens.analyze.host_times import HostNode, divide
from tracelens.analyze.line import Line, Slices
from tracelens.analyze.sight import Sight
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.trace import MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """An API call that waits: what it is called in, outermost first, how long, in how many windows.

    `median_ns` is the time per window over those that wait.
    """

    name: str
    inside: tuple[str, ...]
    median_ns: int
    windows: int


def waiting(timeline: Timeline, windows: Windows) -> tuple[Wait, ...]:
    """Return the waits of call windows, the longest first, without the one that ends each."""
    line = Line.of(windows.starts, windows.ends)
    rows, starts, ends = timeline.waits
    thread = timeline.threads.of_call[rows]
    closed, closing = fold((thread, ends), (windows.threads, windows.ends))
    inner = ~np.isin(closed, closing)
    lanes = Line.fitted(timeline.threads.count, Slices(thread, starts, ends))
    seen = lanes.look(
        lanes.place(Slices(thread[inner], starts[inner], ends[inner])),
        slots=windows.threads,
        starts=windows.starts,
        ends=windows.ends,
    )
    times = divide(Sight(timeline, windows, line), line.place(seen))
    found = [
        Wait(
            name=node.name,
            inside=_inside(times.nodes, node),
            median_ns=median(taken) or 0,
            windows=len(taken),
        )
        for number, node in enumerate(times.nodes)
        if len(taken := times.self_ns[(times.node == number) & (times.self_ns > 0)])
    ]
    return tuple(sorted(found, key=lambda wait: (-wait.median_ns, wait.name)))


def _inside(nodes: tuple[HostNode, ...], node: HostNode) -> tuple[str, ...]:
    names: list[str] = []
    while node.parent != MISSING:
        node = nodes[node.parent]
        names.append(node.name)
    return tuple(reversed(names))
