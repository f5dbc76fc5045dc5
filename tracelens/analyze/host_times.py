"""Where the host was during its windows: each instant of them given to one path of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tracelens.analyze.grouping import first_rows, fold, group, reduce_groups
from tracelens.analyze.host_layers import (
    FRAMEWORK,
    LAYERS,
    PYTHON,
    layers_of_calls,
    layers_of_spans,
)
from tracelens.analyze.line import Slices
from tracelens.analyze.nesting import Nest
from tracelens.analyze.sight import Sight
from tracelens.model.intervals import Bools, Int64s, Intervals, Ints
from tracelens.model.trace import MISSING, Records

OUTSIDE = "outside framework ops"


@dataclass(frozen=True, slots=True)
class HostNode:
    """Records of one layer and name that open inside those of one other node, or of none."""

    layer: str
    name: str
    parent: int
    """The number of the other node, or MISSING."""


@dataclass(frozen=True, slots=True, eq=False)
class HostTimes:
    """Self times of the host: window `window[k]` was for `self_ns[k]` in the node `node[k]`.

    Node 0 is the time outside all records. Parents come before their children. `count[k]` is how
    many records of the node began in the window, whenever they ran. Rows are sorted by window, then
    node, and each pair has one; a window's self times sum to what was divided, with `==`.
    """

    nodes: tuple[HostNode, ...]
    window: Int64s
    node: Int64s
    self_ns: Int64s
    count: Int64s


def divide(sight: Sight, time: Intervals) -> HostTimes:
    """Divide a set of time on the line of windows by where the host was.

    An instant belongs to the innermost record that is open, a framework op, an API call or an
    annotation. Where several threads work for a window, its own comes first, then the others in
    the order in which they launch: the first that is inside a record has the instant.
    """
    nest, node_of, nodes = _nested(sight)
    window, thread = sight.threads()
    starts, ends = sight.windows.starts[window], sight.windows.ends[window]
    sums = []
    for of_window in _by_rank(sight):
        asked = sight.line.lift(time)
        asked = _slices_of(asked, of_window[asked.slots] != MISSING)
        place, seen = nest.seen(of_window[asked.slots], asked.starts, asked.ends)
        seen = Slices(asked.slots[seen.slots], seen.starts, seen.ends)
        sums.append(_sums(seen.slots, node_of[place], seen.ends - seen.starts))
        time = time.subtract(sight.line.place(seen))
    question, begun = nest.begun(thread, starts, ends)
    sums.append(_sums(window[question], node_of[begun], np.zeros_like(begun), counted=True))
    every = np.arange(len(sight.windows))
    sums.append(_sums(every, np.zeros_like(every), sight.line.lengths_ns(time)))
    return _joined(nodes, sums)


def _slices_of(slices: Slices, rows: Bools) -> Slices:
    return Slices(slices.slots[rows], slices.starts[rows], slices.ends[rows])


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Self times and counts of some pairs of window and node, each pair once."""

    window: Int64s
    node: Int64s
    self_ns: Int64s
    count: Int64s


def _sums(window: Int64s, node: Int64s, self_ns: Int64s, *, counted: bool = False) -> _Sums:
    """Add what is of one window and one node, at once: there are many rows and few such pairs."""
    pair, pairs = group(window, node)
    head = first_rows(pair, pairs)
    count = np.bincount(pair, minlength=pairs) if counted else np.zeros(pairs, np.int64)
    return _Sums(
        window[head], node[head], reduce_groups(np.add, self_ns, pair, pairs, empty=0), count
    )


def _joined(nodes: tuple[HostNode, ...], sums: list[_Sums]) -> HostTimes:
    window = np.concatenate([each.window for each in sums])
    node = np.concatenate([each.node for each in sums])
    pair, pairs = group(window, node)
    head = first_rows(pair, pairs)
    self_ns = np.concatenate([each.self_ns for each in sums])
    count = np.concatenate([each.count for each in sums])
    return HostTimes(
        nodes=nodes,
        window=window[head],
        node=node[head],
        self_ns=reduce_groups(np.add, self_ns, pair, pairs, empty=0),
        count=reduce_groups(np.add, count, pair, pairs, empty=0),
    )


