from __future__ import annotations

from tests.timelines import Event, kernel, launch, sync, timeline_of, window
from tracelens.analyze.graph_equality import other_kernels
from tracelens.analyze.run_report import run_sections
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.measurement import Capture, Measurement, SubjectRun
from tracelens.model.report import Finding


def calls(name: str, at: int, *kernels: str, by: str = "cudaLaunchKernel") -> list[Event]:
    return [
        window(at, at + 60, name=name),
        launch(at + 10, at + 20, called=at, name=by),
        *(kernel(at + 30 + i, at + 31 + i, by=at, name=k) for i, k in enumerate(kernels)),
        sync(at + 70, at + 90),
    ]


def eager(*kernels: str, at: int = 100) -> list[Event]:
    return calls("tracelens::call", at, *kernels)


def replay(*kernels: str, at: int = 500) -> list[Event]:
    return calls("tracelens::replay", at, *kernels, by="cudaGraphLaunch")


def found(*events: Event) -> Finding | None:
    timeline = Timeline.of(timeline_of(*events))
    windows = [choose(timeline, window=f"tracelens::{name}") for name in ("call", "replay")]
    return other_kernels(timeline, *windows)


def test_the_same_kernels_in_another_order_are_the_same() -> None:
    assert found(*eager("add", "mul", "add"), *replay("mul", "add", "add")) is None


def test_what_each_side_has_alone_is_named_with_its_launch_shape() -> None:
    finding = found(*eager("add", "mul", "add"), *replay("add", "copy"))

    assert finding is not None
    assert (finding.tag, finding.severity) == ("graph/other_kernels", "error")
    assert finding.fact == (
        "the graph's replay does not run the kernels of the eager call: 3 kernels a call, 2 a "
        "replay; only in the call: 1 x add (grid 1x1x1, block 32x1x1), 1 x mul (grid 1x1x1, block "
        "32x1x1); only in the replay: 1 x copy (grid 1x1x1, block 32x1x1). No figure of the graph "
        "is reported"
    )


def test_a_kernel_that_is_put_before_the_graph_is_not_the_graphs() -> None:
    seed = [launch(505, 508, called=900), kernel(510, 511, by=900, name="fill the seed")]

    assert found(*eager("add"), *replay("add"), *seed) is None


def test_one_unusual_call_of_several_does_not_count() -> None:
    assert found(*eager("add"), *eager("add", at=200), *eager("x", at=300), *replay("add")) is None


def test_figures_of_a_graph_that_is_another_op_are_null_and_the_finding_says_why() -> None:
    run = SubjectRun(
        measurements=tuple(
            Measurement(tag=tag, samples_ns=(200,), clock="c", includes="i")
            for tag in ("full/eager", "full/graph", "full/graph_cold")
        ),
        capture=Capture(path="t", window="tracelens::call", replay_window="tracelens::replay"),
    )

    sections = run_sections(run, Timeline.of(timeline_of(*eager("add"), *replay("mul"))))

    values = {metric.tag: metric.value for section in sections for metric in section.metrics}
    assert values["full/eager/median"] == 200
    assert values["kernel/eager/busy/median"] == 1
    assert values["full/graph/median"] is None
    assert values.get("full/graph_cold/median") is None
    assert values["kernel/graph/busy/median"] is None
    tags = [finding.tag for section in sections for finding in section.findings]
    assert tags.count("graph/other_kernels") == 1
    assert "kernel/not_read" not in tags
