"""What a reproducer carries of the run that it repeats: protocol, medians, kernels, words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracelens.model.measurement import Measurement, Protocol, Run, SubjectRun
from tracelens.model.report import Environment, Metric, Report, Section, Table
from tracelens.render.safe_text import safe
from tracelens.render.words import ENVIRONMENT, MODES, QUANTITIES

COLD = "cold/first_call"

_QUANTITIES = (
    *("full", "submit", "amortised", "device/busy", "kernel/busy", "kernel/sum"),
    *("full_cold", "device_cold/busy", "kernel_cold/busy", "kernel_cold/sum"),
)
"""What a script measures, in the order in which it prints it."""

_PROTOCOL: dict[str, Any] = {
    "seed": 0,
    "warmup_calls": 5,
    "warmup_ns": 200_000_000,
    "samples": 200,
    "batch": 100,
    "head_calls": 5,
    "profiled_calls": 20,
    "cores": None,
}
"""What stands for the protocol where the source is a trace, which has none."""

_FIXED = {"batches": 20, "replays": 10, "budget_ns": 1_000_000_000}
"""What a run does not record: as many batches and replays as are always taken, and twice the time
that a run spends on samples, so that the same number of them fits."""

_MOST_KERNELS = 40
"""Kernels that are named in a script, the longest first: a call of more is told by these."""


def facts_of_run(run: Run) -> dict[str, Any]:
    """Return builtins: the op, how it was measured and what was found, a subject each."""
    protocol = next((s.protocol for s in run.subjects if s.protocol is not None), None)
    subjects = [_subject(found, run.report) for found in run.subjects]
    return {
        "op": run.op,
        "device": protocol.device if protocol else "cpu",
        "environment": _spelled(run.environment, threads=_threads(protocol)),
        "packages": [*(run.environment.packages or ())],
        "l2": protocol.cache_state if protocol else "warm",
        **(_stated(protocol) if protocol else _PROTOCOL),
        **_FIXED,
        "all": all(len(subject["kernels"]) < _MOST_KERNELS for subject in subjects),
        "subjects": subjects,
    }


def facts_of_recorded(name: str, *, device: str, environment: Environment) -> dict[str, Any]:
    """Return the same of an op that a trace recorded: it has no medians of its own."""
    return {
        "op": name,
        "device": device,
        "environment": _spelled(environment),
        "packages": [],
        "l2": "warm",
        **_PROTOCOL,
        **_FIXED,
        "all": True,
        "subjects": [{"case": None, "variant": None, "kernels": [], "medians": {}}],
    }


def words() -> dict[str, tuple[str, str]]:
    """Return how each quantity that a script measures is called, by its tag."""
    tags = {COLD: ("first call", "")}
    for quantity in _QUANTITIES:
        kind, _, part = quantity.partition("/")
        for mode in MODES:
            tags[f"{kind}/{mode}/{part}".rstrip("/")] = (QUANTITIES[quantity], mode)
    return tags


def _stated(protocol: Protocol) -> dict[str, Any]:
    return {name: getattr(protocol, name) for name in _PROTOCOL}


def _subject(found: SubjectRun, report: Report | None) -> dict[str, Any]:
    subject = found.subject
    sections = [
        section
        for section in (report.sections if report else ())
        if (section.case, section.variant) == (subject.case, subject.variant)
    ]
    metrics = {metric.tag: metric for section in sections for metric in section.metrics}
    taken = {measurement.tag: measurement for measurement in found.measurements}
    medians = {
        tag: dict(_median(tag, metrics, taken.get(tag)))
        for tag in words()
        if tag in metrics or f"{tag}/median" in metrics
    }
    return {
        "case": subject.case,
        "variant": subject.variant,
        "kernels": _kernels(sections, metrics),
        "medians": {tag: known for tag, known in medians.items() if known["median"] is not None},
    }


def _median(
    tag: str, metrics: dict[str, Metric], taken: Measurement | None
) -> Iterator[tuple[str, Any]]:
    """Yield a median and its spread: quantiles, and the ends where every sample is kept."""
    if tag in metrics:  # one call, sampled once
        yield "median", metrics[tag].value
        return
    for figure in ("median", "q20", "q80", "samples"):
        metric = metrics.get(f"{tag}/{figure}")
        yield figure, metric.value if metric else None
    if taken is not None and taken.samples_ns:
        yield "least", min(taken.samples_ns)
        yield "most", max(taken.samples_ns)
        yield "batch", taken.batch


def _kernels(sections: list[Section], metrics: dict[str, Metric]) -> list[list[Any]]:
    """Return name, grid, block and launches a call of each kernel, the longest first."""
    windows = metrics.get("split/windows/count")
    calls = windows.value if windows else None
    if not isinstance(calls, int) or not calls:
        return []
    tables = (t for section in sections for t in section.tables if t.tag == "kernels")
    return [row for table in tables for row in _rows(table, calls)][:_MOST_KERNELS]


def _rows(table: Table, calls: int) -> Iterator[list[Any]]:
    names = [column.name for column in table.columns]
    for row in table.rows:
        known = dict(zip(names, row, strict=True))
        count = known.get("count")
        if isinstance(count, int):
            yield [known["name"], known.get("grid"), known.get("block"), count / calls]


def _threads(protocol: Protocol | None) -> int | None:
    """Return with how many threads a CPU was measured; on a device they are another matter."""
    return protocol.threads if protocol and protocol.device == "cpu" else None


def _spelled(environment: Environment, *, threads: int | None = None) -> str:
    """Return where the numbers of the run come from, as its report says it."""
    known = {name: (form, getattr(environment, name)) for name, form in ENVIRONMENT}
    told = [pair for name, pair in known.items() if name not in ("trace", "tracelens", "os")]
    packages = [f"{name} {version}" for name, version in (environment.packages or {}).items()]
    facts = [form.format(safe(fact)) for form, fact in told if fact]
    used = [f"CPU threads {threads}"] if threads is not None else []
    return " · ".join([*facts, *used, *map(safe, packages)])