def _by_rank(sight: Sight) -> Iterator[Int64s]:
    """Yield the first thread of each window, then the second: MISSING where it has no other."""
    window, thread = sight.threads()
    rank = _ranks(window)
    for number in range(int(rank.max(initial=-1)) + 1):
        of_window = np.full(len(sight.windows), MISSING, np.int64)
        of_window[window[rank == number]] = thread[rank == number]
        yield of_window


def _ranks(window: Int64s) -> Int64s:
    """Return how many threads of the same window come before each."""
    order = np.argsort(window, kind="stable")
    head = np.searchsorted(window[order], window[order], side="left")
    ranks = np.empty(len(window), np.int64)
    ranks[order] = np.arange(len(window)) - head
    return ranks


def _nested(sight: Sight) -> tuple[Nest, Int64s, tuple[HostNode, ...]]:
    """Nest the records of the threads that work for the windows; return each place's node too."""
    timeline, threads = sight.timeline, sight.timeline.threads
    trace, sound = timeline.trace, timeline.sound
    near = _near(sight)
    ops = near(trace.ops, threads.of_op, sound.ops)
    calls = near(trace.calls, threads.of_call, sound.calls)
    notes = near(trace.annotations, threads.of_annotation, sound.annotations)
    notes = notes[~_around_windows(sight, notes)]
    kinds = (
        (trace.ops, threads.of_op, ops),
        (trace.calls, threads.of_call, calls),
        (trace.annotations, threads.of_annotation, notes),
    )
    slices = Slices(
        np.concatenate([thread[rows] for _, thread, rows in kinds]),
        np.concatenate([records.start_ns[rows] for records, _, rows in kinds]),
        np.concatenate([records.end_ns[rows] for records, _, rows in kinds]),
    )
    name = [records.name[rows] for records, _, rows in kinds]
    layer = (
        layers_of_spans(timeline, name[0], otherwise=FRAMEWORK),
        layers_of_calls(timeline, calls),
        layers_of_spans(timeline, name[2], otherwise="annotation"),
    )
    nest = Nest.of(slices, threads.count)
    layers, names = np.concatenate(layer)[nest.rows], np.concatenate(name)[nest.rows]
    return nest, *_nodes(nest.parent, layers, names, trace.names)


def _nodes(
    parents: Int64s, layers: Int64s, names: Ints, spelled: tuple[str, ...]
) -> tuple[Int64s, tuple[HostNode, ...]]:
    """Return the node of each place of a nest, and all nodes."""
    node_of = np.full(len(parents), MISSING, np.int64)
    nodes = [HostNode(PYTHON, OUTSIDE, MISSING)]
    waiting = np.arange(len(parents))
    ready = parents == MISSING
    while len(waiting):
        places, waiting = waiting[ready], waiting[~ready]
        above = np.where(parents[places] == MISSING, MISSING, node_of[parents[places]])
        numbers, count = group(above, layers[places], names[places])
        node_of[places] = len(nodes) + numbers
        for at in first_rows(numbers, count).tolist():
            layer, name = LAYERS[layers[places[at]]], spelled[names[places[at]]]
            nodes.append(HostNode(layer, name, int(above[at])))
        ready = node_of[parents[waiting]] != MISSING
    return node_of, tuple(nodes)


def _near(sight: Sight) -> Callable[[Records, Int64s, Bools], Int64s]:
    """Return what finds the records of working threads that reach into the stretch of windows."""
    working = np.zeros(sight.timeline.threads.count, np.bool_)
    working[sight.threads()[1]] = True
    first_ns = sight.windows.starts.min(initial=0)
    last_ns = sight.windows.ends.max(initial=0)

    def near(records: Records, threads: Int64s, sound: Bools) -> Int64s:
        inside = (records.end_ns > first_ns) & (records.start_ns < last_ns)
        return np.flatnonzero(sound & inside & working[threads])

    return near


def _around_windows(sight: Sight, rows: Int64s) -> Bools:
    """Mark annotations that are open as a window of their thread begins: the window's own, steps.

    They say which call it is, not where in the call the host was.
    """
    windows, notes = sight.windows, sight.timeline.trace.annotations
    own = windows.threads >= 0
    thread = sight.timeline.threads.of_annotation[rows]
    begun, open_, over = fold(
        (windows.threads[own], windows.starts[own]),
        (thread, notes.start_ns[rows]),
        (thread, notes.end_ns[rows]),
    )
    begun = np.sort(begun)
    around: Bools = np.searchsorted(begun, over, side="left") > np.searchsorted(
        begun, open_, side="left"
    )
    return around
