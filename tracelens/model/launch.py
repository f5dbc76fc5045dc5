"""Who launched what: each piece of device work tied to the API call that asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.model.intervals import Bools, Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """The join of a trace's device work with its API calls.

    `call` (shape: pieces of device work) is the row of the launch call in `Trace.calls`, the
    outermost where calls nest, or `MISSING`. `outermost` (shape: calls) is the row of the call
    that encloses each call on its thread, or its own row. `owns_kernel`, `owns_work` and `lost`
    (shape: calls) mark the calls that own a kernel, own any device work, or are kernel launch calls
    whose device record is not in the file. `first_of_call` (shape: pieces) marks the piece that
    starts first of those that one call owns.
    """

    call: Int64s
    outermost: Int64s
    owns_kernel: Bools
    owns_work: Bools
    lost: Bools
    first_of_call: Bools
