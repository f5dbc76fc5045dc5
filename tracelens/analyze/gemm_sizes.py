"""The sizes of the matrix products that kernels compute: those of the op that launched them."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.names.launch_check import Gemm
from tracelens.analyze.ops import op_of_each
from tracelens.analyze.timeline import Timeline
from tracelens.model.intervals import Int64s
from tracelens.model.trace import MISSING, Arguments

_FACTORS = {
    "aten::mm": (0, 1),
    "aten::bmm": (0, 1),
    "aten::addmm": (1, 2),
    "aten::baddbmm": (1, 2),
    "aten::_addmm_activation": (1, 2),
    "aten::_int_mm": (0, 1),
    "aten::_scaled_mm": (0, 1),
}
"""Where the two factors stand among an op's arguments: (m, k) and (k, n), both batched or none."""


def gemm_sizes(timeline: Timeline, rows: Int64s) -> tuple[tuple[Gemm, ...], Int64s]:
    """Return the different products that pieces of device work are part of, and which is whose.

    The second (shape: `rows`) is a place in the first, or `MISSING` where the op that launched the
    piece is no product, or the trace does not record what it was called with.
    """
    trace = timeline.trace
    op = op_of_each(timeline, rows)
    ran = np.flatnonzero(op != MISSING)
    called = np.stack((trace.ops.name[op[ran]], trace.ops.arguments[op[ran]]), axis=1)
    different, which = np.unique(called, axis=0, return_inverse=True)
    products = [_product(trace.names[name], trace.arguments, a) for name, a in different.tolist()]
    found = tuple(dict.fromkeys(product for product in products if product is not None))
    place = np.array(
        [MISSING if product is None else found.index(product) for product in products], np.int64
    )
    of = np.full(len(rows), MISSING, np.int64)
    of[ran] = place[which.reshape(-1)]
    return found, of


def _product(op: str, sets: tuple[Arguments, ...], place: int) -> Gemm | None:
    factors = _FACTORS.get(op)
    if factors is None or place == MISSING:
        return None
    sizes = sets[place].sizes
    if len(sizes) <= factors[1]:
        return None
    a, b = sizes[factors[0]], sizes[factors[1]]
    if len(a) != len(b) or len(a) not in (2, 3) or a[-1] != b[-2] or min(*a, *b) < 1:
        return None
    return Gemm(m=a[-2], n=b[-1], k=a[-1], batch=a[0] if len(a) == 3 else 1)
