"""What one untimed call launches through Triton and Inductor, as a record of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from tracelens.measure.cold import ColdWork
from tracelens.measure.failure import spell_error
from tracelens.measure.inductor import Fused, fused_ops, is_inductor, read_inductor_kernel
from tracelens.measure.triton_kernels import function_of, read_kernel
from tracelens.measure.triton_launches import Launch, LaunchLog, launches_watched
from tracelens.model.launched import CompiledKernel, Launched
from tracelens.model.measurement import Noticed
from tracelens.model.report import Finding


def watch_launches(call: Callable[[], object], work: ColdWork) -> Iterator[Launched | Noticed]:
    """Call an op once, untimed, and say which compiled kernels it launched; nothing for none.

    `work` knows what was tuned in earlier calls. An op without Triton is not called.
    """
    if "triton" not in sys.modules:
        return
    with launches_watched() as log:
        call()
    yield from read_launches(log, work)


def read_launches(log: LaunchLog, work: ColdWork) -> Iterator[Launched | Noticed]:
    """Say what was launched, and what of it cannot be said."""
    fused = fused_ops() if any(map(is_inductor, log.launches)) else {}
    kernels: list[CompiledKernel] = []
    places: dict[tuple[Any, ...], int] = {}
    order: list[int] = []
    trouble = log.trouble
    for launch in log.launches:
        key = _identity(launch)
        if key not in places:
            try:
                kernel = _read(launch, work, fused)
            except Exception as error:  # another version's kernel: what it is not asked, it is not
                trouble = (
                    trouble or f"what Triton launched could not be read ({spell_error(error)})"
                )
                continue
            if kernel not in kernels:
                kernels.append(kernel)
            places[key] = kernels.index(kernel)
        order.append(places[key])
    if kernels:
        yield Launched(kernels=tuple(kernels), order=tuple(order))
    if trouble:
        yield Noticed(
            finding=Finding(
                tag="launched/unread",
                severity="info",
                fact=f"{trouble}: how it configures them is not shown",
                advice="read the configuration in the op's own source",
            )
        )


def _read(launch: Launch, work: ColdWork, fused: Fused) -> CompiledKernel:
    if is_inductor(launch):
        return read_inductor_kernel(launch, fused)
    function = function_of(launch.kernel)
    benched = [
        (config, result)
        for tuner, config, result in work.benched
        if tuner is launch.tuner or function_of(tuner) is function
    ]
    return read_kernel(launch, benched)


def _identity(launch: Launch) -> tuple[Any, ...]:
    """Return what two launches share that are of one kernel, in one configuration, on one grid."""
    sizes = tuple(size for size in launch.arguments if isinstance(size, int))
    return id(launch.kernel), id(launch.tuner), launch.grid, sizes
