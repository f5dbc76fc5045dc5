"""Which layer of the host moved: self time per call by framework op and kind of API call."""

from __future__ import annotations

from tracelens.analyze.change import TICK_NS
from tracelens.analyze.diff.side import HostTimes
from tracelens.model.report import Column, Table

_COLUMNS = (
    Column(name="layer"),
    Column(name="name"),
    Column(name="baseline_ns", unit="ns"),
    Column(name="candidate_ns", unit="ns"),
    Column(name="delta_ns", unit="ns"),
)


def host_table(
    baseline: HostTimes | None, candidate: HostTimes | None, *, comparable: bool
) -> tuple[Table, ...]:
    """Table the host's self times that differ, the largest difference first; profiler on.

    What one side never entered took it no time. Nothing where a side has no such times, or where
    the two are not to be compared.
    """
    if baseline is None or candidate is None or not comparable:
        return ()
    rows = []
    for layer, name in dict.fromkeys([*baseline, *candidate]):
        before, after = baseline.get((layer, name), 0), candidate.get((layer, name), 0)
        if abs(after - before) > TICK_NS:
            rows.append((layer, name, before, after, after - before))
    rows.sort(key=lambda row: -abs(row[4]))
    return (Table(tag="host_changes", columns=_COLUMNS, rows=tuple(rows)),) if rows else ()
