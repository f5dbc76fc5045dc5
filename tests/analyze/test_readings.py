"""Readings of names, confirmed and completed by the launch and by what the run knows."""

from dataclasses import replace

import numpy as np

from tests.timelines import kernel, launch, op, timeline_of, window
from tracelens.analyze.names.config import spell_config
from tracelens.analyze.readings import Known, read_kernels
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.launched import CompiledKernel, Launched
from tracelens.model.trace import Device

NVJET = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT"
H200 = Device(id=0, name="NVIDIA H200", multiprocessors=132, compute_capability="9.0")


def read(*events, known=None):
    timeline = Timeline.of(replace(timeline_of(*events), devices=(H200,)))
    rows = np.flatnonzero(timeline.kernels)
    return read_kernels(timeline, rows, choose(timeline), known or Known())


def product(at, *, called, k=4096, grid=(2, 64, 1), name=NVJET):
    return (
        op(at, at + 50, name="aten::mm", sizes=((1, k), (k, 4096))),
        launch(at + 10, at + 12, called=called),
        kernel(at + 20, at + 30, by=called, name=name, grid=grid, block=(384, 1, 1)),
    )


def test_the_factor_of_a_split_is_recovered_from_the_grid_and_the_sizes_of_the_op():
    readings = read(*product(0, called=1), *product(100, called=2, grid=(4, 64, 1)))

    assert [spell_config(kernel) for kernel in readings.kernels] == [
        "tile 64x8x64 stages 16 cluster 2x1 split-K 2",
        "tile 64x8x64 stages 16 cluster 2x1 split-K 4",
    ]
    assert readings.place.tolist() == [0, 1]
    assert readings.kernels[0].fields["split_k"].status == "inferred"
    assert readings.contradictions == {}


def test_launches_with_the_same_reading_share_it():
    readings = read(*product(0, called=1), *product(100, called=2, k=8192))

    assert readings.place.tolist() == [0, 0]
    assert len(readings.kernels) == 1


def test_without_the_sizes_a_split_stays_a_split_of_unknown_factor():
    readings = read(launch(10, 12, called=1), kernel(20, 30, by=1, name=NVJET, grid=(2, 64, 1)))

    assert readings.kernels[0].value("split_k") is True


def test_a_launch_that_cannot_be_what_the_name_says_is_told_and_nothing_recovered():
    readings = read(*product(0, called=1, grid=(3, 5, 1)))

    assert readings.contradictions == {NVJET: "15 blocks for 64 tiles of 64x8"}
    assert readings.kernels[0].value("split_k") is True


def test_what_the_run_knows_goes_before_the_name():
    launched = Launched(
        kernels=(
            CompiledKernel(
                name="mine",
                compiler="triton",
                constexprs={"BLOCK": 64},
                num_warps=1,
                num_stages=3,
                grid=(1, 1, 1),
                threads=32,
            ),
        ),
        order=(0,),
    )
    known = Known(configs={"gemv": ("NW", "UG")}, launched=launched)
    readings = read(
        window(0, 60),
        launch(10, 12, called=1),
        launch(14, 16, called=2),
        kernel(20, 30, by=1, name="mine"),
        kernel(30, 40, by=2, name="void gemv<16, 2>(int)"),
        known=known,
    )

    assert [spell_config(kernel) for kernel in readings.kernels] == [
        "BLOCK=64 num_warps=1 num_stages=3",
        "NW=16 UG=2",
    ]
    assert readings.compiled.tolist() == [0, -1]
