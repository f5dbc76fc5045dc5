"""Names that all code has."""

import pytest

from tracelens.formats.plain_words import is_plain


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("max", True),
        ("Softmax-bench_2", True),
        ("bfloat16", True),
        ("flag_gems", True),
        ("sum2", True),
        ("acme-softmax", False),
        ("bob", False),
        ("4711", False),
        ("", False),
    ],
)
def test_a_name_of_words_of_the_trade_alone_is_plain(name, plain):
    assert is_plain(name) is plain
