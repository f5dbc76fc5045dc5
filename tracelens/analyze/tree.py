"""A tree as rows of a table: parents above their children, the largest child first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracelens.model.trace import MISSING


@dataclass(frozen=True, slots=True)
class Branch:
    """A row of a tree: its node, how deep it lies, and the number of its parent's row, if any."""

    node: int
    depth: int
    parent: int | None
    total: int
    """What the node holds, and all nodes below it."""


def branches(parents: Sequence[int], selves: Sequence[int]) -> Iterator[Branch]:
    """Yield the nodes that hold something, or have one below them that does, in the order of rows.

    `parents` has the number of each node's parent, or MISSING; parents come before their children.
    `selves` has what each node itself holds.
    """
    totals = list(selves)
    children: defaultdict[int, list[int]] = defaultdict(list)
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] != MISSING:
            totals[parents[node]] += totals[node]
        if totals[node]:
            children[parents[node]].append(node)
    waiting = [Branch(MISSING, -1, None, 0)]
    row = -1
    while waiting:
        branch = waiting.pop()
        if branch.node != MISSING:
            yield branch
        below = sorted(children[branch.node], key=lambda node: (totals[node], -node))
        above = None if branch.node == MISSING else row
        waiting += [Branch(node, branch.depth + 1, above, totals[node]) for node in below]
        row += 1
