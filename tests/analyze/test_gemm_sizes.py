import numpy as np
import pytest

from tests.timelines import kernel, launch, op, timeline_of
from tracelens.analyze.gemm_sizes import gemm_sizes
from tracelens.analyze.names.launch_check import Gemm
from tracelens.analyze.timeline import Timeline


def sizes_of(*events):
    timeline = Timeline.of(timeline_of(*events))
    gemms, of = gemm_sizes(timeline, np.flatnonzero(timeline.kernels))
    return [None if place < 0 else gemms[place] for place in of.tolist()]


@pytest.mark.parametrize(
    ("name", "sizes", "wanted"),
    [
        ("aten::mm", ((4, 8), (8, 16)), Gemm(m=4, n=16, k=8)),
        ("aten::addmm", ((16,), (4, 8), (8, 16), (), ()), Gemm(m=4, n=16, k=8)),
        ("aten::bmm", ((3, 4, 8), (3, 8, 16)), Gemm(m=4, n=16, k=8, batch=3)),
        ("aten::baddbmm", ((3, 4, 16), (3, 4, 8), (3, 8, 16)), Gemm(m=4, n=16, k=8, batch=3)),
        ("aten::_scaled_mm", ((4, 8), (8, 16), (), ()), Gemm(m=4, n=16, k=8)),
        ("aten::add", ((4, 8), (8, 16)), None),
        ("aten::mm", ((4, 8), (9, 16)), None),  # no product
        ("aten::mm", ((4, 8),), None),
        ("aten::mm", ((0, 8), (8, 16)), None),
        ("aten::mm", (), None),  # recorded without shapes
    ],
)
def test_the_sizes_are_those_of_the_op_that_launched_the_kernel(name, sizes, wanted):
    assert sizes_of(
        op(0, 50, name=name, sizes=sizes),
        launch(10, 12, called=1),
        kernel(20, 30, by=1),
    ) == [wanted]


def test_the_innermost_op_counts_and_a_kernel_outside_of_all_has_no_sizes():
    assert sizes_of(
        op(0, 50, name="aten::matmul", sizes=((1, 2), (2, 3))),
        op(5, 40, name="aten::mm", sizes=((4, 8), (8, 16))),
        launch(10, 12, called=1),
        launch(14, 16, called=2),
        launch(60, 62, called=3),
        kernel(20, 30, by=1),
        kernel(30, 31, by=2, name="splitKreduce_kernel"),
        kernel(70, 80, by=3),
    ) == [Gemm(m=4, n=16, k=8), Gemm(m=4, n=16, k=8), None]
