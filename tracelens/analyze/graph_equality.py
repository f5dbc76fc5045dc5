"""Whether a graph's replay runs what the eager call runs: else its time is another op's."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.cut import cut
from tracelens.model.intervals import Int64s
from tracelens.model.report import Finding

Kernel = tuple[str, tuple[int, ...], tuple[int, ...]]
"""A kernel's name, grid and block."""

_NAMES_SHOWN = 3
_LONGEST_NAME = 60


def other_kernels(timeline: Timeline, calls: Windows, replays: Windows) -> Finding | None:
    """Compare the kernels of the usual eager call and the usual replay, as multisets.

    A kernel is its name, grid and block. Of a replay only what the graph itself launched counts:
    torch puts the random numbers' seed in place before it. None where both run the same.
    """
    eager = _usual(timeline, calls, calls.piece)
    graph = _usual(timeline, replays, _of_graphs(timeline, replays.piece))
    if eager == graph:
        return None
    return Finding(
        tag="graph/other_kernels",
        severity="error",
        fact=f"the graph's replay does not run the kernels of the eager call: {eager.total()} "
        f"kernels a call, {graph.total()} a replay; only in the call: {_spell(eager - graph)}; "
        f"only in the replay: {_spell(graph - eager)}. No figure of the graph is reported",
        advice="find what op() does only outside of a capture, or only inside of one",
    )


def _of_graphs(timeline: Timeline, pieces: Int64s) -> Int64s:
    """Keep the pieces that a graph launch owns."""
    named = np.array(["GraphLaunch" in name for name in timeline.trace.names], np.bool_)
    calls = timeline.launches.call[pieces]
    kept: Int64s = np.where(named[timeline.trace.calls.name[calls]], pieces, -1)
    return kept


def _usual(timeline: Timeline, windows: Windows, pieces: Int64s) -> Counter[Kernel]:
    """Return the most frequent multiset of kernels; `pieces` are the windows', -1 left out."""
    work, names = timeline.trace.device_work, timeline.trace.names
    contents: list[Counter[Kernel]] = [Counter() for _ in range(len(windows))]
    rows = np.flatnonzero((pieces >= 0) & timeline.kernels[pieces])
    for window, piece in zip(
        windows.piece_window[rows].tolist(), pieces[rows].tolist(), strict=True
    ):
        kernel = (
            names[work.name[piece]],
            tuple(work.grid[piece].tolist()),
            tuple(work.block[piece].tolist()),
        )
        contents[window][kernel] += 1
    counted = Counter(tuple(sorted(content.items())) for content in contents)
    return Counter(dict(counted.most_common(1)[0][0])) if counted else Counter()


def _spell(kernels: Counter[Kernel]) -> str:
    if not kernels:
        return "none"
    spelled = [
        f"{count} x {cut(name, _LONGEST_NAME)} (grid {_sizes(grid)}, block {_sizes(block)})"
        for (name, grid, block), count in kernels.most_common(_NAMES_SHOWN)
    ]
    more = len(kernels) - _NAMES_SHOWN
    return ", ".join(spelled) + (f" and {more} more" if more > 0 else "")


def _sizes(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
