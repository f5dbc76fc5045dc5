"""Kernels by launch configuration. All times in ns."""

from tests.timelines import copy, kernel, timeline_of
from tracelens.analyze.kernel_shapes import kernel_shapes
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.report import Section
from tracelens.model.trace import MISSING


def section(*events) -> Section:
    timeline = Timeline.of(timeline_of(*events))
    return kernel_shapes(timeline, choose(timeline))


def test_one_name_under_several_configurations_is_several_rows_longest_total_first():
    found = section(
        kernel(10, 20, name="mm", block=(128, 1, 1), grid=(64, 1, 1)),
        kernel(30, 70, name="mm", block=(256, 1, 1), grid=(32, 1, 1)),
        kernel(80, 96, name="mm", block=(128, 1, 1), grid=(64, 1, 1)),
        kernel(99, 90, name="mm", block=(128, 1, 1), grid=(64, 1, 1)),  # corrupt: counted only
        copy(100, 200),
    )
    assert list(found.tables[0].rows) == [
        # name, grid, block, registers, shared memory, count, total, median
        ("mm", [32, 1, 1], [256, 1, 1], 16, 0, 1, 40, 40),
        ("mm", [64, 1, 1], [128, 1, 1], 16, 0, 3, 26, 13),
    ]
    assert [(f.tag, f.fact) for f in found.findings] == [
        (
            "kernels/several_configurations",
            "1 kernel name runs under several configurations of block, registers or shared "
            "memory: 'mm' under 2",
        )
    ]


def test_another_grid_alone_is_another_row_but_no_other_configuration():
    found = section(kernel(10, 20, grid=(1, 1, 1)), kernel(30, 40, grid=(2, 1, 1)))
    assert [row[1] for row in found.tables[0].rows] == [[1, 1, 1], [2, 1, 1]]
    assert found.findings == ()


def test_a_shape_that_is_not_recorded_and_a_total_that_is_not_known_are_null():
    nothing = (MISSING, MISSING, MISSING)
    found = section(kernel(20, 10, grid=nothing, block=nothing))
    assert list(found.tables[0].rows) == [("k", None, None, 16, 0, 1, None, None)]


def test_a_launch_that_was_not_recorded_is_no_other_configuration():
    nothing = (MISSING, MISSING, MISSING)
    assert section(kernel(10, 20), kernel(30, 40, grid=nothing, block=nothing)).findings == ()


def test_a_trace_without_kernels_has_no_rows():
    assert section(copy(10, 20)).tables[0].rows == ()


def test_a_finding_says_the_beginning_of_a_name_of_megabytes():
    name = "k" * 1_000_000
    (finding,) = section(
        kernel(10, 20, name=name, block=(128, 1, 1)), kernel(30, 40, name=name, block=(256, 1, 1))
    ).findings
    assert f": '{'k' * 79}…' under 2" in finding.fact
