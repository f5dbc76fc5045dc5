"""Decoded kernel names as a table for a person to read."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.analyze.names.config import spell_config
from tracelens.model.kernel_name import KernelName
from tracelens.model.report import Column, Finding, Section, Table

_COLUMNS = (
    Column(name="name"),
    Column(name="family"),
    Column(name="library"),
    Column(name="role"),
    Column(name="config"),
    Column(name="status"),
)


def names_section(kernels: Sequence[KernelName]) -> Section:
    """Table the names in their order; what could not be read of one is a finding."""
    rows = tuple(
        (k.name, k.family, k.library, k.role, spell_config(k) or None, k.status) for k in kernels
    )
    return Section(
        title="Kernel names",
        tables=(Table(tag="kernel_names", columns=_COLUMNS, rows=rows),),
        findings=tuple(
            Finding(
                tag="kernels/note",
                severity="info",
                fact=f"{kernel.name[:80]}: {note}",
                advice="read the name itself for what is not decoded",
            )
            for kernel in kernels
            for note in kernel.notes
        ),
    )
