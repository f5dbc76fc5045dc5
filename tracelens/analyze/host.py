"""Where the host dispatch of a call goes: a tree of framework ops, API calls and Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tracelens.analyze.apportioning import apportion
from tracelens.analyze.host_layers import AUTOGRAD, FRAMEWORK
from tracelens.analyze.host_times import HostTimes, divide
from tracelens.analyze.integrity import host_alone
from tracelens.analyze.line import Line
from tracelens.analyze.sight import Sight
from tracelens.analyze.split import placed_parts
from tracelens.analyze.statistics import median
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.tree import branches
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Cell, Column, Finding, Metric, Section, Table

_COLUMNS = (
    Column(name="layer"),
    Column(name="name"),
    Column(name="self_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="total_ns", unit="ns"),
    Column(name="count", unit="count"),
    Column(name="median_ns", unit="ns"),
    Column(name="depth", unit="count"),
    Column(name="parent", unit="count"),
)

_MOST = 0.5
"""Share of the host dispatch from which on one row's own time is the question to ask next."""

_LONG_NS = 25_000
"""Own time of one record that an op written in C++ hardly takes to dispatch: recorded on an H200
host, profiler on, they took 1 to 13 us, and ops written in Python 50 to 100."""

_MOST_RECORDS = 200_000
"""Framework ops, API calls and annotations of a trace of which every window is divided. To divide
takes 80 bytes and 0.4 us a record: more than all else that is done with a large trace."""

_MAY_BE_PYTHON = (FRAMEWORK, AUTOGRAD)
"""Layers whose records may enclose Python: ops registered from it, subclasses of Function."""

HostKey = tuple[str, str]
"""Layer and name."""


def host(timeline: Timeline, windows: Windows) -> Section:
    """Table the host dispatch of the typical window as a tree whose self times sum to it.

    The typical window is the middle one by its host dispatch; of an even number it is half of the
    two middle ones, to the whole ns that `split/host_dispatch/median` is. `self_ns` sum to that
    with `==`; `total_ns` adds the rows below, `parent` is the number of the row above, from 0,
    `count` how often a call has it, `median_ns` the median of the row's self time over all windows.
    It was taken with the profiler on: it says where the time goes, not how much of it there is.
    Of a trace with very many records only the typical window is divided, and `median_ns` is null;
    where that one alone holds as many, nothing is, and a finding says so. Where nothing launches
    the host dispatch is the whole window, and is called the host's time: a CPU op computes in it.
    """
    line = Line.of(windows.starts, windows.ends)
    sight = Sight(timeline, windows, line)
    *_, dispatch, _ = placed_parts(sight)
    lengths_ns = line.lengths_ns(dispatch)
    middle = _middle(lengths_ns)
    whole_ns = median(lengths_ns) or 0
    alone = host_alone(timeline)
    told = Section(
        title=_title(windows, alone=alone),
        metrics=(_whole(windows, whole_ns, len(middle), alone=alone),),
    )
    if _records(timeline, windows, slice(None)) <= _MOST_RECORDS:
        rows = tuple(_rows(divide(sight, dispatch), middle, whole_ns))
    elif sum(_records(timeline, windows, slice(at, at + 1)) for at in middle) <= _MOST_RECORDS:
        rows = tuple(_rows(_divided_alone(timeline, windows.only(middle)), None, whole_ns))
    else:
        return replace(told, findings=(_too_many(windows),))
    table = Table(tag="host", columns=_COLUMNS, rows=rows)
    return replace(told, tables=(table,), findings=() if alone else tuple(_unrecorded(rows)))


def _title(windows: Windows, *, alone: bool) -> str:
    if alone:
        return f"Host time of a {_one(windows)} by op, profiler on"
    return f"Host dispatch of a {_one(windows)}, profiler on"


def _one(windows: Windows) -> str:
    return "call" if windows.kind == "call" else "window"


def _divided_alone(timeline: Timeline, windows: Windows) -> HostTimes:
    sight = Sight(timeline, windows, Line.of(windows.starts, windows.ends))
    *_, dispatch, _ = placed_parts(sight)
    return divide(sight, dispatch)


def _records(timeline: Timeline, windows: Windows, stretch: slice) -> int:
    """Count the host's records that begin from the first start to the last end of windows."""
    starts, ends = windows.starts[stretch], windows.ends[stretch]
    if not len(starts):
        return 0
    trace = timeline.trace
    begun = (trace.ops.start_ns, trace.calls.start_ns, trace.annotations.start_ns)
    return sum(int(((ns >= starts.min()) & (ns < ends.max())).sum()) for ns in begun)


