from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tracelens.formats.decimals import elapsed, nanoseconds
from tracelens.model.trace import UNKNOWN_NS


def ns(*texts):
    return nanoseconds([Raw(text) for text in texts]).tolist()


def test_decimal_microseconds_become_nanoseconds_digit_for_digit():
    assert ns(b"5092917951879.058", b"2879.863", b"8.0", b"13.7", b"8", b"0", b"-1.25") == [
        5_092_917_951_879_058,
        2_879_863,
        8_000,
        13_700,
        8_000,
        0,
        -1_250,
    ]


def test_absolute_epoch_times_of_nineteen_digits_are_exact_though_no_float_holds_them():
    assert ns(b"1755123456789012.047", b'"1712195495519689.047"') == [
        1_755_123_456_789_012_047,
        1_712_195_495_519_689_047,
    ]
    assert round(float("1755123456789012.047") * 1000) != 1_755_123_456_789_012_047


def test_more_than_three_decimals_round_to_the_nearest_nanosecond_half_to_even():
    assert ns(
        b"1.0004", b"1.0005", b"1.0015", b"1.00051", b"-1.0005", b"1.2345678901234567890"
    ) == [
        1_000,
        1_000,
        1_002,
        1_001,
        -1_000,
        1_235,
    ]


def test_exponents_are_numbers_too():
    assert ns(b"1e3", b"1.5E-2", b"2e+0", b"1e-9", b"0e99") == [1_000_000, 15, 2_000, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"true",
        b"{}",
        b"[1]",
        b"[1,2]",
        b'""',
        b'"x"',
        b'"1,2"',
        b'"-"',
        b'"1-2"',
        b'"1.2.3"',
        b'".5"',
        b'"inf"',
        b'" 1"',
        b'"1_0"',
        b"9223372036854775.808",
        b"-9223372036854775.808",
        b"99999999999999999999",
        b"1e400",
        b"1e999999999",
    ],
)
def test_what_is_no_number_or_too_large_is_unknown_and_its_neighbours_are_not(text):
    assert ns(b"1.5", text, b"2.5") == [1_500, UNKNOWN_NS, 2_500]


def test_the_largest_number_of_nanoseconds_is_known():
    assert ns(b"9223372036854775.807", b"-9223372036854775.807") == [2**63 - 1, 1 - 2**63]


def test_no_numbers_are_no_nanoseconds():
    assert ns() == []


@given(
    st.lists(st.decimals(-(10**17), 10**17, places=3) | st.decimals(-9, 9, places=7), min_size=1)
)
def test_any_column_agrees_with_exact_decimal_arithmetic(numbers):
    exact = [int((n * 1000).quantize(Decimal(1), ROUND_HALF_EVEN)) for n in numbers]
    expected = [n if abs(n) < 2**63 else UNKNOWN_NS for n in exact]
    assert ns(*(f"{number:f}".encode() for number in numbers)) == expected


def test_the_time_between_two_times_is_spelled_in_microseconds():
    assert bytes(elapsed(Raw(b"1.5"), Raw(b'"4.75"'))) == b"3.250"
    assert bytes(elapsed(Raw(b"4"), Raw(b"1"))) == b"-3.000"
    assert bytes(elapsed(Raw(b"null"), Raw(b"1"))) == b""
