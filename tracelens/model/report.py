"""What a command has to say: metrics, tables and findings, in sections, in a report.

These are the machine contract `tracelens.report/1`: field for field what JSON carries. Text, HTML,
JSON and diff show a metric, table or finding that they have never heard of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

REPORT_SCHEMA = "tracelens.report/1"
ERROR_SCHEMA = "tracelens.error/1"

Severity = Literal["info", "warning", "error"]
Value = int | float | str | bool | None
Cell = Value | list[int] | dict[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number. `tag` is a stable path such as `full/eager/median`, never renamed or reused.

    `value` is None where the number is unknown: a finding of the same section says why. Times are
    whole nanoseconds with the unit `ns`. `noise` is IQR / median of the samples, or None.
    """

    tag: str
    name: str
    value: Value
    unit: str
    description: str
    noise: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something the reader of the report should know: a fact with its numbers, and what to do."""

    tag: str
    severity: Severity
    fact: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A table's column. `unit` is None for text."""

    name: str
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, as long as `columns` each."""

    tag: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What one analysis returns. `case` and `variant` are None where the op has only one."""

    title: str
    metrics: tuple[Metric, ...] = ()
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    case: str | None = None
    variant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where the numbers come from. What is not known is None, never guessed."""

    tracelens: str | None = None
    device: str | None = None
    device_count: int | None = None
    compute_capability: str | None = None
    multiprocessors: int | None = None
    driver: str | None = None
    cuda: str | None = None
    torch: str | None = None
    triton: str | None = None
    packages: dict[str, str] | None = None
    """What the op file imports beside these, each with its version."""
    sm_clock_limit_mhz: int | None = None
    """The highest clock of the multiprocessors."""
    memory_clock_limit_mhz: int | None = None
    power_limit_mw: int | None = None
    mig: bool | None = None
    persistence: bool | None = None
    display: bool | None = None
    """Whether a display is driven by the card."""
    other_processes: int | None = None
    """How many processes beside this one hold the card, as far as can be seen from here."""
    variables: dict[str, str] | None = None
    """Environment variables that change what is measured, from a list of known names."""
    python: str | None = None
    cpu: str | None = None
    os: str | None = None
    trace: str | None = None
    """The file's name, without its folder, where a trace is the source."""

    @property
    def versions(self) -> tuple[str, ...]:
        """The version of everything that has one here."""
        named = (self.tracelens, self.driver, self.cuda, self.torch, self.triton, self.python)
        return (*filter(None, named), *(self.packages or {}).values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a renderer sees. Round-trips through JSON."""

    command: str
    environment: Environment
    sections: tuple[Section, ...]
    schema: str = REPORT_SCHEMA

    def metric(self, tag: str, *, case: str | None = None, variant: str | None = None) -> Metric:
        """Return the metric of that tag. Raises KeyError where the report has none."""
        for section in self.sections:
            if section.case == case and section.variant == variant:
                for metric in section.metrics:
                    if metric.tag == tag:
                        return metric
        raise KeyError(tag)

    def table(self, tag: str, *, case: str | None = None, variant: str | None = None) -> Table:
        """Return the table of that tag. Raises KeyError where the report has none."""
        for section in self.sections:
            if section.case == case and section.variant == variant:
                for table in section.tables:
                    if table.tag == tag:
                        return table
        raise KeyError(tag)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in the order of the sections."""
        return tuple(finding for section in self.sections for finding in section.findings)
