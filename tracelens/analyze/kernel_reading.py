"""What the names and launches of the kernels that matter give away: slow paths, contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.analyze.names.config import different_configs
from tracelens.analyze.names.smells import Smell, smells
from tracelens.analyze.readings import Readings
from tracelens.analyze.timeline import Timeline
from tracelens.model.cut import cut
from tracelens.model.kernel_name import KernelName
from tracelens.model.quantity import spell_share
from tracelens.model.report import Finding, Table

_MATTERS = 0.01
"""Share of the kernel time below which what a name gives away is not worth a line."""

_NAME_LENGTH = 60
_MOST_CONFIGS = 6
"""Of one name, in one sentence."""


def kernel_findings(timeline: Timeline, table: Table, readings: Readings) -> tuple[Finding, ...]:
    """Say what the kernels of a `kernels` table give away: smells, contradictions, unread names.

    Each carries the share of the kernel time that makes it matter. A smell that several kernels
    have is said once, of the one with the largest share.
    """
    devices = timeline.trace.devices
    capability = devices[0].compute_capability if devices else None
    place = {column.name: number for number, column in enumerate(table.columns)}
    by_name = readings.by_name()
    found: dict[str, Finding] = {}
    more: dict[str, int] = {}
    for row in table.rows:
        name, share = str(row[place["name"]]), row[place["share"]]
        if not isinstance(share, float) or share < _MATTERS:
            continue
        said = {
            finding.tag: finding
            for finding in (
                *_several(by_name[name]),
                *_contradicting(by_name[name][0], readings.contradictions.get(name)),
                *(f for kernel in by_name[name] for f in _read(kernel, share, capability)),
            )
        }
        for tag, finding in said.items():
            more[tag] = more.get(tag, -1) + 1
            found.setdefault(tag, finding)
    return tuple(_with_others(finding, more[tag]) for tag, finding in found.items())


def _several(kernels: list[KernelName]) -> Iterator[Finding]:
    configs = different_configs(kernels)
    if len(configs) > 1:
        yield Finding(
            tag="kernel/several_configurations",
            severity="info",
            fact=f"{_short(kernels[0])} ran in {len(configs)} configurations: "
            f"{' | '.join(configs[:_MOST_CONFIGS])}",
            advice="its row is over all of them: do not take its median for one of them",
        )


def _contradicting(kernel: KernelName, fact: str | None) -> Iterator[Finding]:
    if fact is not None:
        yield Finding(
            tag="kernel/contradiction",
            severity="warning",
            fact=f"a launch of {_short(kernel)} contradicts its name: {fact}",
            advice="do not trust the configuration that is shown for this kernel",
        )


def _read(kernel: KernelName, share: float, capability: str | None) -> Iterator[Finding]:
    for smell in smells(kernel, compute_capability=capability):
        yield _smelling(kernel, smell, share)
    for note in kernel.notes:
        yield Finding(
            tag="kernel/note",
            severity="info",
            fact=f"{_short(kernel)}: {note}",
            advice="read the name itself for what is not decoded",
        )


def _smelling(kernel: KernelName, smell: Smell, share: float) -> Finding:
    return Finding(
        tag=smell.tag,
        severity="info",
        fact=f"{_short(kernel)}, {spell_share(share)} of the kernel time: {smell.fact}",
        advice=smell.advice,
    )


def _with_others(finding: Finding, others: int) -> Finding:
    if others == 0:
        return finding
    words = "another kernel" if others == 1 else f"{others} other kernels"
    return Finding(
        tag=finding.tag,
        severity=finding.severity,
        fact=f"{finding.fact} (and {words})",
        advice=finding.advice,
    )


def _short(kernel: KernelName) -> str:
    return cut(kernel.name.removeprefix("void "), _NAME_LENGTH)
