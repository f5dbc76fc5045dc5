"""The cold path: what a first call costs before it is warm, and that no warm sample pays for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tracelens.measure.clock import CLOCK, now_ns
from tracelens.measure.device import Unavailable
from tracelens.measure.replaced import Method, replaced
from tracelens.model.measurement import Measurement, Noticed, Withheld
from tracelens.model.report import Finding

_US = 1_000


@dataclass(slots=True)
class ColdWork:
    """What Triton did so far, in ns and in numbers of kernels.

    Autotuning is the time of benchmarking configurations less the compiling and loading inside it.
    """

    watching: bool = False
    compiled: int = 0
    reused: int = 0
    """Kernels that came from the cache on disk."""
    loaded: int = 0
    """Kernels that were given to the driver."""
    compile_ns: int = 0
    load_ns: int = 0
    bench_ns: int = 0
    inside_bench_ns: int = 0
    benched: list[tuple[Any, Any, Any]] = field(default_factory=list)
    """A tuner, a configuration that it benchmarked, and what it measured, in the order met."""
    unseen: dict[str, Unavailable] = field(default_factory=dict)
    """What this Triton does not tell of: `compile`, `load`, `autotune`, and why."""

    @property
    def autotune_ns(self) -> int:
        """Time that benchmarking configurations took, without compiling and loading them."""
        return self.bench_ns - self.inside_bench_ns

    @property
    def pieces(self) -> int:
        """How many kernels were compiled or loaded: what it is at one time and not at another."""
        return self.compiled + self.reused + self.loaded


class _Triton:
    """Hooks in Triton that keep a ColdWork up to date; a user's own hooks stay in place."""

    def __init__(self, work: ColdWork, triton: Any) -> None:
        self._work = work
        self._triton = triton
        self._benching = 0
        self._loading_ns = 0

    @contextmanager
    def hooked(self) -> Iterator[None]:
        with self._listening(), self._loading(), self._tuning():
            yield

    @contextmanager
    def _listening(self) -> Iterator[None]:
        knobs: Any = getattr(getattr(self._triton, "knobs", None), "compilation", None)
        if not hasattr(knobs, "listener"):  # it came with triton 3.4
            self._work.unseen["compile"] = self._too_old("compilation")
            yield
            return
        earlier = knobs.listener

        def listen(**told: Any) -> None:
            self._compiled(told["times"].total * _US, hit=told["cache_hit"])
            if earlier is not None:
                earlier(**told)

        knobs.listener = listen
        try:
            yield
        finally:
            knobs.listener = earlier

    def _compiled(self, took_ns: int, *, hit: bool) -> None:
        self._work.compile_ns += took_ns
        self._work.compiled += not hit
        self._work.reused += hit
        if self._benching:
            self._work.inside_bench_ns += took_ns

    @contextmanager
    def _loading(self) -> Iterator[None]:
        knobs = getattr(getattr(self._triton, "knobs", None), "runtime", None)
        started: Any = getattr(knobs, "kernel_load_start_hook", None)
        ended: Any = getattr(knobs, "kernel_load_end_hook", None)
        if not hasattr(started, "add") or not hasattr(ended, "add"):
            self._work.unseen["load"] = self._too_old("module loading")
            yield
            return
        begin, end = self._load_begins, self._load_ends
        started.add(begin)
        ended.add(end)
        try:
            yield
        finally:
            started.remove(begin)
            ended.remove(end)

    def _load_begins(self, *_: Any, **__: Any) -> None:
        self._loading_ns = now_ns()

    def _load_ends(self, *_: Any, **__: Any) -> None:
        took_ns = now_ns() - self._loading_ns
        self._work.loaded += 1
        self._work.load_ns += took_ns
        if self._benching:
            self._work.inside_bench_ns += took_ns

    @contextmanager
    def _tuning(self) -> Iterator[None]:
        tuner = getattr(getattr(self._triton, "runtime", None), "autotuner", None)
        kind: Any = getattr(tuner, "Autotuner", None)
        if not hasattr(kind, "_bench"):
            self._work.unseen["autotune"] = self._too_old("autotuning")
            yield
            return

        with replaced(kind, "_bench", self._timed):
            yield

    def _timed(self, bench: Method) -> Method:
        def timed(tuner: Any, *arguments: Any, **options: Any) -> Any:
            begun_ns = now_ns()
            self._benching += 1
            try:
                result = bench(tuner, *arguments, **options)
            finally:
                self._benching -= 1
                self._work.bench_ns += now_ns() - begun_ns
            if "config" in options:
                self._work.benched.append((tuner, options["config"], result))
            return result

        return timed

    def _too_old(self, what: str) -> Unavailable:
        version = getattr(self._triton, "__version__", "of unknown version")
        return Unavailable(
            f"triton {version} does not tell of its {what}.", "Use triton 3.4 or later for it."
        )


@contextmanager
def watched() -> Iterator[ColdWork]:
    """Watch Triton compile, tune and load until the context ends.

    Only a Triton that is imported already can be watched: an op file that uses it has done so,
    and importing it for all others would cost them a second.
    """
    work = ColdWork()
    if "triton" not in sys.modules:
        yield work
        return
    work.watching = True
    with _Triton(work, sys.modules["triton"]).hooked():
        yield work


def measure_cold(work: ColdWork, second_ns: int) -> Iterator[Measurement | Withheld]:
    """Say what the first call was made of, right after the second call, which took `second_ns`."""
    yield _single("cold/second_call", second_ns, "the call after the first, still before warm-up")
    if not work.watching and "triton" not in sys.modules:
        return
    if not work.watching:
        late = Unavailable(
            "triton was first imported inside the first call, so its compiling was not watched.",
            "Import triton at the top of the op file.",
        )
        yield _unseen(("cold/triton_compile", "cold/autotune", "cold/triton_load"), "late", late)
        return
    kernels = f"{_kernels(work.compiled)} compiled, {work.reused} taken from the cache on disk"
    for tag, way, took_ns, includes in (
        ("cold/triton_compile", "compile", work.compile_ns, kernels),
        (
            "cold/autotune",
            "autotune",
            work.autotune_ns,
            "benchmarking, without compiling and loading",
        ),
        ("cold/triton_load", "load", work.load_ns, f"{_kernels(work.loaded)} given to the driver"),
    ):
        if way in work.unseen:
            yield _unseen((tag,), way, work.unseen[way])
        else:
            yield _single(tag, took_ns, f"by Triton, in the first calls: {includes}")


def compiled_while_warm(before: int, work: ColdWork) -> Iterator[Noticed]:
    """Yield a warning where kernels were compiled or loaded since there were `before` pieces."""
    late = work.pieces - before
    if late <= 0:
        return
    yield Noticed(
        finding=Finding(
            tag="cold/in_warm_samples",
            severity="warning",
            fact=f"Triton compiled or loaded {_kernels(late)} after the warm-up had begun: some "
            "warm samples may hold it",
            advice="let op() launch the same kernels with the same kinds of arguments every time",
        )
    )


def _kernels(count: int) -> str:
    return f"{count} kernel" if count == 1 else f"{count} kernels"


def _single(tag: str, took_ns: int, includes: str) -> Measurement:
    return Measurement(tag=tag, samples_ns=(took_ns,), clock=CLOCK, includes=includes)


def _unseen(tags: tuple[str, ...], way: str, reason: Unavailable) -> Withheld:
    finding = Finding(
        tag=f"cold/{way}_unseen", severity="info", fact=reason.reason, advice=reason.advice
    )
    return Withheld(tags=tags, finding=finding)
