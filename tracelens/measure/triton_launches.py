"""Triton's and Inductor's launches in one untimed call: which compiled kernel, on which grid.

Triton's own launch hook tells a name and a handle, no configuration and no grid; and Inductor
chooses another launcher while one is set. So the one method that every launch of Triton passes is
watched in its place, `CompiledKernel.launch_metadata` (since triton 3.0), and `run` of the tuners
around it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from tracelens.measure.replaced import Method, replaced


@dataclass(slots=True)
class Launch:
    """One launch. `kernel` is Triton's compiled kernel; None where Inductor launched without it.

    `tuner` is the innermost tuner that was running: Triton's, or one of Inductor's kernels.
    """

    kernel: Any
    grid: tuple[int, ...] | None
    tuner: Any
    arguments: tuple[Any, ...] = ()
    """What Inductor's kernel was called with, where `kernel` is None."""


class _Running(threading.local):
    """The tuners that are running on a thread, outermost first."""

    def __init__(self) -> None:
        self.tuners: list[Any] = []


@dataclass(slots=True)
class LaunchLog:
    """The launches of a call, in order, and what could not be seen of it."""

    launches: list[Launch] = field(default_factory=list)
    trouble: str | None = None
    _running: _Running = field(default_factory=_Running)

    def kernel_launch(self, launch: Method) -> Method:
        """Wrap the method that Triton calls for each launch."""

        def launched(kernel: Any, grid: Any, *rest: Any, **named: Any) -> Any:
            tuner = self._running.tuners[-1] if self._running.tuners else None
            self.launches.append(Launch(kernel, _whole(grid), tuner))
            return launch(kernel, grid, *rest, **named)

        return launched

    def tuner_run(self, run: Method) -> Method:
        """Wrap a tuner's `run`: of all that it launches, only the last is the op's own."""

        def tuned(tuner: Any, *arguments: Any, **named: Any) -> Any:
            before = len(self.launches)
            self._running.tuners.append(tuner)
            try:
                return run(tuner, *arguments, **named)
            finally:
                self._running.tuners.pop()
                del self.launches[before:-1]

        return tuned

    def inductor_run(self, run: Method) -> Method:
        """Wrap the `run` of Inductor's kernels, whose static launcher passes no method of Triton's.

        A benchmark of one is no launch of the op's.
        """
        watched = self.tuner_run(run)

        def ran(tuner: Any, *arguments: Any, **named: Any) -> Any:
            before = len(self.launches)
            result = watched(tuner, *arguments, **named)
            if named.get("benchmark_run"):
                del self.launches[before:]
            elif len(self.launches) == before:
                self.launches.append(Launch(None, None, tuner, arguments))
            return result

        return ran


@contextmanager
def launches_watched() -> Iterator[LaunchLog]:
    """Watch what Triton and Inductor launch until the context ends. It costs each launch time."""
    log = LaunchLog()
    with ExitStack() as watching:
        triton = sys.modules.get("triton")
        kernel = _found(triton, "compiler", "compiler", "CompiledKernel")
        tuner = _found(triton, "runtime", "autotuner", "Autotuner")
        inductor = _found(
            sys.modules.get("torch._inductor.runtime.triton_heuristics"), "CachingAutotuner"
        )
        if hasattr(kernel, "launch_metadata"):
            watching.enter_context(replaced(kernel, "launch_metadata", log.kernel_launch))
        elif triton is not None:
            version = getattr(triton, "__version__", "of unknown version")
            log.trouble = f"triton {version} does not tell of its launches"
        for kind in _with_subclasses(tuner):
            watching.enter_context(replaced(kind, "run", log.tuner_run))
        for kind in _with_subclasses(inductor):
            watching.enter_context(replaced(kind, "run", log.inductor_run))
        yield log


def _found(owner: Any, *path: str) -> Any:
    for name in path:
        owner = getattr(owner, name, None)
    return owner


def _with_subclasses(kind: Any) -> Iterator[Any]:
    """Yield a class and those derived from it that have a `run` of their own."""
    if kind is not None:
        if "run" in vars(kind):
            yield kind
        for derived in kind.__subclasses__():
            yield from _with_subclasses(derived)


def _whole(grid: Any) -> tuple[int, ...] | None:
    try:
        return tuple(int(size) for size in grid)
    except (TypeError, ValueError):
        return None
