import json

import pytest

from tracelens.formats.chrome_mending import (
    BLOCK_MENDS,
    EVENT_MENDS,
    QUOTE_MENDS,
    mend,
    mend_escapes,
    mend_nonfinite,
    mend_quotes,
    mend_surrogates,
)


def test_text_without_damage_is_left_as_it_is():
    text = rb'{"name": "\u00e9 \ud83d\ude00 \\U \"q\" inf, NaN, [1, inf]", "a": [1, {"b": null}]}'
    for mends in (BLOCK_MENDS, EVENT_MENDS, QUOTE_MENDS):
        assert mend(text, mends) == (text, {})


@pytest.mark.parametrize(
    ("damaged", "mended", "counts"),
    [
        (b'{"n": "a\x9f\xffb"}', {"n": "a\ufffd\ufffdb"}, {"encoding": 2}),
        (b'{"n": "a\x00\x1b[31mb"}', {"n": "a\x00\x1b[31mb"}, {"control_characters": 2}),
        (rb'{"n": "\ud800 \udc00 \ud83d\ude00"}', {"n": "\ufffd \ufffd 😀"}, {"surrogates": 2}),
        (b'{"a": inf, "b": [1, -inf, NaN]}', {"a": None, "b": [1, None, None]}, {"nonfinite": 3}),
        (b'{"a" : -Infinity,"b":-nan(ind)}', {"a": None, "b": None}, {"nonfinite": 2}),
        (rb'{"n": "C:\Users\new", "m": "\n"}', {"n": r"C:\Users\new", "m": "\n"}, {"escapes": 1}),
        (rb'{"n": "C:\dir\", "m": "\u12"}', {"n": "C:\\dir\\", "m": r"\u12"}, {"escapes": 2}),
        (rb'{"n": "\"C:\d\" x"}', {"n": '"C:\\d" x'}, {"escapes": 1}),
        (
            b'{"n": "\xff\\d", "a": nan}',
            {"n": "\ufffd\\d", "a": None},
            {"encoding": 1, "nonfinite": 1, "escapes": 1},
        ),
    ],
)
def test_a_block_is_mended_and_its_damage_counted_by_kind(damaged, mended, counts):
    text, counted = mend(damaged, BLOCK_MENDS)
    assert (json.loads(text), counted) == (mended, counts)


@pytest.mark.parametrize(
    ("damaged", "mended", "counts"),
    [
        (b'{"n":\n"a\nb\tc"}', {"n": "a\nb\tc"}, {"control_characters": 1}),
        (b'{"n": 1, "d": ' + b"[" * 999 + b"]" * 999 + b"}", 63, {"nesting": 1}),
    ],
)
def test_an_event_is_mended_where_its_strings_and_brackets_show(damaged, mended, counts):
    text, counted = mend(damaged, EVENT_MENDS)
    value = json.loads(text)
    depth = text.count(b"[")
    assert (value if mended != 63 else depth, counted) == (mended, counts)


@pytest.mark.parametrize(
    ("damaged", "mended"),
    [
        (b'{"n": "f<"x">(int)", "a": 1}', {"n": 'f<"x">(int)', "a": 1}),
        (b'{"a": 1, "n": "say "hi""}', {"a": 1, "n": 'say "hi"'}),
        (b'{"n": "a "b", "c", d", "a": {"l": ["", ""x"", "y"]}}', {"n": 'a "b", "c", d'}),
        (rb'{"n": "C:\tmp\", "a": 1}', {"n": "C:\tmp\\", "a": 1}),
    ],
)
def test_quotes_inside_strings_are_escaped(damaged, mended):
    text, count = mend_quotes(damaged)
    value = json.loads(text)
    assert (count > 0, {key: value[key] for key in mended}) == (True, mended)


@pytest.mark.parametrize(
    "text",
    [
        b'{"n": "a"x, "ts": 5, "dur": "7", "pid": 0}',  # or the name would hold the times
        b'{"ph": "X", oops: 1}, {"ph": "X"}',  # or one event would hold the next
        b'{"n": "a',
    ],
)
def test_quotes_are_left_alone_where_a_string_would_swallow_more_than_itself(text):
    assert mend_quotes(text) == (text, 0)


def test_a_name_that_only_talks_of_inf_or_nan_keeps_its_words():
    text = b'{"n": "clamp, inf, [nan], -inf", "b": "x: nan", "c": inf}'
    assert mend_nonfinite(text) == (text.replace(b'"c": inf', b'"c": null'), 1)


def test_a_backslash_outside_any_string_is_not_mended():
    assert mend_escapes(b"\\d")[1] == 0
    assert mend_surrogates(rb'"\\ud800"') == (rb'"\\ud800"', 0)
