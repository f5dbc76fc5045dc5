"""What one side knows: a run with its profiled pass. All times in ns."""

from dataclasses import replace

from tests.analyze.diff.runs import subject
from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.diff.side import Side
from tracelens.analyze.timeline import Timeline
from tracelens.model.expectation import StatedKernels
from tracelens.model.measurement import Capture, Check, Noticed, Trial, Withheld
from tracelens.model.op import MISSPELLED
from tracelens.model.report import Finding

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


def test_a_prediction_under_a_misspelled_name_is_a_finding_of_its_side():
    doubt = Finding(tag=MISSPELLED, severity="warning", fact="is 'predict' meant?", advice="")
    other = Finding(tag="op/aliases", severity="info", fact="", advice="")
    noticed = (Noticed(finding=other), Noticed(finding=doubt))
    found = replace(subject(("full/eager", 50_000)), noticed=noticed)
    assert Side.of_subject(found, None).findings == (doubt,)


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


def test_launches_whose_records_are_lost_were_launches_all_the_same_and_the_kernels_are_unknown():
    timeline = Timeline.of(
        timeline_of(window(0, 14), launch(2, 4, called=1), launch(6, 8, called=2), sync(14, 20))
    )
    capture = replace(CAPTURE, replay_window=None)
    found = Side.of_subject(replace(subject(("full/eager", 50_000)), capture=capture), timeline)
    assert (medians(found)["launches"], "kernels" in found.quantities) == (2, False)
    assert (found.kernels, found.no_kernels) == (
        None,
        "2 kernel launches but no kernel records: device time unknown",
    )


def test_a_run_says_itself_why_it_knows_no_kernels():
    withheld = Withheld(
        tags=("kernel/eager/busy",),
        finding=Finding(tag="device/none", severity="info", fact="It ran on the CPU.", advice=""),
    )
    found = replace(subject(("full/eager", 50_000)), withheld=(withheld,))
    assert Side.of_subject(found, None).no_kernels == "It ran on the CPU."
    assert Side.of_subject(subject(), None).no_kernels == "there is no profiled pass"
    assert side().no_kernels == ""
