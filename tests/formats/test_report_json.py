import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report_strategies import HOSTILE_TEXTS, reports
from tracelens.errors import TracelensError, UsageError
from tracelens.formats import decode_report, encode_error, encode_report
from tracelens.model.report import (
    Column,
    Environment,
    Finding,
    Metric,
    Report,
    Section,
    Table,
)


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not strict JSON")


def report_of(*sections: Section) -> Report:
    environment = Environment(device="NVIDIA H200", multiprocessors=132)
    return Report(command="analyze", environment=environment, sections=sections)


@given(
    reports(st.text(max_size=20), st.floats(allow_nan=False, allow_infinity=False)),
)
def test_a_report_comes_back_as_it_went(report: Report) -> None:
    # repr, because 1 == 1.0 == True
    assert repr(decode_report(encode_report(report))) == repr(report)


@given(reports(HOSTILE_TEXTS, st.floats()))
def test_any_report_becomes_strict_json_that_is_read_back_the_same(report: Report) -> None:
    data = encode_report(report)
    json.loads(data.decode("utf-8"), parse_constant=refuse_constant)
    assert encode_report(decode_report(data)) == data


def test_json_has_the_fields_of_the_contract_and_a_line_per_table_row() -> None:
    report = report_of(
        Section(
            title="Kernels",
            metrics=(
                Metric(
                    tag="full/eager/median",
                    name="full call",
                    value=18300,
                    unit="ns",
                    description="one synchronised call",
                    noise=0.02,
                ),
            ),
            tables=(
                Table(
                    tag="kernels",
                    columns=(Column(name="name"), Column(name="total_ns", unit="ns")),
                    rows=(("add", 864), ("mul\n", None)),
                ),
                Table(tag="launches", columns=(), rows=()),
            ),
            findings=(Finding(tag="host/gc", severity="info", fact="gc is off", advice="none"),),
        )
    )
    assert encode_report(report).decode() == (
        """\
{
  "schema": "tracelens.report/1",
  "command": "analyze",
  "environment": {
    "tracelens": null,
    "device": "NVIDIA H200",
    "device_count": null,
    "compute_capability": null,
    "multiprocessors": 132,
    "driver": null,
    "cuda": null,
    "torch": null,
    "triton": null,
    "packages": null,
    "sm_clock_limit_mhz": null,
    "memory_clock_limit_mhz": null,
    "power_limit_mw": null,
    "mig": null,
    "persistence": null,
    "display": null,
    "other_processes": null,
    "variables": null,
    "python": null,
    "cpu": null,
    "os": null,
    "trace": null
  },
  "sections": [
    {
      "title": "Kernels",
      "case": null,
      "variant": null,
      "metrics": [
        {
          "tag": "full/eager/median",
          "name": "full call",
          "value": 18300,
          "unit": "ns",
          "description": "one synchronised call",
          "noise": 0.02
        }
      ],
      "tables": [
        {
          "tag": "kernels",
          "columns": [
            {
              "name": "name",
              "unit": null
            },
            {
              "name": "total_ns",
              "unit": "ns"
            }
          ],
          "rows": [
            ["add",864],
            ["mul\\n",null]
          ]
        },
        {
          "tag": "launches",
          "columns": [],
          "rows": []
        }
      ],
      "findings": [
        {
          "tag": "host/gc",
          "severity": "info",
          "fact": "gc is off",
          "advice": "none"
        }
      ]
    }
  ]
}
"""
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
        ("nul \x00 bell \x07", "nul \x00 bell \x07"),
        ("\U0001f600", "\U0001f600"),
        ("x" * 2_000_000, "x" * 2_000_000),
    ],
    ids=["surrogate", "escape", "control", "astral", "two megabytes"],
)
def test_a_hostile_string_is_kept_or_spelled_out(text: str, written: str) -> None:
    report = report_of(
        Section(
            title=text,
            tables=(Table(tag="kernels", columns=(Column(name=text),), rows=((text,),)),),
        )
    )
    section = decode_report(encode_report(report)).sections[0]
    assert (section.title, section.tables[0].columns[0].name, section.tables[0].rows[0][0]) == (
        written,
        written,
        written,
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_float_that_is_no_number_is_null(value: float) -> None:
    report = report_of(
        Section(
            title="x",
            metrics=(Metric(tag="a", name="a", value=value, unit="", description="", noise=value),),
            tables=(Table(tag="t", columns=(Column(name="c"),), rows=((value,),)),),
        )
    )
    section = decode_report(encode_report(report)).sections[0]
    metric = section.metrics[0]
    assert (metric.value, metric.noise, section.tables[0].rows) == (None, None, ((None,),))


def test_an_integer_that_other_parsers_would_round_is_refused() -> None:
    metric = Metric(tag="a", name="a", value=2**64, unit="", description="")
    with pytest.raises(TypeError, match="64-bit"):
        encode_report(report_of(Section(title="x", metrics=(metric,))))


def test_a_field_of_a_later_minor_version_is_passed_over() -> None:
    data = b"""{"schema": "tracelens.report/1", "command": "analyze",
               "environment": {"device": "NVIDIA H200", "multiprocessors": 132, "moon": 1},
               "sections": [{"title": "x", "colour": "red"}], "mood": "good"}"""
    assert decode_report(data) == report_of(Section(title="x"))


BODY = b'"command": "analyze", "environment": {}, "sections": []}'
TABLE = b'[{"title": "x", "tables": [{"tag": "t", "columns": [{"name": "c"}], "rows": [[1, 2]]}]}]'


@pytest.mark.parametrize(
    ("data", "fact", "hint"),
    [
        (
            b'{"schema": "tracelens.report/2", ' + BODY,
            "a.json is 'tracelens.report/2': tracelens.report/1 was expected",
            "A newer tracelens wrote it: pip install --upgrade tracelens-gpu.",
        ),
        (
            b'{"schema": "tracelens.report/0", ' + BODY,
            "a.json is 'tracelens.report/0': tracelens.report/1 was expected",
            "Make it again with this version of tracelens.",
        ),
        (
            b'{"schema": "tracelens.run/1", ' + BODY,
            "a.json is 'tracelens.run/1': tracelens.report/1 was expected",
            "Pass a file whose schema is tracelens.report/1.",
        ),
        (
            b"{" + BODY,
            "a.json does not hold what tracelens.report/1 promises: "
            "Object missing required field `schema`",
            "Pass a file that tracelens wrote and nothing changed.",
        ),
        (
            b"[1, 2]",
            "a.json does not hold what tracelens.report/1 promises: Expected `object`, got `array`",
            "Pass a file that tracelens wrote and nothing changed.",
        ),
        (
            b'{"schema": "tracelens.report/1", "command": "analyze"}',
            "a.json does not hold what tracelens.report/1 promises: "
            "Object missing required field `environment`",
            "Pass a file that tracelens wrote and nothing changed.",
        ),
        (
            b'{"schema": "tracelens.report/1", "command": "c", "environment": {}, "sections": '
            + TABLE
            + b"}",
            "a.json: row 0 of table 't' has 2 cells for 1 columns",
            "Pass a file that tracelens wrote and nothing changed.",
        ),
    ],
    ids=["newer", "older", "of a run", "no schema", "a list", "no environment", "a long row"],
)
def test_what_is_no_report_is_said_to_be_none(data: bytes, fact: str, hint: str) -> None:
    with pytest.raises(TracelensError) as error:
        decode_report(data, source="a.json")
    assert (error.value.fact, error.value.hint) == (fact, hint)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x1f\x8b", b'{"schema": ', b'{"schema": "\xff"}', b'{"x": ' + b"[" * 100_000],
    ids=["empty", "gzip", "cut off", "not UTF-8", "too deep"],
)
def test_what_is_not_json_is_said_to_be_damaged(data: bytes) -> None:
    with pytest.raises(TracelensError, match=r"a.json is damaged, or is not JSON: "):
        decode_report(data, source="a.json")


def test_an_error_is_its_schema_fact_and_advice() -> None:
    error = UsageError("no window is named 'step'", "Pass one of: ProfilerStep#1.")
    assert encode_error(error).decode() == (
        """\
{
  "schema": "tracelens.error/1",
  "fact": "no window is named 'step'",
  "advice": "Pass one of: ProfilerStep#1."
}
"""
    )
