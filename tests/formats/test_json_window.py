import pytest

from tracelens.errors import TraceError
from tracelens.formats.json_window import LONGEST_VALUE_BYTES, Window


def bytewise(text):
    """A window over a text that comes a byte at a time."""
    return Window(text[i : i + 1] for i in range(len(text)))


def test_values_are_taken_whole_however_the_text_comes():
    text = rb' {"a\"b": -12.5e3 , "c" : {"d": ["}", {}]}, "e": null}'
    for window in (Window([text]), bytewise(text)):
        assert window.take(b"{")
        assert (window.take_string(), window.take(b":")) == (rb'"a\"b"', True)
        assert (window.take_value(), window.take(b",")) == (b"-12.5e3", True)
        assert (window.take_string(), window.take(b":")) == (b'"c"', True)
        assert (window.take_value(), window.take(b",")) == (b'{"d": ["}", {}]}', True)
        assert (window.take_string(), window.take(b":")) == (b'"e"', True)
        assert (window.take_value(), window.take(b",")) == (b"null", False)
        assert (window.take(b"}"), window.peek(), window.ended) == (True, b"", True)


def test_what_does_not_come_is_not_taken():
    window = bytewise(b"  [1]")
    assert not window.take(b"{")
    assert window.take_string() is None
    assert window.take_value() == b"[1]"
    assert window.take_value() is None


@pytest.mark.parametrize("text", [b'"a', b'["a', b"[[]", b'{"a": "}', b"", b":"])
def test_a_value_without_end_is_not_taken(text):
    assert bytewise(text).take_value() is None


def test_positions_count_the_bytes_of_the_whole_stream():
    window = Window([b"ab ", b" cd"])
    window.extend()
    window.drop(2)
    assert window.peek() == b"c"
    assert (window.position, window.text, window.end) == (4, b"cd", 6)


def test_a_long_container_is_passed_over_but_not_kept():
    window = Window([b"[", *[b'"aaaaaaa",' * 100_000] * 5, b"1] 2"])
    assert len(window.take_value()) == 1 << 20
    assert window.peek() == b"2"


def test_a_value_that_never_ends_is_an_error_that_says_where_it_begins():
    window = Window([b' "', *[b"a" * (1 << 20)] * (2 * LONGEST_VALUE_BYTES >> 20)])
    with pytest.raises(TraceError, match="value at byte 1 is longer than"):
        window.take_string()
