from collections import Counter

import pytest

from tracelens.formats.chrome_entries import (
    Damage,
    decode_array,
    decode_mended,
    decode_one_by_one,
)

THREE = b'[{"name": "a"}, {"name": "]"}, {"name": "c"}]'


def names(events):
    return [event.name for event in events]


@pytest.mark.parametrize(
    "rest", [b"", b" \n", b']"', b"}", b', "traceName": "[{}]"}', b"\n[1]", b"x"]
)
def test_an_array_is_decoded_up_to_its_bracket_whatever_follows_it(rest):
    events, end = decode_array(THREE + rest, Damage())
    assert (names(events), end) == (["a", "]", "c"], len(THREE))


@pytest.mark.parametrize(
    "text", [b"", b"[", b'[{"name": "a"}', b'[{"name": "a}]', b"[{},]", b"[inf]"]
)
def test_what_is_no_whole_array_is_not_decoded(text):
    assert decode_array(text, Damage()) is None


def test_entries_of_the_wrong_type_are_counted_once_and_stand_in_their_place():
    damage = Damage()
    events, _ = decode_array(b'[{"ph": "X"}, 5, {"ph": 5}, {"ph": "M"}]', damage)
    assert [event.ph for event in events] == ["X", "", "", "M"]
    assert damage == Damage(Counter(types=2))


def test_a_mended_array_counts_its_mends_and_one_beyond_mending_counts_none():
    damage = Damage()
    events = decode_mended(b'[{"name": "a\\d", "v": inf}, {"name": 5}]', damage)
    assert (names(events), damage) == (
        ["a\\d", "5"],
        Damage(Counter(nonfinite=1, escapes=1, types=1)),
    )
    for text in (THREE, b'[{"name": "a\\d"}, {"name": "f<"x">"}]', b'[{"v": inf}] [5]'):
        damage = Damage()
        assert (decode_mended(text, damage), damage) == (None, Damage())


def one_by_one(text, *, allowed=0, ended=True):
    damage = Damage()
    events, end = decode_one_by_one(text, damage, allowed=allowed, ended=ended)
    return names(events), text[end:], damage


def test_entries_are_decoded_one_by_one_up_to_what_is_none():
    for rest in (b", ", b",, {}", b"]", b" ] }", b"", b', {"name": "c'):
        read, left, damage = one_by_one(b'{"name": "a"}, {"name": "f<"x">", "v": inf}' + rest)
        assert (read, left) == (["a", 'f<"x">'], rest)
        assert damage == Damage(Counter(nonfinite=1, quotes=1))


def test_an_unreadable_entry_ends_the_reading_or_is_left_out():
    text = b'{"name": "a"}, {oops}, {"ph": "X", "name": "c"}'
    assert one_by_one(text)[:2] == (["a"], text[13:])
    assert one_by_one(text, allowed=1)[:2] == (["a", "c"], b"")
    assert one_by_one(text)[2].unreadable == [15]


def test_an_entry_that_may_go_on_is_not_called_unreadable():
    text = b'{"name": "a"}, {"list": [{"ph": "X"}, {"ph": "X"}'
    read, left, damage = one_by_one(text, ended=False)
    assert (read, left, damage.unreadable) == (["a"], text[13:], [])
