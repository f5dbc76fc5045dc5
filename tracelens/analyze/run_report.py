"""A run as sections: its verdict, its split, its three measurements, its kernels, its host."""

from __future__ import annotations

from dataclasses import replace

from tracelens.analyze.device_time import device_time
from tracelens.analyze.host import host
from tracelens.analyze.integrity import integrity
from tracelens.analyze.kernels import kernels_of
from tracelens.analyze.measured import measured
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.verdict import verdict
from tracelens.analyze.window_table import SPLIT_TITLE, unsplit, window_table
from tracelens.analyze.windows import Windows, choose
from tracelens.model.measurement import Measurement, Run
from tracelens.model.report import Section


def run_sections(run: Run, timeline: Timeline | None) -> tuple[Section, ...]:
    """Report a run; `timeline` is its profiled pass, or None where there was none.

    Raises UsageError where the timeline lacks the windows that the run says it has.
    """
    taken = {m.tag: m for m in run.measurements}
    on_device = run.protocol is not None and run.protocol.device != "cpu"
    if timeline is None or run.capture is None:
        return (verdict(taken, None, on_device=on_device), unsplit(), measured(run, {}))
    calls = choose(timeline, window=run.capture.window)
    device: dict[str, Measurement] = device_time(timeline, calls, "eager")
    if run.capture.replay_window is not None:
        replays = choose(timeline, window=run.capture.replay_window)
        device |= device_time(timeline, replays, "graph")
    split = window_table(timeline, calls)
    return (
        verdict(taken | device, _launches_per_call(timeline, calls), on_device=on_device),
        replace(split, title=SPLIT_TITLE),
        measured(run, device),
        kernels_of(timeline, calls),
        host(timeline, calls),
        Section(title="Profiled pass", findings=(*integrity(timeline), *timeline.findings)),
    )


def _launches_per_call(timeline: Timeline, windows: Windows) -> int | None:
    launching = timeline.launches.owns_kernel[windows.call]
    return round(int(launching.sum()) / len(windows)) if len(windows) else None
