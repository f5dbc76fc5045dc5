import pytest

from tracelens.model.report import Cell
from tracelens.render.quantity import column_unit, spell_alone, spell_column, unit_of, with_sign


@pytest.mark.parametrize(
    ("values", "unit", "spelled"),
    [
        ([18_304, 0, 4, 1_234_567, None], "ns", ["18.30", "0.00", "<0.01", "1,234.57", "-"]),
        ([0.0468, 1.0, 0.0001], "share", ["4.7", "100.0", "<0.1"]),
        ([1.6, 12.345], "ratio", ["1.60", "12.35"]),
        ([48_888, 7], "count", ["48,888", "7"]),
        ([4.8, 1234.5], "GB/s", ["5", "1,234"]),
        ([4.8123, 12.5], "GB/s", ["4.81", "12.50"]),
        ([2.384185791015625e-07], "1", ["2.384e-07"]),
        ([0.0, float("nan"), float("inf")], "1", ["0", "-", "-"]),
        ([200_655, 2**63], None, ["200,655", "9,223,372,036,854,775,808"]),
        ([3.793e13, 1.5], "m2", ["3.793e+13", "1.5"]),
        ([True, "text", [128, 1, 1]], None, ["yes", "text", "128,1,1"]),
        ([{"tile": 128, "warp": None}], None, ["tile=128, warp=-"]),
        (["a text of some thirty characters"], "ns", ["a text of some..aracters"]),
        ([], "ns", []),
    ],
)
def test_a_column_is_spelled_in_one_unit_with_its_decimals_aligned(
    values: list[Cell], unit: str | None, spelled: list[str]
) -> None:
    assert spell_column(values, unit, unicode=True) == spelled


def test_times_are_shown_in_microseconds_and_other_units_as_they_are() -> None:
    units = ("ns", "share", "ratio", "count", "1", "GB/s", None)
    assert [column_unit(unit) for unit in units] == ["us", "%", "x", "", "", "GB/s", ""]


def test_a_ratio_is_a_share_where_its_name_says_so() -> None:
    assert [
        unit_of("share", "ratio"),
        unit_of("split/device_busy/share", "ratio"),
        unit_of("perturbation/cpu_cuda", "ratio"),
        unit_of("share", "ns"),
    ] == ["share", "share", "ratio", "ns"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(700, "+0.70"), (-700, "-0.70"), (0, "0.00"), (2, "<0.01"), (None, "-")],
)
def test_a_difference_has_its_sign(value: Cell, shown: str) -> None:
    (spelled,) = spell_column([value], "ns", unicode=True)
    assert with_sign(spelled, value) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (999_999, "ns", ("1,000.00", "us")),
        (1_000_000, "ns", ("1.000", "ms")),
        (-312_480_113, "ns", ("-312.480", "ms")),
        (2_099_515_380, "ns", ("2.100", "s")),
        (float("inf"), "ns", ("-", "us")),
        (None, "ns", ("-", "")),
        (2_099_515_380, "bytes", ("2,099,515,380", "bytes")),
        (123_299, "mW", ("123.299", "W")),
    ],
)
def test_a_large_value_that_stands_alone_is_shown_in_a_larger_unit(
    value: Cell, unit: str, shown: tuple[str, str]
) -> None:
    assert spell_alone(value, unit, unicode=True) == shown
