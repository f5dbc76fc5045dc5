from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.measure.fake_triton import Config, FakeInductor, FakeTriton
from tracelens.measure.cold import ColdWork, watched
from tracelens.measure.launched import watch_launches
from tracelens.model.launched import (
    Candidate,
    CompiledKernel,
    Launched,
    Source,
    Tuning,
)
from tracelens.model.measurement import Noticed


@pytest.fixture
def triton(monkeypatch: pytest.MonkeyPatch) -> FakeTriton:
    fake = FakeTriton()
    monkeypatch.setitem(sys.modules, "triton", fake)
    return fake


@pytest.fixture
def inductor(triton: FakeTriton, monkeypatch: pytest.MonkeyPatch) -> FakeInductor:
    fake = FakeInductor()
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", ModuleType("codecache"))
    return fake


def scale(x: Any, size: int, BLOCK: int, DTYPE: str) -> None: ...  # noqa: N803  # as in Triton


def launched_by(call: Any, work: ColdWork | None = None) -> Launched:
    (found,) = watch_launches(call, work or ColdWork())
    assert isinstance(found, Launched)
    return found


def test_a_launch_gives_constants_options_costs_grid_and_source(triton: FakeTriton) -> None:
    kernel = triton.jit(scale, "BLOCK", "DTYPE")

    found = launched_by(lambda: kernel.run("x", grid=(8,), size=1, BLOCK=256, DTYPE="fp32"))

    assert found == Launched(
        kernels=(
            CompiledKernel(
                name="scale",
                compiler="triton",
                constexprs={"BLOCK": 256, "DTYPE": "fp32"},  # an argument of 1 is none
                num_warps=4,
                num_stages=3,
                num_ctas=1,
                grid=(8, 1, 1),
                threads=128,
                shared_memory=3072,
                registers=90,
                spills=0,
                target="cuda:90",
                source=Source(file="test_launched.py", line=7),
            ),
        ),
        order=(0,),
    )


def test_each_configuration_and_grid_is_kept_once_and_every_launch_in_order(
    triton: FakeTriton,
) -> None:
    kernel = triton.jit(scale, "BLOCK")

    def call() -> None:
        for block, grid in ((64, (8,)), (32, (8,)), (64, (8,)), (64, (4, 2))):
            kernel.run("x", grid=grid, BLOCK=block)

    found = launched_by(call)

    assert [(k.constexprs, k.grid) for k in found.kernels] == [
        ({"BLOCK": 64}, (8, 1, 1)),
        ({"BLOCK": 32}, (8, 1, 1)),
        ({"BLOCK": 64}, (4, 2, 1)),
    ]
    assert found.order == (0, 1, 0, 2)


