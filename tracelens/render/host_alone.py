"""Reports of the host alone: where nothing launches, what is about launches and a device is no row.

The JSON has all of it, and a finding says why it is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tracelens.model.report import Section, Table, Value
from tracelens.render.splits import SPLIT

_WHOLE = f"{SPLIT.stem}/{SPLIT.whole}/median"
_TABLE = "windows"
_SHOWN = ("name", "start_ns", "wall_ns")
"""Columns of windows in which nothing launches."""

_OF_DEVICE = tuple(
    f"trace/{kind}/" for kind in ("kernel", "memory", "memcpy", "memset", "device", "launch")
)
"""Totals of a trace that are about launches and device work."""


def without_device(section: Section) -> Section:
    """Return the section without figures of a device where there is none, and nothing launches.

    The whole of a window stays; the tree of the host's time says what it is made of.
    """
    values = {metric.tag: metric.value for metric in section.metrics}
    if _is_unsplit(values):
        left_out: tuple[str, ...] = (f"{SPLIT.stem}/",)
    elif _is_deviceless(values):
        left_out = _OF_DEVICE
    else:
        return section
    metrics = (m for m in section.metrics if m.tag == _WHOLE or not m.tag.startswith(left_out))
    tables = (_shown(table) if table.tag == _TABLE else table for table in section.tables)
    return replace(section, metrics=tuple(metrics), tables=tuple(tables))


def _is_unsplit(values: Mapping[str, Value]) -> bool:
    """Say whether no kernel time is known and the host's way to a launch takes all of a window."""
    whole = values.get(_WHOLE)
    kernel = values.get(f"{SPLIT.stem}/kernel/median", 0)
    dispatch = values.get(f"{SPLIT.stem}/host_dispatch/median")
    return whole is not None and kernel is None and dispatch == whole


def _is_deviceless(values: Mapping[str, Value]) -> bool:
    """Say whether these are totals of a trace without device work, and without launches."""
    in_calls = values.get("trace/launch/api", 1)
    return values.get("trace/device/count", 1) == 0 and in_calls == 0


def _shown(table: Table) -> Table:
    places = [place for place, column in enumerate(table.columns) if column.name in _SHOWN]
    return replace(
        table,
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
    )
