"""Work of known amount that a card does as fast as it can: what an op's own work is held against.

Bytes are copied by the driver, which no framework stands behind. Numbers are multiplied by torch's
own product, in the precision that torch is set to.
"""

from __future__ import annotations

import torch

from tracelens.measure.device import Yardstick
from tracelens.measure.driver import open_driver
from tracelens.model.ceiling import CeilingKind

_TIMES_L2 = 8
"""As much is copied as leaves nothing in the cache that is worth naming."""
_SIDE = 4096
"""Of the square matrices: as large as a product must be to keep every multiprocessor busy, and no
larger, for then power would hold the clock down."""
_MIB = 1 << 20


def card_yardstick(index: int, kind: CeilingKind, dtype: torch.dtype) -> Yardstick:
    """Return work for a card, torch's current device. Raises Unavailable, or as torch does."""
    return _copying(index) if kind == "bandwidth" else _multiplying(index, dtype)


def _copying(index: int) -> Yardstick:
    l2_bytes = torch.cuda.get_device_properties(index).L2_cache_size
    size = -(-_TIMES_L2 * l2_bytes // _MIB) * _MIB
    source, target = (torch.empty(size, dtype=torch.uint8, device=f"cuda:{index}") for _ in "st")
    stream = torch.cuda.current_stream(index).cuda_stream
    driver = open_driver()

    def copy() -> None:
        driver.copy(target.data_ptr(), source.data_ptr(), size, stream=stream)

    what = f"a copy of {size // _MIB:,} MiB by the driver"
    return Yardstick(call=copy, amount=2 * size, what=what)


def _multiplying(index: int, dtype: torch.dtype) -> Yardstick:
    made = (torch.randn(_SIDE, _SIDE, device=f"cuda:{index}") for _ in "ab")
    a, b = (matrix.to(dtype) for matrix in made)
    product = torch.mm(a, b)
    spelled = str(dtype).removeprefix("torch.")
    return Yardstick(
        call=lambda: torch.mm(a, b, out=product),
        amount=2 * _SIDE**3,
        what=f"a product of {_SIDE} x {_SIDE} matrices of {spelled} by torch.mm",
    )