def test_the_tuners_candidates_come_with_their_times_and_the_one_that_ran(
    triton: FakeTriton,
) -> None:
    configs = [
        Config({"BLOCK": 32}),
        Config({"BLOCK": 64}, num_warps=8),
        Config({"BLOCK": 64}, num_warps=8, num_stages=9),
    ]
    tuner = triton.Autotuner(triton.jit(scale, "BLOCK"), configs, [0.5, 0.25, float("inf")])

    with watched() as work:
        tuner.run("x", grid=lambda meta: (4096 // meta["BLOCK"],))
        found = launched_by(lambda: tuner.run("x", grid=lambda m: (4096 // m["BLOCK"],)), work)

    (kernel,) = found.kernels
    assert (kernel.grid, kernel.num_warps, found.order) == ((64, 1, 1), 8, (0,))
    assert kernel.tuning == Tuning(
        candidates=(
            Candidate(settings=options(BLOCK=32, num_warps=4, num_stages=3), time_ns=500_000),
            Candidate(settings=options(BLOCK=64, num_warps=8, num_stages=3), time_ns=250_000),
            Candidate(settings=options(BLOCK=64, num_warps=8, num_stages=9), failed=True),
        ),
        chosen=1,
    )
    assert tuner.best_config is configs[1]


def options(**settings: int) -> dict[str, int]:
    return {**settings, "num_ctas": 1}


def test_what_a_tuner_benchmarks_inside_the_watched_call_is_no_launch_of_the_op(
    triton: FakeTriton,
) -> None:
    configs = [Config({"BLOCK": 32}), Config({"BLOCK": 64})]
    tuner = triton.Autotuner(triton.jit(scale, "BLOCK"), configs, [0.5, 0.25])

    found = launched_by(lambda: tuner.run("x", grid=(1,)))

    assert [k.constexprs for k in found.kernels] == [{"BLOCK": 64}]
    assert found.order == (0,)


def test_a_kernel_that_is_launched_past_its_tuner_is_known_by_what_was_tuned_before(
    triton: FakeTriton,
) -> None:
    configs = [Config({"BLOCK": 32}), Config({"BLOCK": 64})]
    kernel = triton.jit(scale, "BLOCK")
    tuner = triton.Autotuner(kernel, configs, [0.5, 0.25])

    with watched() as work:
        tuner.run("x", grid=(1,))
        found = launched_by(lambda: kernel.run("x", grid=(1,), BLOCK=64), work)

    assert found.kernels[0].tuning is not None
    assert found.kernels[0].tuning.chosen == 1


def test_a_candidate_that_was_measured_for_two_sizes_has_no_time_of_its_own(
    triton: FakeTriton,
) -> None:
    configs = [Config({"BLOCK": 32}), Config({"BLOCK": 64})]
    tuner = triton.Autotuner(triton.jit(scale, "BLOCK"), configs, [0.5, 0.25])

    with watched() as work:
        for _ in range(2):
            tuner.best_config = None
            tuner.run("x", grid=(1,))
        found = launched_by(lambda: tuner.run("x", grid=(1,)), work)

    assert found.kernels[0].tuning is not None
    assert [c.time_ns for c in found.kernels[0].tuning.candidates] == [None, None]


def test_a_kernel_of_inductor_has_its_choice_its_source_and_what_was_fused(
    inductor: FakeInductor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, caller = tmp_path / "cabc.py", tmp_path / "cxyz.py"
    source.write_text("def triton_poi_fused_add_0(): ...\n")
    caller.write_text(
        f"\n# kernel path: {source}\n"
        "# Topologically Sorted Source Nodes: [h, y], Original ATen: [aten.add, aten.gelu]\n"
        "# Source node to ATen node mapping:\ntriton_poi_fused_add_0 = async_compile.triton(...)\n"
    )
    cache = SimpleNamespace(modules=[SimpleNamespace(__file__=str(caller))])
    monkeypatch.setattr(
        sys.modules["torch._inductor.codecache"], "PyCodeCache", cache, raising=False
    )
    tuner = inductor.CachingAutotuner(
        "triton_poi_fused_add_0", Config({"XBLOCK": 512}, 4, 1), str(source), None
    )
    tuner.coordesc_tuner.cached_benchmark_results = {
        (("XBLOCK", 512), ("num_warps", 4), ("num_stages", 1)): 0.004,
        (("XBLOCK", 256), ("num_warps", 4), ("num_stages", 1)): 0.005,
    }

    found = launched_by(lambda: tuner.run("x", 4096, stream=0))

    assert found == Launched(
        kernels=(
            CompiledKernel(
                name="triton_poi_fused_add_0",
                compiler="inductor",
                constexprs={"XBLOCK": 512},
                num_warps=4,
                num_stages=1,
                num_ctas=1,
                grid=(8, 1, 1),
                threads=128,
                shared_memory=512,
                registers=32,
                spills=2,
                target="cuda:90",
                tuning=Tuning(
                    candidates=(
                        Candidate(
                            settings={"XBLOCK": 512, "num_warps": 4, "num_stages": 1},
                            time_ns=4_000,
                        ),
                        Candidate(
                            settings={"XBLOCK": 256, "num_warps": 4, "num_stages": 1},
                            time_ns=5_000,
                        ),
                    ),
                    chosen=0,
                ),
                source=Source(file="cabc.py", text="def triton_poi_fused_add_0(): ...\n"),
                ops=("aten.add", "aten.gelu"),
            ),
        ),
        order=(0,),
    )


def test_a_kernel_of_inductor_that_triton_launches_is_counted_once(
    triton: FakeTriton, inductor: FakeInductor
) -> None:
    compiled = triton.jit(scale, "BLOCK").run("x", grid=(1,), BLOCK=1)
    tuner = inductor.CachingAutotuner("scale", Config({"XBLOCK": 512}), "", compiled)

    found = launched_by(lambda: tuner.run("x", 4096, stream=0))

    assert [(k.compiler, k.grid, k.shared_memory) for k in found.kernels] == [
        ("inductor", (9, 1, 1), 3072)  # as Triton launched it, on a grid of its own
    ]
    assert found.order == (0,)


def test_a_template_is_known_by_the_constants_in_its_source(
    inductor: FakeInductor, tmp_path: Path
) -> None:
    source = tmp_path / "ctem.py"
    source.write_text(
        "def triton_tem_fused_mm_0(a):\n"
        "    GROUP_M : tl.constexpr = 8\n    EVEN_K : tl.constexpr = True\n"
        "    ACC_TYPE : tl.constexpr = tl.float32\n    BLOCK_M : tl.constexpr = 128\n"
    )
    tuner = inductor.CachingAutotuner("triton_tem_fused_mm_0", Config({}, 8), str(source), None)
    tuner.heuristic_type = "HeuristicType.TEMPLATE"

    (kernel,) = launched_by(lambda: tuner.run("x", 4096, stream=0)).kernels

    assert kernel.constexprs == {
        "GROUP_M": 8,
        "EVEN_K": True,
        "ACC_TYPE": "tl.float32",
        "BLOCK_M": 128,
    }
    assert (kernel.num_warps, kernel.grid) == (8, None)  # this grid cannot be worked out


def test_nothing_stays_wrapped(triton: FakeTriton, inductor: FakeInductor) -> None:
    methods = (
        triton.CompiledKernel.launch_metadata,
        triton.Autotuner.run,
        inductor.CachingAutotuner.run,
    )

    def fail() -> None:
        assert triton.Autotuner.run is not methods[1]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(watch_launches(fail, ColdWork()))

    assert methods == (
        triton.CompiledKernel.launch_metadata,
        triton.Autotuner.run,
        inductor.CachingAutotuner.run,
    )


def test_an_op_without_triton_is_not_called_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "triton", raising=False)

    assert list(watch_launches(lambda: pytest.fail("called"), ColdWork())) == []


def test_a_triton_too_old_to_tell_is_said(triton: FakeTriton) -> None:
    del triton.CompiledKernel.launch_metadata
    triton.__version__ = "2.1.0"

    (said,) = watch_launches(lambda: None, ColdWork())

    assert isinstance(said, Noticed)
    assert said.finding.tag == "launched/unread"
    assert said.finding.fact == (
        "triton 2.1.0 does not tell of its launches: how it configures them is not shown"
    )


def test_a_kernel_that_cannot_be_read_costs_only_itself(triton: FakeTriton) -> None:
    kernel, strange = triton.jit(scale, "BLOCK"), triton.CompiledKernel(None, None)

    def call() -> None:
        strange.launch_metadata((1,), 0)
        kernel.run("x", grid=(1,), BLOCK=64)

    found, said = watch_launches(call, ColdWork())

    assert isinstance(found, Launched)
    assert [k.name for k in found.kernels] == ["scale"]
    assert isinstance(said, Noticed)
    assert said.finding.fact.startswith("what Triton launched could not be read (AttributeError")
