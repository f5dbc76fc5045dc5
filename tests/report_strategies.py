"""Arbitrary reports, for hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tracelens.model.report import (
    Column,
    Environment,
    Finding,
    Metric,
    Report,
    Section,
    Table,
)

INT64S = st.integers(-(2**63), 2**63 - 1)
HOSTILE_TEXTS = st.text(
    st.characters() | st.sampled_from('\ud800\udc80\udfff\x00\x1b\x7f\x9b\u202e\u200b\ufeff"\\\n'),
    max_size=20,
)


def values(texts: st.SearchStrategy[str], floats: st.SearchStrategy[float]) -> Any:
    return st.none() | st.booleans() | INT64S | floats | texts


def reports(texts: st.SearchStrategy[str], floats: st.SearchStrategy[float]) -> Any:
    value = values(texts, floats)
    cell = value | st.lists(INT64S, max_size=3) | st.dictionaries(texts, value, max_size=3)
    metric = st.builds(
        Metric,
        tag=texts,
        name=texts,
        value=value,
        unit=texts,
        description=texts,
        noise=st.none() | floats,
    )
    column = st.builds(Column, name=texts, unit=st.none() | texts)
    table = st.lists(column, max_size=4).flatmap(
        lambda columns: st.builds(
            Table,
            tag=texts,
            columns=st.just(tuple(columns)),
            rows=st.lists(st.tuples(*[cell] * len(columns)), max_size=4).map(tuple),
        )
    )
    finding = st.builds(
        Finding,
        tag=texts,
        severity=st.sampled_from(["info", "warning", "error"]),
        fact=texts,
        advice=texts,
    )
    section = st.builds(
        Section,
        title=texts,
        metrics=st.lists(metric, max_size=3).map(tuple),
        tables=st.lists(table, max_size=2).map(tuple),
        findings=st.lists(finding, max_size=2).map(tuple),
        case=st.none() | texts,
        variant=st.none() | texts,
    )
    return st.builds(
        Report,
        command=texts,
        environment=st.builds(Environment, device=st.none() | texts, cpu=st.none() | texts),
        sections=st.lists(section, max_size=3).map(tuple),
    )