def _too_many(windows: Windows) -> Finding:
    return Finding(
        tag="host/too_many",
        severity="info",
        fact=f"a {_one(windows)} holds more than {_MOST_RECORDS:,} records of the host: its host "
        "dispatch is not divided",
        advice="name shorter windows, with --window or --time-window",
    )


def median_times(timeline: Timeline, windows: Windows) -> dict[HostKey, int]:
    """Return the median self time per window by layer and name, over the whole of each window."""
    line = Line.of(windows.starts, windows.ends)
    times = divide(Sight(timeline, windows, line), line.whole)
    per_window: dict[HostKey, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    columns = (times.window, times.node, times.self_ns)
    for window, node, self_ns in zip(*(c.tolist() for c in columns), strict=True):
        found = times.nodes[node]
        per_window[found.layer, found.name][window] += self_ns
    typical = {
        key: median([*of.values(), *[0] * (len(windows) - len(of))]) or 0
        for key, of in per_window.items()
    }
    return {key: self_ns for key, self_ns in typical.items() if self_ns > 0}


def _middle(lengths_ns: Int64s) -> list[int]:
    """Return the window with the median length, or the two that the median lies between."""
    order: list[int] = np.argsort(lengths_ns, kind="stable").tolist()
    return order[(len(order) - 1) // 2 : len(order) // 2 + 1]


def _whole(windows: Windows, whole_ns: int, middle: int, *, alone: bool) -> Metric:
    rule = "the middle window" if middle == 1 else "half of the two middle windows"
    return Metric(
        tag="host/whole",
        name=f"host time of a {_one(windows)}" if alone else "host dispatch",
        value=whole_ns if len(windows) else None,
        unit="ns",
        description=f"{rule} of {len(windows)}" if len(windows) > 1 else "of the one window",
    )


def _rows(times: HostTimes, middle: list[int] | None, whole_ns: int) -> Iterator[tuple[Cell, ...]]:
    """Yield the tree of the middle windows, scaled to a whole; None where there are no others."""
    weights, counts = [0] * len(times.nodes), [0] * len(times.nodes)
    chosen = np.isin(times.window, middle) if middle else np.ones(len(times.window), np.bool_)
    columns = (times.node[chosen], times.self_ns[chosen], times.count[chosen])
    for node, self_ns, count in zip(*(c.tolist() for c in columns), strict=True):
        weights[node] += self_ns
        counts[node] += count
    selves = apportion(whole_ns, weights)
    samples = _samples(times)
    looked_at = len(middle) if middle else int(times.window.max(initial=0)) + 1
    for branch in branches([node.parent for node in times.nodes], selves):
        node, self_ns = times.nodes[branch.node], selves[branch.node]
        yield (
            node.layer,
            node.name,
            self_ns,
            self_ns / whole_ns,
            branch.total,
            round(counts[branch.node] / looked_at) or None,
            median(samples[branch.node]) if middle else None,
            branch.depth,
            branch.parent,
        )


def _unrecorded(rows: tuple[tuple[Cell, ...], ...]) -> Iterator[Finding]:
    """Say of an op that is most of the tree by itself, and long, what its own time may be."""
    for layer, name, self_ns, share, _, count, *_ in rows:
        if not (isinstance(self_ns, int) and isinstance(share, float) and isinstance(count, int)):
            continue
        if share >= _MOST and self_ns >= count * _LONG_NS and layer in _MAY_BE_PYTHON:
            yield Finding(
                tag="host/unrecorded",
                severity="info",
                fact=f"{spell_share(share)} of the host dispatch is the own time of {name}, "
                f"{spell_ns(self_ns / count)} a call: code inside it that leaves no record, such "
                "as the op's own Python where it is written in Python",
                advice="sample the functions: `tracelens profile` of an op file does",
            )


def _samples(times: HostTimes) -> list[Int64s]:
    """Return the self times of each node, one for each window; 0 where a window lacks it."""
    windows = int(times.window.max(initial=-1)) + 1
    order = np.argsort(times.node, kind="stable")
    ends = np.searchsorted(times.node[order], np.arange(1, len(times.nodes)), side="left")
    return [
        np.pad(found, (0, windows - len(found))) for found in np.split(times.self_ns[order], ends)
    ]
