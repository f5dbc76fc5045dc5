"""One name in several configurations: which launch is which."""

import numpy as np

from tests.timelines import kernel, launch, timeline_of, window
from tracelens.analyze.launched_kernels import join_launched
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.launched import CompiledKernel, Launched


def compiled(name="k", *, grid=(1, 1, 1), block=1, threads=32, **more):
    return CompiledKernel(
        name=name,
        compiler="triton",
        constexprs={"BLOCK": block},
        grid=grid,
        threads=threads,
        **{"registers": 16, "shared_memory": 0, **more},
    )


def joined(launched, *launches):
    """Join calls of launches: a call is a list of what `kernel` is told beside its times."""
    events = []
    correlation = 0
    for number, call in enumerate(launches):
        start = 1000 * number
        events.append(window(start, start + 500))
        for place, told in enumerate(call):
            correlation += 1
            at = start + 10 * place
            events.append(launch(at, at + 5, called=correlation))
            events.append(kernel(at + 6, at + 9, by=correlation, **told))
    timeline = Timeline.of(timeline_of(*events))
    rows = np.flatnonzero(timeline.kernels)
    found = join_launched(timeline, rows, choose(timeline), launched)
    return found.place.tolist(), [finding.tag for finding in found.findings]


def test_grid_block_registers_and_shared_memory_tell_configurations_apart():
    launched = Launched(
        kernels=(
            compiled(grid=(4, 1, 1)),
            compiled(grid=(8, 1, 1)),
            compiled(grid=(8, 1, 1), threads=64),
            compiled(grid=(8, 1, 1), registers=20),
            compiled(grid=(8, 1, 1), shared_memory=512),
            compiled("other"),
        ),
        order=(0, 1, 2, 3, 4, 5),
    )

    assert joined(
        launched,
        [
            {"grid": (8, 1, 1), "shared_memory": 512},
            {"grid": (8, 1, 1), "block": (64, 1, 1)},
            {"name": "other"},
            {"grid": (4, 1, 1)},
            {"grid": (8, 1, 1), "registers": 20},
            {"grid": (8, 1, 1)},
            {"name": "unwatched"},
        ],
    ) == ([4, 2, 5, 0, 3, 1, -1], [])


def test_a_cluster_puts_its_blocks_along_x_of_the_grid():
    launched = Launched(kernels=(compiled(grid=(4, 2, 1), num_ctas=2),), order=(0,))

    assert joined(launched, [{"grid": (8, 2, 1)}]) == ([0], [])


def test_a_trace_records_no_fewer_than_sixteen_registers():
    launched = Launched(kernels=(compiled(registers=14), compiled(registers=18)), order=(0, 1))

    assert joined(launched, [{"registers": 16}, {"registers": 18}]) == ([0, 1], [])


def test_what_looks_alike_is_told_apart_by_the_order_in_each_call():
    launched = Launched(kernels=(compiled(block=1), compiled(block=2)), order=(0, 1, 0))

    assert joined(launched, [{}, {}, {}], [{}, {}, {}]) == ([0, 1, 0, 0, 1, 0], [])


def test_a_call_with_another_number_of_launches_tells_nothing_and_a_finding_says_so():
    launched = Launched(kernels=(compiled(block=1), compiled(block=2)), order=(0, 1))

    assert joined(launched, [{}, {}], [{}, {}, {}]) == (
        [0, 1, -1, -1, -1],
        ["kernel/not_told_apart"],
    )


def test_a_launch_unlike_the_watched_one_is_not_given_its_configuration():
    launched = Launched(kernels=(compiled(grid=(4, 1, 1)),), order=(0,))

    assert joined(launched, [{"grid": (5, 1, 1)}]) == ([-1], ["kernel/launched_otherwise"])


def test_what_the_compiler_does_not_tell_contradicts_nothing():
    launched = Launched(
        kernels=(compiled(grid=None, threads=None, registers=None, shared_memory=None),), order=(0,)
    )

    assert joined(launched, [{"grid": (5, 1, 1)}]) == ([0], [])


def test_without_a_watched_call_nothing_is_known_and_nothing_is_said():
    assert joined(None, [{}]) == ([-1], [])
