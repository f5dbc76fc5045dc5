from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tracelens.measure import cold
from tracelens.measure.cold import ColdWork, compiled_while_warm, measure_cold, watched
from tracelens.model.measurement import Measurement, Withheld


class Clock:
    ns = 0

    def now_ns(self) -> int:
        return self.ns


class Chain(list[Any]):
    """A chain of hooks as Triton has them."""

    add = list.append

    def __call__(self) -> None:
        for hook in self:
            hook()


class FakeTriton(ModuleType):
    """What tracelens touches of Triton 3.6; compiling one kernel takes 3 ms, benching it 5 ms."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("triton")
        self.clock = clock
        self.__version__ = "3.6.0"
        self.knobs = SimpleNamespace(
            compilation=SimpleNamespace(listener=None),
            runtime=SimpleNamespace(kernel_load_start_hook=Chain(), kernel_load_end_hook=Chain()),
        )

        class Autotuner:
            def _bench(_, config: int) -> int:  # noqa: N805  # the fake is the outer self
                self.compile()
                self.load()
                clock.ns += 5_000_000
                return config

        self.runtime = SimpleNamespace(autotuner=SimpleNamespace(Autotuner=Autotuner))

    def compile(self, *, hit: bool = False) -> None:
        self.clock.ns += 3_000_000
        listen = self.knobs.compilation.listener if hasattr(self, "knobs") else None
        if listen is not None:
            listen(src=None, times=SimpleNamespace(total=3_000), cache_hit=hit)

    def load(self) -> None:
        if not hasattr(self, "knobs"):
            return
        self.knobs.runtime.kernel_load_start_hook()
        self.clock.ns += 200_000
        self.knobs.runtime.kernel_load_end_hook()

    def tune(self) -> None:
        for config in range(2):
            assert self.runtime.autotuner.Autotuner()._bench(config) == config


@pytest.fixture
def triton(monkeypatch: pytest.MonkeyPatch) -> FakeTriton:
    clock = Clock()
    fake = FakeTriton(clock)
    monkeypatch.setattr(cold, "now_ns", clock.now_ns)
    monkeypatch.setitem(sys.modules, "triton", fake)
    return fake


def spelled(work: ColdWork) -> dict[str, int | str]:
    found: dict[str, int | str] = {}
    for record in measure_cold(work, 700):
        if isinstance(record, Measurement):
            found[record.tag] = record.samples_ns[0]
        else:
            found |= dict.fromkeys(record.tags, record.finding.tag)
    return found


def test_compiling_tuning_and_loading_are_told_apart(triton: FakeTriton) -> None:
    with watched() as work:
        triton.compile()
        triton.compile(hit=True)
        triton.load()
        triton.tune()

    assert spelled(work) == {
        "cold/second_call": 700,
        "cold/triton_compile": 12_000_000,  # two in tuning
        "cold/autotune": 10_000_000,
        "cold/triton_load": 600_000,  # two of three in tuning
    }
    assert (work.compiled, work.reused, work.loaded) == (3, 1, 3)


def test_hooks_that_were_there_before_are_called_and_stay(triton: FakeTriton) -> None:
    told: list[bool] = []
    theirs = lambda **said: told.append(said["cache_hit"])  # noqa: E731  # one line is enough
    triton.knobs.compilation.listener = theirs
    bench = triton.runtime.autotuner.Autotuner._bench

    with watched():
        triton.compile()

    assert told == [False]
    assert triton.knobs.compilation.listener is theirs
    assert triton.runtime.autotuner.Autotuner._bench is bench
    assert triton.knobs.runtime.kernel_load_start_hook == []


def test_a_triton_too_old_to_tell_is_said_not_counted_as_zero(triton: FakeTriton) -> None:
    del triton.knobs
    triton.__version__ = "3.2.0"

    with watched() as work:
        triton.tune()
        withheld = [record for record in measure_cold(work, 700) if isinstance(record, Withheld)]

    assert [(record.tags, record.finding.fact) for record in withheld] == [
        (("cold/triton_compile",), "triton 3.2.0 does not tell of its compilation."),
        (("cold/triton_load",), "triton 3.2.0 does not tell of its module loading."),
    ]


def test_an_op_without_triton_has_no_such_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "triton", raising=False)

    with watched() as work:
        found = spelled(work)

    assert found == {"cold/second_call": 700}


def test_a_triton_that_is_imported_inside_the_first_call_was_not_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "triton", raising=False)

    with watched() as work:
        monkeypatch.setitem(sys.modules, "triton", FakeTriton(Clock()))
        found = spelled(work)

    assert found == {
        "cold/second_call": 700,
        "cold/triton_compile": "cold/late_unseen",
        "cold/autotune": "cold/late_unseen",
        "cold/triton_load": "cold/late_unseen",
    }


def test_a_kernel_compiled_while_warm_is_a_warning(triton: FakeTriton) -> None:
    with watched() as work:
        triton.compile()
        before = work.pieces
        assert not list(compiled_while_warm(before, work))
        triton.compile()
        (noticed,) = compiled_while_warm(before, work)

    assert noticed.finding.tag == "cold/in_warm_samples"
    assert noticed.finding.fact.startswith("Triton compiled or loaded 1 kernel after the warm-up")
