"""The kernels of the windows, by name and launch configuration. All times in ns."""

from tests.timelines import kernel, launch, timeline_of, window
from tracelens.analyze.kernel_use import kernel_uses
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose


def test_kernels_are_told_apart_by_shape_and_counted_per_window():
    timeline = Timeline.of(
        timeline_of(
            window(0, 100),
            launch(10, 12, called=1),
            kernel(20, 30, by=1, name="a"),
            launch(14, 16, called=2),
            kernel(30, 44, by=2, name="a", grid=(2, 1, 1)),
            window(200, 300),
            launch(210, 212, called=3),
            kernel(220, 232, by=3, name="a"),
            launch(400, 402, called=4),
            kernel(410, 499, by=4, name="outside"),
        )
    )
    uses = kernel_uses(timeline, choose(timeline))
    assert [(u.name, u.grid, u.count, u.median_ns, u.per_call_ns) for u in uses] == [
        ("a", (1, 1, 1), 1, 11, 11),
        ("a", (2, 1, 1), 0.5, 14, 7),
    ]
