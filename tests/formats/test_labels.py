import pytest

from tracelens.formats.labels import Labels, int32s, int64s
from tracelens.model.trace import MISSING


def test_labels_are_numbered_as_they_are_met_and_a_number_is_its_spelling():
    labels = Labels()
    assert labels.of([423, "Spans", "423", None, ""], 5).tolist() == [0, 1, 0, 2, 2]
    assert labels.of(["new", 423], 2).tolist() == [3, 0]
    assert labels.texts == ("423", "Spans", "", "new")


@pytest.mark.parametrize(
    ("spelled", "number"),
    [
        (7, 7),
        ("7", 7),
        ("-7", -7),
        ("0x7f3a", 0x7F3A),
        ("stream 7", 7),
        ("GPU 0", 0),
        ("007", 7),
        (-1, MISSING),
        (None, MISSING),
        ("", MISSING),
        ("stream", MISSING),
        ("3 of 4", MISSING),
        (2**63 - 1, 2**63 - 1),
        (2**63, MISSING),
        (-(10**30), MISSING),
        ("9" * 30, MISSING),
        ("0x" + "f" * 16, MISSING),
        ("0x" + "f" * 5000, MISSING),
        ("1" * 5000, MISSING),
    ],
)
def test_an_id_is_a_number_however_it_is_spelled_or_missing(spelled, number):
    assert int64s([5, spelled, 5]).tolist() == [5, number, 5]


def test_words_where_they_are_kept_have_numbers_of_their_own_below_missing():
    words = Labels()
    assert int64s(["default", 7, "copy", "default"], words=words).tolist() == [-2, 7, -3, -2]
    assert int64s(["copy"], words=words).tolist() == [-3]


def test_a_number_that_32_bits_do_not_hold_is_missing():
    assert int32s(int64s([2**31 - 1, 2**31, -(2**31), -(2**31) - 1])).tolist() == [
        2**31 - 1,
        MISSING,
        -(2**31),
        MISSING,
    ]
