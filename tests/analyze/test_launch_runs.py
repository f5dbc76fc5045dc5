"""Launch-bound runs, on typed timelines. All times in ns."""

from tests.timelines import kernel, launch, timeline_of
from tracelens.analyze.launch_runs import launch_runs
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.report import Section


def runs_of(*events) -> Section:
    timeline = Timeline.of(timeline_of(*events))
    return launch_runs(timeline, choose(timeline))


def late(count, *, first=1000):
    """Kernels of 10 ns, each launched 40 ns after the one before has ended."""
    for n in range(count):
        at = first + 100 * n
        yield launch(at, at + 20, called=first + n)
        yield kernel(at + 50, at + 60, by=first + n)


def test_ten_kernels_that_each_waited_for_the_host_are_a_run():
    found = runs_of(*late(10))
    assert found.tables[0].rows == (("0", 0, 7, 1050, 10, 910, 100, 100 / 910, 10),)
    assert [finding.fact for finding in found.findings] == [
        "10 kernels in a row were each launched after the one before had ended: the stream was "
        "busy 11 % of 910 ns"
    ]


def test_nine_are_not():
    assert runs_of(*late(9)) == Section(title="Launch-bound runs")


def test_a_kernel_that_queued_behind_another_ends_a_run():
    queued = [launch(1955, 1956, called=1), kernel(1960, 1970, by=1)]  # launched while one runs
    found = runs_of(*late(10), *queued, *late(3, first=3000))
    assert [row[4] for row in found.tables[0].rows] == [10]


def test_the_nodes_of_a_graph_are_no_run():
    nodes = [kernel(1100 + 50 * n, 1110 + 50 * n, by=1) for n in range(20)]
    graph = launch(1000, 1020, called=1, name="cudaGraphLaunch")
    assert runs_of(graph, *nodes) == Section(title="Launch-bound runs")
