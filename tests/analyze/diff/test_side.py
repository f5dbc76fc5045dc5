"""What one side knows: a run with its profiled pass. All times in ns."""

from dataclasses import replace

from tests.analyze.diff.runs import subject
from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.diff.side import Side
from tracelens.analyze.timeline import Timeline
from tracelens.model.expectation import StatedKernels
from tracelens.model.measurement import Capture, Check, Trial

CAPTURE = Capture(path="t.json.gz", window="tracelens::call", replay_window="replay")


def side(*, replayed="k"):
    """Return a side of one call and one replay, each 20 ns long, with a kernel of 5 ns."""
    timeline = Timeline.of(
        timeline_of(
            window(0, 14),
            launch(6, 8, called=1),
            kernel(11, 16, by=1, name="k"),
            sync(14, 20),
            window(100, 114, name="replay"),
            launch(104, 106, called=2, name="cudaGraphLaunch"),
            kernel(109, 114, by=2, name=replayed),
            sync(114, 120),
        )
    )
    found = replace(subject(("full/eager", 50_000), ("full/graph", 9_000)), capture=CAPTURE)
    return Side.of_subject(found, timeline)


def medians(found):
    return {stem: int(quantity.samples[0]) for stem, quantity in found.quantities.items()}


def test_a_run_gives_its_host_times_the_parts_of_a_call_and_its_device_times():
    found = side()
    assert {k: v for k, v in medians(found).items() if not k.startswith("full")} == {
        "kernel": 5,
        "kernel/sum": 5,
        "device": 5,
        "kernel/graph": 5,
        "kernel/graph/sum": 5,
        "device/graph": 5,
        "memory": 0,
        "launch": 5,
        "sync": 4,
        "host_dispatch": 6,
        "return": 0,
        "launches": 1,
        "kernels": 1,
    }
    assert [use.name for use in found.kernels] == ["k"]
    assert found.host[("launch", "cudaLaunchKernel")] == 2


def test_a_replay_that_runs_other_kernels_gives_no_figure_of_a_graph():
    found = side(replayed="other")
    assert not [stem for stem in found.quantities if "graph" in stem]
    assert [finding.tag for finding in found.findings] == ["graph/other_kernels"]


def test_a_result_that_was_wrong_is_a_failure_and_a_failed_check_an_error():
    wrong = replace(
        subject(("full/eager", 50_000)),
        check=Check(status="failed"),
        trials=(Trial(name="poison", proves="all is written", status="failed", fact="3 were not"),),
    )
    found = Side.of_subject(wrong, None)
    assert found.failure == "its result differs from the reference"
    assert [(f.severity, f.fact) for f in found.findings] == [
        ("error", "the check 'poison' failed (all is written): 3 were not")
    ]


def test_the_op_files_names_of_template_arguments_are_in_the_kernels_of_a_side():
    timeline = Timeline.of(
        timeline_of(
            window(0, 14),
            launch(6, 8, called=1),
            kernel(11, 16, by=1, name="void gemv<16, 1>(float*)"),
            sync(14, 20),
        )
    )
    found = replace(
        subject(("full/eager", 50_000)),
        stated=StatedKernels(configs={"gemv": ("NW", "UG")}),
        capture=replace(CAPTURE, replay_window=None),
    )
    (use,) = Side.of_subject(found, timeline).kernels or ()
    assert use.configuration()["config"] == "NW=16 UG=1"
