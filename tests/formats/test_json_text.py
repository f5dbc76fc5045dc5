from tracelens.formats.json_text import brackets, string_end, strings


def test_a_string_ends_at_its_first_quote_that_is_not_escaped():
    text = rb'["a\"b\\", "c"]'
    assert text[1 : string_end(text, 1)] == rb'"a\"b\\"'
    assert string_end(b'"no end', 0) is None
    assert string_end(b'"no end \\', 0) is None


def test_strings_are_found_in_order_and_one_without_end_is_not():
    text = rb'{"a": ["b]", "\""], "c'
    assert [text[start:end] for start, end in strings(text)] == [b'"a"', b'"b]"', rb'"\""']


def test_brackets_are_found_outside_strings_up_to_a_string_without_end():
    assert [*brackets(b'{"a{": ["]"]} "x{')] == [(0, b"{"), (7, b"["), (11, b"]"), (12, b"}")]


def test_a_string_of_megabytes_takes_no_more_memory_than_it_has():
    text = b'"' + rb"\"" * 3_000_000 + b'"'
    assert string_end(text, 0) == len(text)
