"""What a run or a trace has sampled, by the names under which a diff joins it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tracelens.analyze.integrity import kernels_known
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.totals import totals
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s
from tracelens.model.measurement import Measurement, SubjectRun

Group = Literal["measured", "inside", "parts", "counts", "cold", "trace"]
"""Where a quantity is shown: they are different experiments."""

NAMES = {
    "full": "full call",
    "wall": "window",
    "full_cold": "full call, cold L2",
    "submit": "submit",
    "amortised": "amortised",
    "full/graph": "full call, graph",
    "submit/graph": "submit, graph",
    "amortised/graph": "amortised, graph",
    "kernel": "kernel busy",
    "device": "device busy",
    "kernel/sum": "kernel sum",
    "kernel/graph": "kernel busy, graph",
    "kernel/graph/sum": "kernel sum, graph",
    "device/graph": "device busy, graph",
    "kernel_cold": "kernel busy, cold L2",
    "device_cold": "device busy, cold L2",
    "full_cold/graph": "full, graph, cold L2",
    "kernel_cold/graph": "kernel, graph, cold L2",
    "device_cold/graph": "device, graph, cold L2",
    "undisturbed/before_first": "before the first kernel",
    "undisturbed/busy": "kernels",
    "undisturbed/between": "between kernels",
    "undisturbed/after_last": "after the last kernel",
    "undisturbed/full": "full call",
    "undisturbed/full_off": "full, no records",
    "host_dispatch": "host dispatch",
    "launch": "launch",
    "memory": "memory",
    "sync": "sync",
    "return": "return",
    "kernels": "kernels",
    "launches": "launch calls",
    "cold/first_call": "first call",
    "cold/second_call": "second call",
}
"""Quantities with a name of their own; any other is named by its stem."""

ON_CPU = {"host_dispatch": "host time of a call"}
"""Of an op on the CPU: there is nothing to dispatch to, and all of a call is the host's."""

_GROUPS: dict[str, Group] = {"undisturbed": "inside", "cold": "cold"}
"""Where a quantity is shown, by the first segment of its stem; others were measured as such."""

_PARTS = ("kernel", "memory", "launch", "sync", "host_dispatch", "return")
_OF_DEVICE = frozenset({"kernel", "memory"})
_NOT_OF_THE_OP = ("full_profiled/", "clock/")
"""The full call under the profiler and the doubt of a clock: figures of the instrument."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quantity:
    """Samples of one thing, in the order taken. `taken` says how: both sides must agree on it."""

    name: str
    samples: Int64s
    group: Group
    unit: str = "ns"
    taken: str = ""
    includes: str = ""
    stage: str = ""
    """In which stage of a run it was sampled, as readings of the card name it; none if profiled."""
    again: tuple[Int64s, ...] = ()
    """The same from further processes of the same build."""

    @property
    def is_single(self) -> bool:
        """Whether each process sampled it once, as a first call: none of them knows its level."""
        return all(len(run) <= 1 for run in (self.samples, *self.again))


Quantities = Mapping[str, Quantity]
"""By stem: `full`, `full/graph`, `host_dispatch`."""


def of_run(found: SubjectRun) -> Quantities:
    """Return what was sampled with the profiler off; `full/eager` is known as `full`."""
    return {
        stem: _quantity(stem, m, stage=_stage(m.tag))
        for m in found.measurements
        if not m.tag.startswith(_NOT_OF_THE_OP)
        if (stem := m.tag.replace("/eager", "", 1))
    }


def of_device(measurements: Mapping[str, Measurement]) -> Quantities:
    """Return device times read off a profiled pass; `kernel/eager/busy` is known as `kernel`."""
    return {
        stem: _quantity(stem, m)
        for m in measurements.values()
        if (stem := m.tag.replace("/eager", "", 1).removesuffix("/busy"))
    }


def _stage(tag: str) -> str:
    first, _, _ = tag.partition("/")
    return first if first == "undisturbed" else tag


def _quantity(stem: str, measurement: Measurement, *, stage: str = "") -> Quantity:
    first = stem.partition("/")[0]
    return Quantity(
        name=NAMES.get(stem, stem),
        samples=np.array(measurement.samples_ns, np.int64),
        group=_GROUPS.get(first, "measured"),
        taken=f"{measurement.clock}, {measurement.cache_state} cache",
        includes=measurement.includes,
        stage=stage,
    )


def of_calls(timeline: Timeline, windows: Windows) -> Quantities:
    """Return a sample per window of its parts and of how much it launched; profiler on."""
    parts, known = split(timeline, windows), kernels_known(timeline)
    quantities = {
        part: Quantity(
            name=NAMES[part],
            samples=getattr(parts, f"{part}_ns"),
            group="parts",
            includes=f"{NAMES[part]}, part of a window, profiler on",
        )
        for part in _PARTS
        if known or part not in _OF_DEVICE
    }
    is_launch = timeline.launches.owns_kernel | timeline.launches.lost
    launching = is_launch[windows.call]
    launches = np.bincount(windows.call_window[launching], minlength=len(windows))
    counts = {"launches": launches, **({"kernels": parts.kernel_count} if known else {})}
    for stem, samples in counts.items():
        quantities[stem] = Quantity(
            name=NAMES[stem],
            samples=samples.astype(np.int64),
            group="counts",
            unit="count",
            includes="per window",
        )
    return quantities


def of_trace(timeline: Timeline, windows: Windows) -> Quantities:
    """Return the windows' wall time and the totals of the whole trace, one sample each."""
    wall = Quantity(
        name=NAMES["wall"],
        samples=windows.ends - windows.starts,
        group="measured",
        includes="whole window, profiler on",
    )
    return {"wall": wall, **dict(_totals(timeline, windows))}


def _totals(timeline: Timeline, windows: Windows) -> Iterator[tuple[str, Quantity]]:
    for metric in totals(timeline, windows).metrics:
        if isinstance(metric.value, int):
            yield (
                metric.tag,
                Quantity(
                    name=metric.name,
                    samples=np.array([metric.value]),
                    group="trace",
                    unit=metric.unit,
                    includes=metric.description,
                ),
            )
