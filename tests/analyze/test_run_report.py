"""A run as sections: every tag of the contract is there, measured or null. All times in ns."""

from dataclasses import replace

import pytest

from tests.timelines import kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.run_report import run_sections
from tracelens.analyze.timeline import Timeline
from tracelens.errors import UsageError
from tracelens.model.expectation import StatedKernels
from tracelens.model.measurement import Capture, Measurement, Protocol, SubjectRun

SPLIT = tuple(
    f"split/{part}/median"
    for part in ("wall", "kernel", "memory", "launch", "sync", "host_dispatch", "return")
)


def run(*, device: str = "cuda:0", replay: str | None = "tracelens::replay") -> SubjectRun:
    tags = ("full/eager", "submit/eager", "amortised/eager", "full_profiled/eager")
    return SubjectRun(
        protocol=Protocol(
            device=device,
            seed=0,
            grad_mode="no_grad",
            warmup_calls=1,
            warmup_ns=1,
            samples=1,
            batch=1,
            profiled_calls=2,
            head_calls=0,
            cache_state="warm",
            clock="perf_counter_ns",
        ),
        measurements=tuple(
            Measurement(tag=tag, samples_ns=(200,), clock="c", includes="i") for tag in tags
        ),
        capture=Capture(path="trace.json.gz", window="tracelens::call", replay_window=replay),
    )


def calls(name: str, at: int, *, runs: int, by: str = "cudaLaunchKernel") -> list:
    return [
        window(at, at + 60, name=name),
        op(at + 5, at + 30),
        launch(at + 10, at + 20, called=at, name=by),
        kernel(at + 40, at + 40 + runs, by=at),
        sync(at + 70, at + 100),
    ]


EAGER = (*calls("tracelens::call", 100, runs=10), *calls("tracelens::call", 300, runs=20))
REPLAYS = (
    *calls("tracelens::replay", 500, runs=6, by="cudaGraphLaunch"),
    *calls("tracelens::replay", 700, runs=8, by="cudaGraphLaunch"),
)


def values(found: SubjectRun, *events) -> dict[str, object]:
    timeline = Timeline.of(timeline_of(*events)) if events else None
    sections = run_sections(found, timeline)
    return {metric.tag: metric.value for section in sections for metric in section.metrics}


def test_device_times_come_from_the_windows_of_calls_and_of_replays():
    found = values(run(), *EAGER, *REPLAYS)
    assert found["kernel/eager/busy/median"] == 15
    assert found["kernel/graph/busy/median"] == 7
    assert {tag: found[tag] for tag in SPLIT} == {
        "split/wall/median": 100,
        "split/kernel/median": 15,
        "split/memory/median": 0,
        "split/launch/median": 30,
        "split/sync/median": 30,
        "split/host_dispatch/median": 10,
        "split/return/median": 15,
    }


def test_the_host_table_and_the_kernels_are_those_of_the_eager_calls():
    sections = run_sections(run(), Timeline.of(timeline_of(*EAGER, *REPLAYS)))
    tables = {table.tag: table for section in sections for table in section.tables}
    assert [row[:3] for row in tables["host"].rows] == [
        ("python", "outside framework ops", 5),
        ("framework op", "aten::add", 5),
    ]
    assert [(row[0], row[3], row[4]) for row in tables["kernels"].rows] == [("k", 2, 30)]


def test_the_op_files_own_names_of_template_arguments_are_in_the_kernels_table():
    found = replace(
        run(replay=None), stated=StatedKernels(configs={"gemvz": ("NW", "UG", "NB", "PIPE")})
    )
    name = "void gemvz<16, 1, 1, 2>(float*)"
    events = [replace(e, name=name) if e.sort == "work" else e for e in EAGER]
    sections = run_sections(found, Timeline.of(timeline_of(*events)))
    (rows,) = [t.rows for section in sections for t in section.tables if t.tag == "kernels"]
    assert [row[:3] for row in rows] == [(name, "user", "NW=16 UG=1 NB=1 PIPE=2")]


def test_a_disturbed_run_says_so_before_its_verdict():
    slow = Measurement(tag="amortised/eager", samples_ns=(400,), clock="c", includes="i")
    measured = [m for m in run().measurements if m.tag != slow.tag]
    found = replace(run(), measurements=(*measured, slow))
    (verdict, *_) = run_sections(found, None)
    assert [finding.tag for finding in verdict.findings] == [
        "verdict/disturbed",
        "verdict/device_unknown",
    ]


def test_a_trace_without_device_records_leaves_device_times_null_with_a_finding():
    host_only = [event for event in EAGER if event.sort != "work"]
    sections = run_sections(run(replay=None), Timeline.of(timeline_of(*host_only)))
    found = {metric.tag: metric.value for section in sections for metric in section.metrics}
    assert (found["kernel/eager/busy/median"], found["split/kernel/median"]) == (None, None)
    assert (found["full/eager/median"], found["split/wall/median"]) == (200, 100)
    tags = [finding.tag for section in sections for finding in section.findings]
    assert tags[0] == "verdict/device_unknown"
    assert "kernel/not_read" in tags
    assert "integrity/no_device_records" in tags


def test_a_run_on_the_cpu_has_windows_without_a_split_and_says_with_how_many_threads():
    found = run(device="cpu", replay=None)
    found = replace(found, protocol=replace(found.protocol, threads=3))
    timeline = Timeline.of(timeline_of(window(0, 60), op(5, 30), window(70, 150), op(75, 100)))
    verdict, windows, tree, *_ = run_sections(found, timeline)
    assert [f.fact for f in verdict.findings] == [
        "on the CPU with 3 threads: the call takes 200 ns, 200 ns back to back"
    ]
    assert (windows.title, tree.title) == (
        "2 call windows tracelens::call",
        "Host time of a call by op, profiler on",
    )


def test_a_run_without_a_profiled_pass_has_the_tags_of_the_split_as_null():
    found = values(run())
    assert {tag: found[tag] for tag in SPLIT} == dict.fromkeys(SPLIT)
    assert found["full/eager/median"] == 200


def test_a_trace_without_the_windows_of_the_run_is_an_error():
    with pytest.raises(UsageError) as refused:
        run_sections(run(), Timeline.of(timeline_of(*EAGER)))
    assert refused.value.fact == "no annotation on a host thread is named 'tracelens::replay'"
