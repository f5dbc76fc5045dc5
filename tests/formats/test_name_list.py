from io import BytesIO

import pytest

from tracelens.errors import TracelensError
from tracelens.formats import name_list
from tracelens.formats.name_list import read_name_lines


def test_lines_are_names_whatever_ends_them_and_a_byte_order_mark_is_none_of_them() -> None:
    stream = BytesIO(b"\xef\xbb\xbfadd_kernel\r\n\n  \nvoid f<8>(int)\nbad \xff byte")
    assert read_name_lines(stream, source="-") == ["add_kernel", "void f<8>(int)", "bad � byte"]


def test_a_list_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_list, "_MOST_BYTES", 8)
    with pytest.raises(TracelensError, match=r"names\.txt: holds more than 0 MiB"):
        read_name_lines(BytesIO(b"add_kernel"), source="names.txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_says_how_a_list_is_written(encoding: str) -> None:
    text = "\ufeffadd_kernel\r\n\r\nvoid f<8>(int)\r\nsöme_kernel"
    names = read_name_lines(BytesIO(text.encode(encoding)), source="-")
    assert names == ["add_kernel", "void f<8>(int)", "söme_kernel"]


def test_a_list_of_utf_16_that_is_cut_short_is_read_as_far_as_it_goes() -> None:
    stream = BytesIO("\ufeffadd_kernel\nmul".encode("utf-16-le")[:-1])
    assert read_name_lines(stream, source="-") == ["add_kernel", "mu\ufffd"]


def test_utf_16_without_a_mark_is_one_error_and_not_names_full_of_zeros() -> None:
    with pytest.raises(TracelensError) as caught:
        read_name_lines(BytesIO("add\nmul\n".encode("utf-16-le")), source="names.txt")
    assert caught.value.fact == (
        "names.txt: 8 of its 16 bytes are zero, as in UTF-16 without a byte order mark: UTF-8 was "
        "expected"
    )


def test_a_trace_in_utf_16_is_no_list_of_names() -> None:
    with pytest.raises(TracelensError, match="it is UTF-16 text and begins as JSON does"):
        read_name_lines(BytesIO('{"traceEvents": []}'.encode("utf-16")), source="t.json")
