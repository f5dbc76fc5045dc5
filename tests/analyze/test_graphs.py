"""Graph launches, and whether they all did the same. All times in ns."""

from tests.timelines import UNKNOWN, copy, kernel, launch, timeline_of
from tracelens.analyze.graphs import graphs
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.report import Finding, Section


def section(*events) -> Section:
    timeline = Timeline.of(timeline_of(*events))
    return graphs(timeline, choose(timeline))


def rows(*events) -> list[tuple]:
    return list(section(*events).tables[0].rows)


def replay(at: int, *nodes: str, by: int, name: str = "cudaGraphLaunch") -> list:
    """A graph launch of 5 ns and nodes of 10 ns, one every 20 ns from 50 ns after it."""
    runs = [at + 50 + 20 * place for place in range(len(nodes))]
    return [
        launch(at, at + 5, called=by, name=name),
        *[kernel(run, run + 10, by=by, name=node) for run, node in zip(runs, nodes, strict=True)],
    ]


def test_each_graph_launch_is_a_row_in_order_of_time():
    later = replay(500, "a", by=2)
    assert rows(
        *later,
        launch(100, 107, called=1, name="hipGraphLaunch"),
        kernel(130, 150, by=1, stream=7),
        kernel(140, 160, by=1, stream=8),
        kernel(170, 165, by=1),  # corrupt: counted only
        copy(155, 180, by=1, stream=9),
    ) == [
        # correlation, name, start, kernels, copies, sum, kernel busy, device busy, span, latency
        (1, "hipGraphLaunch", 100, 3, 1, 40, 30, 50, 50, 30),
        (2, "cudaGraphLaunch", 500, 1, 0, 10, 10, 10, 10, 50),
    ]


def test_a_call_of_another_name_that_owns_several_pieces_launched_a_graph():
    assert [row[1] for row in rows(*replay(0, "a", "b", by=1, name="someLaunch"))] == ["someLaunch"]
    assert section(*replay(0, "a", by=1, name="someLaunch")).tables == ()


def test_what_is_not_known_of_a_graph_is_null():
    assert rows(
        launch(100, 105, called=1, name="cudaGraphLaunch"),
        kernel(UNKNOWN, UNKNOWN, by=1),
    ) == [(1, "cudaGraphLaunch", 100, 1, 0, 0, 0, 0, None, None)]


def test_a_replay_that_runs_a_part_of_what_the_others_run_is_an_error():
    whole = ("a", "b", "b", "c")
    found = section(
        *replay(1000, *whole, by=1),
        *replay(2000, "a", "b", "c", by=2),
        *replay(3000, *whole, by=3),
    )
    assert found.findings == (
        Finding(
            tag="graphs/replays_differ",
            severity="error",
            fact="1 of 3 replays run 3 nodes where the others run the same and more, 4 in all "
            "(correlation 2)",
            advice="records were lost or the graph was instantiated anew: compare only whole "
            "replays",
        ),
    )


def test_where_as_many_replays_run_a_part_as_run_it_all_it_is_a_warning():
    part, whole = replay(1000, "a", "b", "d", by=1), replay(2000, "a", "b", "c", "d", by=2)
    (finding,) = section(*part, *whole).findings
    assert finding.severity == "warning"
    assert finding.fact.startswith("1 of 2 replays run 3 nodes where the others run the same and")


def test_replays_of_different_graphs_differ_for_good_reason():
    assert (
        section(
            *replay(1000, "a", "b", "c", by=1),
            *replay(2000, "a", "b", "c", by=2),
            *replay(3000, "a", "x", by=3),  # another graph
            *replay(4000, "a", by=4),  # less than half
        ).findings
        == ()
    )


def test_at_most_five_sorts_of_broken_replay_are_named():
    whole = ("a", "b", "c", "d", "e", "f", "g")
    broken = [tuple(n for n in whole if n != lost) for lost in whole]
    launches = [*[whole] * 2, *broken]
    found = section(
        *[e for n, nodes in enumerate(launches, 1) for e in replay(1000 * n, *nodes, by=n)]
    )
    assert len(found.findings) == 5
