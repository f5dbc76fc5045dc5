"""What the names and launches of the kernels that matter give away: slow paths, contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.analyze.names import decode
from tracelens.analyze.names.launch_check import Launch, check_launch
from tracelens.analyze.names.smells import Smell, smells
from tracelens.analyze.timeline import Timeline
from tracelens.model.kernel_name import KernelName
from tracelens.model.quantity import spell_share
from tracelens.model.report import Cell, Finding, Table

_MATTERS = 0.01
"""Share of the kernel time below which what a name gives away is not worth a line."""

_NAME_LENGTH = 60


def kernel_findings(timeline: Timeline, table: Table) -> tuple[Finding, ...]:
    """Read the kernels of a `kernels` table: a finding per smell, contradiction and unread name.

    Each carries the share of the kernel time that makes it matter. A smell that several kernels
    have is said once, of the one with the largest share.
    """
    devices = timeline.trace.devices
    capability = devices[0].compute_capability if devices else None
    multiprocessors = devices[0].multiprocessors if devices else None
    place = {column.name: number for number, column in enumerate(table.columns)}
    found: dict[str, Finding] = {}
    more: dict[str, int] = {}
    for row in table.rows:
        share = row[place["share"]]
        if not isinstance(share, float) or share < _MATTERS:
            continue
        kernel = decode(str(row[place["name"]]))
        launch = _launch(row[place["grid"]], row[place["block"]], multiprocessors)
        for finding in _read(kernel, launch, share, capability):
            more[finding.tag] = more.get(finding.tag, -1) + 1
            found.setdefault(finding.tag, finding)
    return tuple(_with_others(finding, more[tag]) for tag, finding in found.items())


def _launch(grid: Cell, block: Cell, multiprocessors: int | None) -> Launch | None:
    """Return how the kernel was launched; None where its launches differ or are not recorded."""
    if not isinstance(grid, list) or not isinstance(block, list):
        return None
    x, y, z = grid
    i, j, k = block
    return Launch(grid=(x, y, z), block=(i, j, k), multiprocessors=multiprocessors)


def _read(
    kernel: KernelName, launch: Launch | None, share: float, capability: str | None
) -> Iterator[Finding]:
    for smell in smells(kernel, compute_capability=capability):
        yield _smelling(kernel, smell, share)
    if launch is not None:
        checked = check_launch(kernel, launch)
        if checked.verdict == "contradiction":
            yield Finding(
                tag="kernel/contradiction",
                severity="warning",
                fact=f"the launch of {_short(kernel)} contradicts its name: {checked.fact}",
                advice="do not trust the configuration that is shown for this kernel",
            )
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
    name = kernel.name.removeprefix("void ")
    return name if len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}..."
