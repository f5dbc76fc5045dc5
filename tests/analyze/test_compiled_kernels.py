"""The tables of what was compiled: a row per configuration, and per candidate of a tuner."""

import numpy as np

from tests.timelines import kernel, launch, timeline_of
from tracelens.analyze.compiled_kernels import compiled_tables
from tracelens.analyze.timeline import Timeline
from tracelens.model.launched import Candidate, CompiledKernel, Launched, Source, Tuning

CANDIDATES = (
    Candidate(settings={"BLOCK": 32, "num_warps": 4}, time_ns=900),
    Candidate(settings={"BLOCK": 512, "num_warps": 4}, failed=True),
    Candidate(settings={"BLOCK": 64, "num_warps": 4}, time_ns=700),
)
TUNED = CompiledKernel(
    name="k",
    compiler="triton",
    constexprs={"BLOCK": 64},
    num_warps=4,
    num_stages=3,
    num_ctas=1,
    grid=(8, 1, 1),
    threads=128,
    shared_memory=512,
    registers=40,
    spills=0,
    target="cuda:90",
    tuning=Tuning(candidates=CANDIDATES, chosen=2),
    source=Source(file="op.py", line=9),
)
FUSED = CompiledKernel(
    name="triton_poi_0",
    compiler="inductor",
    source=Source(file="cabc.py", text="def triton_poi_0(): ..."),
    ops=("aten.add", "aten.gelu"),
)


def test_each_configuration_has_a_row_and_each_candidate_the_fastest_first():
    launched = Launched(kernels=(TUNED, FUSED), order=(0, 1))
    trace = timeline_of(
        launch(0, 5, called=1), kernel(10, 30, by=1), launch(40, 45, called=2), kernel(50, 60, by=2)
    )
    timeline = Timeline.of(trace)

    compiled, tuning = compiled_tables(
        timeline, np.flatnonzero(timeline.kernels), np.array([0, 0]), launched
    )

    settings = "BLOCK=64 num_warps=4 num_stages=3"
    times = (2, 30, 15, [8, 1, 1])
    costs = (128, 512, 40, 0, "cuda:90", 3)
    nothing = (0, None, None, None, None, None, None, None, None, None)
    assert compiled.rows == (
        ("k", "triton", settings, *times, *costs, None, "op.py:9"),
        ("triton_poi_0", "inductor", "", *nothing, "aten.add, aten.gelu", "cabc.py:1"),
    )
    assert tuning.rows == (
        ("k", "BLOCK=64 num_warps=4", "chosen", 700),
        ("k", "BLOCK=32 num_warps=4", None, 900),
        ("k", "BLOCK=512 num_warps=4", "failed", None),
    )


def test_without_a_tuner_there_is_no_table_of_candidates():
    timeline = Timeline.of(timeline_of(kernel(10, 30)))

    tables = compiled_tables(
        timeline,
        np.flatnonzero(timeline.kernels),
        np.array([-1]),
        Launched(kernels=(FUSED,), order=(0,)),
    )

    assert [table.tag for table in tables] == ["compiled_kernels"]
